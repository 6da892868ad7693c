"""The release of one commit, made twice under different circumstances, and compared."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError, ExitCode

from .sums import SUMS

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Circumstances:
    """What differs between two machines that make one release.

    Attributes:
        folder: where the clone lies.
        umask: which permissions new files lack.
        environment: variables of the shell.
    """

    folder: str
    umask: int
    environment: Mapping[str, str] = field(default_factory=dict)


BOTH = (
    Circumstances("a", 0o022, {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"}),
    Circumstances(
        "elsewhere/and/deeper",
        0o077,
        {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "2"},
    ),
)


def compare_builds(root: Path, jobs: int) -> int:
    """Run `make release` in two clones of the last commit, and print the files that differ.

    Returns the exit code: 0, or 3 if bytes differ. Raises BadInputError if a build fails.
    """
    with tempfile.TemporaryDirectory() as temporary:
        sums = []
        for item in BOTH:
            clone = Path(temporary) / item.folder
            _run(Path(temporary), ["git", "clone", "--quiet", str(root), str(clone)], item)
            _run(clone, ["make", "release", f"JOBS={jobs}", "RELEASE_ARGS=--trial"], item)
            sums.append((clone / "dist" / "release" / SUMS).read_text("utf-8"))
    first, second = (_by_name(text) for text in sums)
    differing = sorted(
        name for name in first.keys() | second.keys() if first.get(name) != second.get(name)
    )
    for name in differing:
        print(f"{name}: differs: {first.get(name)} and {second.get(name)}")
    if differing:
        return ExitCode.BAD_INPUT
    print(f"{len(first)} files, made twice, have the same bytes")
    return ExitCode.OK


def _by_name(sums: str) -> dict[str, str]:
    return {name: found for found, name in (line.split() for line in sums.splitlines())}


def _run(folder: Path, words: list[str], circumstances: Circumstances) -> None:
    done = subprocess.run(
        words,
        check=False,
        cwd=folder,
        env={**os.environ, **circumstances.environment},
        umask=circumstances.umask,
    )
    if done.returncode:
        raise BadInputError(f"{' '.join(words)}: ends with {done.returncode} in {folder}")
