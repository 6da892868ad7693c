"""Which files changed: since a revision, committed or not."""

from __future__ import annotations

import subprocess
from pathlib import Path

from onnx_conformance.core.errors import BadInputError


def changed_files(root: Path, since: str) -> list[str]:
    """Each file that is not as where this branch left `since`, sorted; relative to `root`.

    Commits of this branch, the work tree and files that git does not know yet count; what the other
    branch did meanwhile does not. A file that was renamed counts at both places.

    Raises:
        BadInputError: git is missing, `root` is no checkout, or there is no such revision.
    """
    base = _git(root, "merge-base", since, "HEAD").strip()
    tracked = _git(root, "diff", "--name-only", "--no-renames", "-z", base)
    unknown = _git(root, "ls-files", "--others", "--exclude-standard", "-z")
    return sorted({name for name in (tracked + unknown).split("\0") if name})


def _git(root: Path, *arguments: str) -> str:
    """What git prints."""
    try:
        done = subprocess.run(
            ["git", "-C", root, *arguments],  # noqa: S607  whichever git the user has
            check=False,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
        )
    except FileNotFoundError as error:
        raise BadInputError("git is not installed, and says which files changed") from error
    if done.returncode != 0:
        said = done.stderr.strip() or "the two have no common ancestor"
        raise BadInputError(f"git {' '.join(arguments)}: {said}")
    return done.stdout
