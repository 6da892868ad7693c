"""The oracle of ScatterND: what an index names, reductions, and what is left open."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid, tensor_of, vector
from onnx_conformance.generators.oracle.arith.numbers import NAN, NEG_ZERO, Complex, Real
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute

ZERO = Fraction(0)


def _scattered(
    data: Grid,
    indices: tuple[tuple[int, ...], ...],
    updates: Grid,
    reduction: str = "none",
    version: int = 18,
) -> list[object]:
    depth = len(indices[0])
    flat = [number for row in indices for number in row]
    inputs = {
        "data": tensor_of(data),
        "indices": tensor_of(Grid("int64", (len(indices), depth), flat)),
        "updates": tensor_of(updates),
    }
    attributes = {} if reduction == "none" else {"reduction": reduction}
    (result,) = compute(Call(version, attributes, inputs, "ScatterND"))
    assert isinstance(result, Grid)
    return list(result.items)


def _both(first: Grid, second: Grid) -> Grid:
    return vector(first.type, (*first.items, *second.items))


def _numbers(*items: int) -> Grid:
    return vector("int64", items)


def test_an_index_names_a_slice_of_the_axes_behind_it() -> None:
    data = Grid("int64", (2, 3), range(6))
    assert [9, 8, 7, 3, 4, 5] == _scattered(data, ((0,),), Grid("int64", (1, 3), (9, 8, 7)))
    assert [0, 1, 2, 3, 4, 9] == _scattered(data, ((-1, -1),), _numbers(9))


@pytest.mark.parametrize(
    ("reduction", "expected"), [("add", 10), ("mul", 30), ("max", 5), ("min", 2)]
)
def test_updates_of_one_place_are_reduced_with_what_stands_there(
    reduction: str, expected: int
) -> None:
    found = _scattered(_numbers(1, 3), ((1,), (-1,)), _numbers(2, 5), reduction)
    assert [1, expected] == found


def test_an_index_that_occurs_twice_is_open_without_a_reduction() -> None:
    with pytest.raises(OpenError, match="repeated-index"):
        _scattered(_numbers(1, 3), ((1,), (1,)), _numbers(2, 5))


def test_the_greater_of_two_zeros_has_either_sign() -> None:
    def one(item: Real) -> Grid:
        return vector("float32", [item])

    assert [AnyOf((ZERO, NEG_ZERO))] == _scattered(one(ZERO), ((0,),), one(NEG_ZERO), "max")
    assert [NEG_ZERO] == _scattered(one(NEG_ZERO), ((0,),), one(NEG_ZERO), "max")


def test_the_greater_of_a_number_and_nan_is_open() -> None:
    with pytest.raises(OpenError, match="extreme-of-nan"):
        _scattered(vector("float32", [NAN]), ((0,),), vector("float32", [ZERO]), "max")


def test_each_part_of_complex_numbers_is_added() -> None:
    def one(real: int, imaginary: int) -> Grid:
        return vector("complex64", [Complex(Fraction(real), Fraction(imaginary))])

    found = _scattered(one(1, 2), ((0,), (0,)), _both(one(10, 20), one(3, 4)), "add")
    assert [Complex(Fraction(14), Fraction(26))] == found


@pytest.mark.parametrize(("version", "reduction"), [(13, "add"), (16, "max"), (18, "sub")])
def test_a_reduction_is_one_of_those_of_the_version(version: int, reduction: str) -> None:
    with pytest.raises(InvalidCallError, match="is none of none"):
        _scattered(_numbers(1), ((0,),), _numbers(2), reduction, version)


@pytest.mark.parametrize("index", [2, -3, 2**32])
def test_an_index_beyond_its_axis_is_invalid(index: int) -> None:
    with pytest.raises(InvalidCallError, match="outside"):
        _scattered(_numbers(1, 2), ((index,),), _numbers(3))


def test_updates_have_the_shape_that_indices_and_data_make() -> None:
    with pytest.raises(InvalidCallError, match="updates have shape"):
        _scattered(Grid("int64", (2, 3), range(6)), ((0,),), _numbers(9, 8, 7))
