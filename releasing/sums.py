"""SHA256SUMS: what `sha256sum --check` and `shasum -a 256 --check` read."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SUMS = "SHA256SUMS"


def sums_of(folder: Path) -> str:
    """A line for each file directly in a folder, by name."""
    return "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name != SUMS
    )
