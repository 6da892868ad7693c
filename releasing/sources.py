"""The checkout that a release is made from: its tracked files, its commit, its versions."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Checkout:
    """A checkout of the project.

    Attributes:
        root: its folder.
        epoch: the date of the release in seconds since 1970: SOURCE_DATE_EPOCH where that is set,
            else when its commit was made.
    """

    root: Path
    epoch: int

    @property
    def version(self) -> str:
        """The version of the package."""
        return _version(self.root / "pyproject.toml", r'^version = "([^"]+)"$')

    @property
    def corpus(self) -> str:
        """The version of the corpus."""
        return _version(self.root / "specs" / "corpus.yaml", r'^version: "([^"]+)"$')

    def copy(self, folder: Path, *places: str) -> None:
        """Copy tracked files, as they are in the checkout, to a new folder.

        Nothing else goes into a release: what earlier builds left in `build/` would.

        Args:
            folder: the new folder.
            places: files and folders of the checkout; none means all.
        """
        for name in _git(self.root, "ls-files", "-z", "--", *places).split("\0"):
            source, target = self.root / name, folder / name
            if name and (source.is_symlink() or source.is_file()):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target, follow_symlinks=False)


def checkout(root: Path, *, changed: bool) -> Checkout:
    """The checkout in a folder.

    Args:
        root: its folder.
        changed: whether files may differ from the commit, as they do in a trial.

    Raises UsageError if the folder is no checkout, or if files differ that may not.
    """
    differing = _git(root, "status", "--porcelain", "--untracked-files=no").splitlines()
    if differing and not changed:
        raise UsageError(
            f"{root}: {len(differing)} files differ from the commit, such as"
            f" {differing[0][3:]}: commit them first, or try the release out with --trial"
        )
    named = os.environ.get("SOURCE_DATE_EPOCH", "")
    return Checkout(root, int(named or _git(root, "log", "-1", "--format=%ct")))


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", root, *words],  # noqa: S607
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise UsageError(f"{root}: is no checkout: git says: {done.stderr.strip()}")
    return done.stdout


def _version(path: Path, line: str) -> str:
    found = re.search(line, path.read_text("utf-8"), re.MULTILINE)
    if found is None:
        raise BadInputError(f"{path}: has no line like {line}")
    return found[1]
