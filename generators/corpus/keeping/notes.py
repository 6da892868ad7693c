"""What the writer of a corpus notes when it is done, for the next one at the same folder.

The digests of the vectors that the corpus holds, in a file of its folder. There is none while any
writer is at work there, nor after one was broken off. It does not tell that somebody edited a
vector later; the validator does, which compares each with its digest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from onnx_conformance.core.files import replacing

NOTE = ".written.json"


def take_note(root: Path) -> dict[str, str]:
    """The digest of each vector by its place, none if nothing is known; the note is removed."""
    path = root / NOTE
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return {}
    path.unlink()
    try:
        found = json.loads(content)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def leave_note(root: Path, digests: Mapping[str, str]) -> None:
    """Note the digests; OSError if that cannot be written."""
    with replacing(root / NOTE) as stream:
        stream.write(json.dumps(dict(digests)).encode())
