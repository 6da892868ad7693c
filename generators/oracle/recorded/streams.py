"""The streams that are known, and what each holds: `specs/images`, whose README says whence.

No stream is decoded here. One that is not recorded is not known, as a call that no oracle answers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from onnx_conformance.core.errors import BadInputError

from ..errors import UnansweredError
from .pictures import Picture, read_picture

# As it is installed, whatever folder of specs is read.
FOLDER = Path(__file__).parents[3] / "specs" / "images"
INDEX = "index.json"
NOTHING, LIMITS = "nothing", "limits"  # besides `pixels`


def stream_named(name: str) -> bytes:
    """The bytes of a recorded stream; BadInputError for another name."""
    if name not in {known for known, _ in _index().values()}:
        raise BadInputError(f"'{name}' is no stream of {FOLDER / INDEX}")
    return (FOLDER / name).read_bytes()


def picture_in(stream: bytes) -> Picture | None:
    """What a stream holds; None where no image can be decoded, UnansweredError if not known."""
    digest = hashlib.sha256(stream).hexdigest()
    if digest not in _index():
        raise UnansweredError("what the stream holds is not recorded in specs/images")
    name, holds = _index()[digest]
    return None if holds == NOTHING else _picture(name, limits=holds == LIMITS)


@cache
def _picture(name: str, *, limits: bool) -> Picture:
    return read_picture((FOLDER / name).with_suffix(".pam"), limits=limits)


@cache
def _index() -> Mapping[str, tuple[str, str]]:
    """The file of each stream by its digest, and what it holds."""
    path = FOLDER / INDEX
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise BadInputError(f"{path}: cannot be read: {error}") from None
    return {item["sha256"]: (item["stream"], item["holds"]) for item in document["streams"]}
