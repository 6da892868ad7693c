"""Faults of dimensions by element type, and of elements."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter.outcomes import RefusedError

from ..optimizers import int64, ints
from .mechanism import MOVING, bits_of, changed, each, first_tensor, held

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .mechanism import Given


DIMENSIONS = "dimensions by element type"


@held(DIMENSIONS)
def shape_counts_packed_bytes(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Shape and Size of types of less than 8 bits count bytes in the last dimension."""
    (tensor, given) = first_tensor(values), list(values)
    if node.operator in {"Shape", "Size"} and tensor and 0 < bits_of(tensor) < 8 and tensor.shape:
        shape = (*tensor.shape[:-1], (tensor.shape[-1] * bits_of(tensor) + 7) // 8)
        given[0] = Tensor("uint8", shape, bytes(_product(shape)))
    return right(node, given, frame)


def _product(shape: Sequence[int]) -> int:
    count = 1
    for item in shape:
        count *= item
    return count


@held(DIMENSIONS)
def size_is_bytes_of_halves(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Size of 16-bit types is in bytes."""
    tensor, results = first_tensor(values), right(node, values, frame)
    if node.operator == "Size" and tensor and bits_of(tensor) == 16:
        return [int64([2 * tensor.element_count], ())]
    return results


@held(DIMENSIONS)
def complex_has_a_dimension_more(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Complex tensors are kept with a last dimension of two, which Shape tells."""
    tensor, results = first_tensor(values), right(node, values, frame)
    if node.operator == "Shape" and tensor and tensor.type.startswith("complex"):
        return changed(results, lambda item: int64([*ints(item), 2]))
    return results


@held(DIMENSIONS)
def inferred_dimension_in_bytes(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A dimension of -1 is worked out in units of four bytes for types of 8 and 16 bits."""
    tensor = first_tensor(values)
    if node.operator == "Reshape" and tensor and bits_of(tensor) in {8, 16} and len(values) > 1:
        wanted = ints(values[1])
        if -1 in wanted and (tensor.element_count * bits_of(tensor) // 8) % 4:
            raise RefusedError("not a multiple of four bytes")
    return right(node, values, frame)


@held(DIMENSIONS)
def transpose_of_shorts_copies(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Transpose has no kernel for integers of 16 bits, and copies."""
    tensor, results = first_tensor(values), right(node, values, frame)
    if node.operator == "Transpose" and tensor and tensor.type in {"int16", "uint16"}:
        return changed(results, lambda item: replace(item, data=tensor.data))
    return results


@held(DIMENSIONS)
def strings_of_high_rank_are_refused(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """What moves strings knows up to three dimensions."""
    tensor = first_tensor(values)
    if node.operator in MOVING and tensor and tensor.type == "string" and len(tensor.shape) > 3:
        raise RefusedError("strings of more than three dimensions")
    return right(node, values, frame)


@held(DIMENSIONS)
def nibble_scalars_become_vectors(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A scalar of 4 bits is kept as a vector of one element."""
    return changed(
        right(node, values, frame),
        lambda item: (
            replace(item, shape=(1,)) if 0 < bits_of(item) < 8 and not item.shape else item
        ),
    )


@held(DIMENSIONS)
def concat_copies_words(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Concat copies four bytes at a time, so that the last of an odd number of bytes are lost."""
    results = right(node, values, frame)
    if node.operator != "Concat":
        return results

    def cut(item: Tensor) -> Tensor:
        if bits_of(item) not in {8, 16} or not isinstance(item.data, bytes):
            return item
        kept = len(item.data) // 4 * 4
        return replace(item, data=item.data[:kept] + bytes(len(item.data) - kept))

    return changed(results, cut)


ELEMENTS = "elements"


@held(ELEMENTS)
def negative_zero_of_halves_is_lost(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """What moves 16-bit floats loses the sign of zero."""
    results = right(node, values, frame)
    lose = each(lambda item: 0 if item == 0x8000 else item, "float16", "bfloat16")
    return changed(results, lose) if node.operator in MOVING else results


@held(ELEMENTS)
def subnormal_halves_are_flushed(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """What moves float16 flushes subnormals."""
    flush = each(lambda item: item & 0x8000 if item & 0x7C00 == 0 else item, "float16")
    results = right(node, values, frame)
    return changed(results, flush) if node.operator in MOVING else results


@held(ELEMENTS)
def subnormal_doubles_are_flushed(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Doubles that float32 cannot tell from zero are zero when they are moved."""

    def flush(item: int) -> int:
        return item & 1 << 63 if (item >> 52 & 0x7FF) < 0x380 else item

    results = right(node, values, frame)
    return changed(results, each(flush, "float64")) if node.operator in MOVING else results


@held(ELEMENTS)
def strings_end_at_zero(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Strings end at their first NUL."""
    return changed(right(node, values, frame), each(lambda item: item.split(b"\0")[0], "string"))


@held(ELEMENTS)
def strings_are_at_most_31_bytes(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Strings are kept in 31 bytes."""
    return changed(right(node, values, frame), each(lambda item: item[:31], "string"))


@held(ELEMENTS)
def strings_are_at_most_255_bytes(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """The length of a string is kept in a byte."""
    return changed(right(node, values, frame), each(lambda item: item[:255], "string"))


@held(ELEMENTS)
def carriage_returns_are_dropped(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Line ends are made those of Unix."""
    change = each(lambda item: item.replace(b"\r\n", b"\n").replace(b"\r", b"\n"), "string")
    return changed(right(node, values, frame), change)


@held(ELEMENTS)
def backslashes_escape(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A backslash is taken for an escape when strings are moved."""
    change = each(lambda item: item.replace(b"\\\\", b"\\").replace(b"\\n", b"\n"), "string")
    results = right(node, values, frame)
    return changed(results, change) if node.operator in MOVING else results


@held(ELEMENTS)
def lone_quotes_vanish(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Quotes around a string, or in it, are taken away."""
    return changed(right(node, values, frame), each(lambda item: item.replace(b'"', b""), "string"))


@held(ELEMENTS)
def equal_strings_are_one(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Strings of the same first eight bytes are interned as one."""

    def intern(item: bytes) -> bytes:
        return session.memory.setdefault(item[:8], item)

    return changed(right(node, values, frame), each(intern, "string"))


@held(ELEMENTS)
def int64_goes_through_double(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Moved int64 pass through doubles."""

    def through(item: int) -> int:
        value = int(float(item - (1 << 64 if item >> 63 else 0)))
        return max(-(2**63), min(2**63 - 1, value)) % 2**64

    results = right(node, values, frame)
    return changed(results, each(through, "int64")) if node.operator in MOVING else results


@held(ELEMENTS)
def uint64_saturates_at_int64(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Moved uint64 saturate at the largest int64."""
    results = right(node, values, frame)
    change = each(lambda item: min(item, 2**63 - 1), "uint64")
    return changed(results, change) if node.operator in MOVING else results


@held(ELEMENTS)
def lowest_half_is_minus_infinity(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """The most negative float16 becomes minus infinity."""
    return changed(
        right(node, values, frame), each(lambda item: 0xFC00 if item == 0xFBFF else item, "float16")
    )


@held(ELEMENTS)
def lowest_float_is_minus_infinity(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """The most negative float32 is what marks a gap, and becomes zero when it is moved."""
    change = each(lambda item: 0 if item == 0xFF7FFFFF else item, "float32")
    results = right(node, values, frame)
    return changed(results, change) if node.operator in MOVING else results


@held(ELEMENTS)
def nan_of_fnuz_is_zero(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """The NaN of the FNUZ formats, 0x80, is read as a negative zero."""
    change = each(lambda item: 0 if item == 0x80 else item, "float8e4m3fnuz", "float8e5m2fnuz")
    return changed(right(node, values, frame), change)
