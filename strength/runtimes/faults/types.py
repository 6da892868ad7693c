"""Dimensions by element type: what packed, narrow and complex types do to sizes."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter.outcomes import RefusedError

from ..registry import wrong
from ..steps import NodeStep, Values
from ..tensors import bits_of, changed, int64, integers, kind_of
from .operators import MOVING

AREA = "types"


@wrong(AREA, of=("Shape", "Size"), held_out=True)
def shape_counts_packed_bytes(step: NodeStep) -> Values:
    """Shape and Size of types of less than 8 bits count bytes in the last dimension."""
    tensor = step.tensor()
    if tensor is None or not tensor.shape or not 0 < bits_of(tensor) < 8:
        return step.right()
    shape = (*tensor.shape[:-1], (tensor.shape[-1] * bits_of(tensor) + 7) // 8)
    return step.right(values=[Tensor("uint8", shape, bytes(prod(shape)))])


@wrong(AREA, of=("Size",), held_out=True)
def size_is_bytes_of_halves(step: NodeStep) -> Values:
    """Size of 16-bit types is in bytes."""
    tensor = step.tensor()
    if tensor is not None and bits_of(tensor) == 16:
        return [int64([2 * tensor.element_count], ())]
    return step.right()


@wrong(AREA, of=("Shape",), held_out=True)
def complex_has_a_dimension_more(step: NodeStep) -> Values:
    """Complex tensors are kept with a last dimension of two, which Shape tells."""
    tensor, results = step.tensor(), step.right()
    if tensor is not None and kind_of(tensor) == "complex":
        return changed(results, lambda item: int64([*integers(item), 2]))
    return results


@wrong(AREA, of=("Reshape",), held_out=True)
def inferred_dimensions_are_in_words(step: NodeStep) -> Values:
    """A dimension of -1 is worked out in units of four bytes for types of 8 and 16 bits."""
    tensor = step.tensor()
    if tensor is None or bits_of(tensor) not in {8, 16}:
        return step.right()
    if -1 in step.integers(1) and (tensor.element_count * bits_of(tensor) // 8) % 4:
        raise RefusedError("not a multiple of four bytes")
    return step.right()


@wrong(AREA, of=("Transpose",), held_out=True)
def transpose_of_shorts_copies(step: NodeStep) -> Values:
    """Transpose has no kernel for integers of 16 bits, and copies."""
    tensor, results = step.tensor(), step.right()
    if tensor is None or tensor.type not in {"int16", "uint16"}:
        return results
    return changed(results, lambda item: replace(item, data=tensor.data))


@wrong(AREA, of=MOVING, held_out=True)
def strings_of_high_rank_are_refused(step: NodeStep) -> Values:
    """What moves strings knows up to three dimensions."""
    tensor = step.tensor()
    if tensor is not None and tensor.type == "string" and len(tensor.shape) > 3:
        raise RefusedError("strings of more than three dimensions")
    return step.right()


@wrong(AREA, held_out=True)
def nibble_scalars_are_vectors(step: NodeStep) -> Values:
    """A scalar of less than 8 bits is kept as a vector of one element."""

    def as_vector(item: Tensor) -> Tensor:
        narrow = 0 < bits_of(item) < 8 and not item.shape
        return replace(item, shape=(1,)) if narrow else item

    return changed(step.right(), as_vector)


@wrong(AREA, of=("Concat",), held_out=True)
def concat_copies_words(step: NodeStep) -> Values:
    """Concat copies four bytes at a time, so that the last of an odd number of bytes are lost."""

    def cut(item: Tensor) -> Tensor:
        if bits_of(item) not in {8, 16} or not isinstance(item.data, bytes):
            return item
        kept = len(item.data) // 4 * 4
        return replace(item, data=item.data[:kept] + bytes(len(item.data) - kept))

    return changed(step.right(), cut)
