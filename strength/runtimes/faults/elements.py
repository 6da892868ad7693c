"""Elements that change on their way from one tensor to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..registry import wrong
from ..steps import NodeStep, Values
from ..tensors import changed, each, flushed_float16, in_float32, int64_in_double
from .operators import MOVING

AREA = "elements"

_HALVES = ("float16", "bfloat16")
_FNUZ = ("float8e4m3fnuz", "float8e5m2fnuz")


def _through_float(item: int) -> int:
    """A uint32 after it was a float32."""
    return min(in_float32(item), 2**32 - 1)


def _escaped(item: bytes) -> bytes:
    return item.replace(b"\\\\", b"\\").replace(b"\\n", b"\n")


Change = tuple["Callable[[Any], Any]", tuple[str, ...]]

#: What happens to an element that is moved, and to which types: bit patterns, or byte strings.
_MOVED: dict[str, Change] = {
    "the sign of zero of 16-bit floats": (lambda it: 0 if it == 0x8000 else it, _HALVES),
    "subnormal float16": (flushed_float16, ("float16",)),
    "float64 that are 0 in float32": (
        lambda it: it & 1 << 63 if (it >> 52 & 0x7FF) < 0x380 else it,
        ("float64",),
    ),
    "the lowest float32, which marks a gap": (
        lambda it: 0 if it == 0xFF7FFFFF else it,
        ("float32",),
    ),
    "digits of int64 beyond double": (int64_in_double, ("int64",)),
    "digits of uint32 beyond float32": (_through_float, ("uint32",)),
    "uint64 above int64": (lambda it: min(it, 2**63 - 1), ("uint64",)),
    "uint16 above int16": (lambda it: min(it, 2**15 - 1), ("uint16",)),
    "the lowest int8": (lambda it: 0x81 if it == 0x80 else it, ("int8",)),
    "NaN of float8e4m3fn, which is the largest": (
        lambda it: it - 1 if it & 0x7F == 0x7F else it,
        ("float8e4m3fn",),
    ),
    "backslashes before letters": (_escaped, ("string",)),
}

#: The same of every result of every operator.
_ANYWHERE: dict[str, Change] = {
    "the end of strings behind a zero": (lambda it: it.split(b"\0")[0], ("string",)),
    "strings behind 31 bytes": (lambda it: it[:31], ("string",)),
    "strings behind 255 bytes": (lambda it: it[:255], ("string",)),
    "carriage returns": (
        lambda it: it.replace(b"\r\n", b"\n").replace(b"\r", b"\n"),
        ("string",),
    ),
    "quotes": (lambda it: it.replace(b'"', b""), ("string",)),
    "the lowest float16, which is infinite": (
        lambda it: 0xFC00 if it == 0xFBFF else it,
        ("float16",),
    ),
    "NaN of the fnuz types, which is 0": (lambda it: 0 if it == 0x80 else it, _FNUZ),
}


@wrong(
    AREA,
    of=MOVING,
    variants=_MOVED,
    held_out=(
        "the sign of zero of 16-bit floats",
        "subnormal float16",
        "float64 that are 0 in float32",
        "the lowest float32, which marks a gap",
        "digits of int64 beyond double",
        "uint64 above int64",
        "backslashes before letters",
    ),
)
def moving_loses(step: NodeStep, change: Callable[[Any], Any], types: tuple[str, ...]) -> Values:
    """What moves elements changes some of them."""
    return changed(step.right(), each(change, *types))


@wrong(AREA, variants=_ANYWHERE, held_out=True)
def results_lose(step: NodeStep, change: Callable[[Any], Any], types: tuple[str, ...]) -> Values:
    """What any operator gives has some elements changed."""
    return changed(step.right(), each(change, *types))


@wrong(AREA, of=("Reshape",))
def reshape_packs_truth_values(step: NodeStep) -> Values:
    """Reshape keeps truth values as bits, eight a byte, and writes them back so."""
    data, results = step.tensor(), step.right()
    if data is None or data.type != "bool":
        return results
    count = len(data.data)
    packed = bytes(
        int(any(data.data[at * 8 : at * 8 + 8])) if at * 8 < count else 0 for at in range(count)
    )
    return changed(results, lambda item: type(item)(item.type, item.shape, packed))


@wrong(AREA, held_out=True)
def strings_of_one_beginning_are_one(step: NodeStep) -> Values:
    """Strings of the same first eight bytes are interned as one."""

    def intern(item: bytes) -> bytes:
        return step.session.kept(item[:8], lambda: item)

    return changed(step.right(), each(intern, "string"))
