"""MatMulInteger and ConvInteger: sums of products of 8-bit integers without their zero points.

Source: their pages, Summary and Inputs, and that of Conv for the windows. A padded element is the
zero point, so that its product is 0, as ONNX's own example of ConvInteger has it. The sum is exact,
or what is left of it in 32 bits.
"""

from __future__ import annotations

from ...arith.grid import Grid, Shape, broadcast_to
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
    left = differences(one, _zeros(call, "a_zero_point", one.shape, -2))
    right = differences(other, _zeros(call, "b_zero_point", other.shape, -1))
    return (product_of(call, left, right),)


def _zeros(call: Call, name: str, shape: Shape, kept: int) -> Grid | None:
    """The zero point of each element, if there are any."""
    return spread_over(call.grid(name), shape, kept) if call.has(name) else None


def differences(data: Grid, zeros: Grid | None) -> Grid:
    """The data less the zero point of each element, where there are any."""
    items = data.items
    if zeros is not None:
        items = [item - zero for item, zero in zip(items, zeros.items, strict=True)]
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
    _check_single(call, call.optional_grid("x_zero_point"))
    image = differences(x, _zeros(call, "x_zero_point", x.shape, -1))
    zeros = call.optional_grid("w_zero_point")
    if zeros is not None:
        zeros = per_kernel(call, zeros, w.shape, _VECTOR_OF_ONE, "for-all")
    kernel = differences(w, zeros)
    items = [
        wrap(_RESULT, sum(value * weight for value, weight in zip(*factors, strict=True)))
        for _, factors, _ in products(placement, image, kernel)
    ]
    return (Grid(_RESULT, placement.shape, items),)


def _check_single(call: Call, zero_point: Grid | None) -> None:
    if zero_point is not None and zero_point.rank:
        if zero_point.shape != (1,):
            raise InvalidCallError(f"zero points of shape {list(zero_point.shape)} for x, not one")
        refuse_if_chosen(call, _VECTOR_OF_ONE, "for-all")


def per_kernel(call: Call, numbers: Grid, shape: Shape, question: str, otherwise: str) -> Grid:
    """Numbers over the kernels: one for all, or one for each output channel.

    Whether a vector of one is for all of several kernels is the question.
    """
    if numbers.shape == (1,) != shape[:1]:
        refuse_if_chosen(call, question, otherwise)
        numbers = numbers.reshaped(())
    if numbers.rank and numbers.shape != shape[:1]:
        raise InvalidCallError(f"shape {list(numbers.shape)} for {shape[0]} kernels")
    ones = (1,) * (len(shape) - 1) if numbers.rank else ()
    return broadcast_to(numbers.reshaped((*numbers.shape, *ones)), shape)
