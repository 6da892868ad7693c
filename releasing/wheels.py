"""The wheel, with the same bytes wherever it is built.

A wheel is a zip: setuptools dates its entries, keeps the permissions that files have in the
checkout and packs with the zlib of the machine. So its content is written anew, in order, with the
date of the commit; RECORD holds digests of contents, and stays true.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError

if TYPE_CHECKING:
    from .sources import Checkout

# What the wheel is made from, and nothing else: a checkout has thousands of vectors beside it.
_NEEDED = (
    *("pyproject.toml", "LICENSE", "README.md", "src", "core", "generators", "validator", "specs"),
    *("vectors/standard", "vectors/README.md", "vectors/requirements.json"),
)


def build_wheel(sources: Checkout, folder: Path) -> Path:
    """Build the wheel from tracked files alone, with the setuptools of this environment.

    Args:
        sources: the checkout.
        folder: where the wheel goes.

    Raises BadInputError if it cannot be built.
    """
    with tempfile.TemporaryDirectory() as temporary:
        copy, built = Path(temporary) / "source", Path(temporary) / "wheel"
        sources.copy(copy, *_NEEDED)
        return built_from(copy, built, folder, sources.epoch)


def built_from(project: Path, built: Path, folder: Path, epoch: int) -> Path:
    """The wheel of a folder with a pyproject.toml, dated and with the bytes that follow from it.

    Args:
        project: the folder.
        built: an empty folder, or none, in which pip leaves what setuptools made.
        folder: where the wheel goes.
        epoch: the date of its entries, in seconds since 1970.

    Raises BadInputError if it cannot be built.
    """
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"),
            *("--no-deps", "--no-build-isolation", "--wheel-dir", built, project),
        ],
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise BadInputError(f"the wheel cannot be built:\n{done.stderr.strip()}")
    (wheel,) = built.iterdir()
    target = folder / wheel.name
    write_again(wheel, target, epoch)
    return target


def write_again(wheel: Path, target: Path, epoch: int) -> None:
    """Write a wheel's content anew, so that its bytes follow from the content and the date.

    Args:
        wheel: the wheel as it was built.
        target: the file to write.
        epoch: the date of all entries, in seconds since 1970.
    """
    date = max(time.gmtime(epoch)[:6], (1980, 1, 1, 0, 0, 0))  # a zip knows no earlier date
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(target, "w") as new:
        for name in sorted(old.namelist(), key=_metadata_last):
            entry = zipfile.ZipInfo(name, date)
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, old.read(name), compresslevel=9)


def _metadata_last(name: str) -> tuple[bool, str]:
    """A key by which the folder `.dist-info` ends a wheel, as its format advises."""
    return ".dist-info/" in name, name
