"""How large a vector is: small ones have no file of more than 16 KiB, and manifests list the rest.

16 KiB are just under 4,096 elements of float32: a microcontroller has room for them, and an
interpreter that is written for teaching gets through them. Files and not elements: that covers
strings, sequences and what lies in the model, and anybody can see it without reading a tensor.
"""

from __future__ import annotations

from collections.abc import Mapping

#: Bytes that each file of a small vector may have.
SMALL_FILE = 16_384
#: The key of a manifest.json whose lines have the size of each vector that is not small.
SMALL_KEY = "small"


def listed_size(files: Mapping[str, bytes]) -> int:
    """Bytes of the largest of a vector's files as a manifest lists it: 0 where it is small."""
    return size_from(max(map(len, files.values()), default=0))


def size_from(largest: int) -> int:
    """The same, from the bytes of the largest file."""
    return largest if largest > SMALL_FILE else 0
