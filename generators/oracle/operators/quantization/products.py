"""MatMulInteger and ConvInteger: sums of products of 8-bit integers without their zero points.

Source: their pages, Summary and Inputs, and that of Conv for the windows. A padded element is the
zero point, so that its product is 0, as ONNX's own example of ConvInteger has it. The sum is exact,
or what is left of it in 32 bits.
"""

from __future__ import annotations

from ...arith.grid import Grid, Shape, broadcast_to, indices
from ...arith.rounding import wrap
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..contraction.products import product_of
from ..windows.convolution import placement_of, products

_RESULT = "int32"
_VECTOR_OF_ONE = "vector-of-one-zero-point"


@oracle("MatMulInteger")
def matrix_product_of_integers(call: Call) -> Result:
    """The products of the matrices in the last two axes, less the zero points."""
    one, other = call.grid("A"), call.grid("B")
    left = _shifted(one, call.optional_grid("a_zero_point"), -2)
    right = _shifted(other, call.optional_grid("b_zero_point"), -1)
    return (product_of(call, left, right),)


def _shifted(data: Grid, zero_point: Grid | None, kept: int) -> Grid:
    """The data less its zero point: one for all, or one for each row (-2) or each column (-1)."""
    wide = Grid(_RESULT, data.shape, data.items)
    if zero_point is None:
        return wide
    spread = spread_over(zero_point, data.shape, kept)
    items = [item - zero for item, zero in zip(data.items, spread.items, strict=True)]
    return Grid(_RESULT, data.shape, items)


def spread_over(numbers: Grid, shape: Shape, kept: int) -> Grid:
    """Zero points or scales repeated over matrices of a shape.

    There is one for all, or one for each row (-2) or each column (-1), which is `kept`;
    InvalidCallError for another shape.
    """
    if numbers.rank == 1 and numbers.shape != (1,):
        if len(shape) != 2:
            raise InvalidCallError(f"a vector of {numbers.shape[0]} for data of rank {len(shape)}")
        numbers = numbers.reshaped((numbers.shape[0], 1) if kept == -2 else numbers.shape)
        if kept == -2 and numbers.shape[0] not in (1, shape[0]):
            raise InvalidCallError(f"{numbers.shape[0]} for {shape[0]} rows")
    elif numbers.rank > 1:
        expected = (*shape[:-1], 1) if kept == -2 else (*shape[:-2], 1, *shape[-1:])
        if len(shape) < 2 or numbers.shape != expected:
            raise InvalidCallError(f"shape {list(numbers.shape)}, not {list(expected)}")
    if numbers.shape == (1,):
        numbers = numbers.reshaped(())
    return broadcast_to(numbers, shape)


@oracle("ConvInteger")
def convolution_of_integers(call: Call) -> Result:
    """The sums of products of each window with each kernel, less the zero points."""
    x, w = call.grid("x"), call.grid("w")
    placement = placement_of(call, x.shape, w.shape)
    image = _shifted(x, _one(call, call.optional_grid("x_zero_point")), -1)
    kernel = _per_map(call, w, call.optional_grid("w_zero_point"))
    items = [
        wrap(_RESULT, sum(value * weight for value, weight in zip(*factors, strict=True)))
        for _, factors, _ in products(placement, image, kernel)
    ]
    return (Grid(_RESULT, placement.shape, items),)


def _one(call: Call, zero_point: Grid | None) -> Grid | None:
    if zero_point is not None and zero_point.rank:
        if zero_point.shape != (1,):
            raise InvalidCallError(f"zero points of shape {list(zero_point.shape)} for x, not one")
        refuse_if_chosen(call, _VECTOR_OF_ONE, "for-all")
    return zero_point


def _per_map(call: Call, w: Grid, zero_point: Grid | None) -> Grid:
    """The kernels less their zero points: one for all, or one for each output channel."""
    if zero_point is None or zero_point.shape in ((), (1,)):
        if zero_point is not None and zero_point.rank and w.shape[0] != 1:
            refuse_if_chosen(call, _VECTOR_OF_ONE, "for-all")
        return _shifted(w, zero_point, -1)
    if zero_point.shape != w.shape[:1]:
        raise InvalidCallError(f"zero points of shape {list(zero_point.shape)} for {w.shape[0]}")
    items = [
        item - zero_point.items[index[0]]
        for item, index in zip(w.items, indices(w.shape), strict=True)
    ]
    return Grid(_RESULT, w.shape, items)
