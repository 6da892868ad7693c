"""What the documents say of each version of Shape, Size and Reshape: types, attributes, arity.

Sources: the pages of Shape (1, 13, 15, 19, 21, 23, 24, 25), Size (1, 13, 19, 21, 23, 24, 25) and
Reshape (1, 5, 13, 14, 19, 21, 23, 24, 25): Type Constraints, Attributes, Inputs.
"""

from __future__ import annotations

from typing import NamedTuple

from .program import INT, INTS


class Definition(NamedTuple):
    """One version of an operator; `attributes` maps each name to its type."""

    since: int
    types: frozenset[str]
    attributes: dict[str, str]
    inputs: int


_NEW_TYPES = {
    1: "bool complex64 complex128 float16 float32 float64 int8 int16 int32 int64 string"
    " uint8 uint16 uint32 uint64",
    13: "bfloat16",
    19: "float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz",
    21: "int4 uint4",
    23: "float4e2m1",
    24: "float8e8m0",
    25: "int2 uint2",
}
_FLOATS = frozenset({"float16", "float32", "float64"})
_SLICE = {"start": INT, "end": INT}


def _types(version: int) -> frozenset[str]:
    return frozenset(
        name for since, names in _NEW_TYPES.items() if since <= version for name in names.split()
    )


def _all() -> dict[str, tuple[Definition, ...]]:
    shape = [
        Definition(version, _types(version), _SLICE if version >= 15 else {}, 1)
        for version in (25, 24, 23, 21, 19, 15, 13, 1)
    ]
    size = [Definition(version, _types(version), {}, 1) for version in (25, 24, 23, 21, 19, 13, 1)]
    reshape = [
        Definition(version, _types(version), {"allowzero": INT} if version >= 14 else {}, 2)
        for version in (25, 24, 23, 21, 19, 14, 13, 5)
    ]
    reshape.append(Definition(1, _FLOATS, {"shape": INTS, "consumed_inputs": INTS}, 1))
    return {"Shape": tuple(shape), "Size": tuple(size), "Reshape": tuple(reshape)}


DEFINITIONS = _all()
