"""The oracle of Range: how many elements, integers to the last one, and roundings left open."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import Grid, scalar, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import INF, Number
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import round_to
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _range(name: str, *numbers: Number, **readings: str) -> Grid:
    values = zip(("start", "limit", "delta"), numbers, strict=True)
    inputs = {key: tensor_of(scalar(name, value)) for key, value in values}
    call = Call(11, {}, inputs, "Range", types={"T": name}, readings=readings)
    (found,) = compute(call)
    assert isinstance(found, Grid)
    return found


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((3, 9, 3), [3, 6]),
        ((10, 4, -2), [10, 8, 6]),
        ((1, 8, 3), [1, 4, 7]),
        ((2, 2, 1), []),
        ((1, 5, -1), []),
        ((2**62, 2**62 + 3, 1), [2**62, 2**62 + 1, 2**62 + 2]),
        ((-(2**63), 2**63 - 1, 2**62 + 1), [-(2**63), 1 - 2**62, 2, 2**62 + 3]),
    ],
)
def test_integers_are_as_exact_as_their_type(numbers: tuple[int, ...], expected: list[int]) -> None:
    assert expected == list(_range("int64", *numbers).items)


def test_a_number_of_elements_that_depends_on_roundings_is_open() -> None:
    """0.1 to 0.4 by 0.1 in float32: three times 0.1 exactly, and a bit more once it is rounded."""
    tenth, four = (round_to("float32", Fraction(number, 10)) for number in (1, 4))
    with pytest.raises(OpenError, match="number-of-elements"):
        _range("float32", tenth, four, tenth)
    question = "number-of-elements"
    counts = [
        len(_range("float32", tenth, four, tenth, **{question: way}).items)
        for way in ("exact", "difference-rounded", "rounded")
    ]
    assert [3, 4, 3] == counts


@pytest.mark.parametrize("numbers", [(1, 3, 0), (1, INF, 1), (0, Fraction(10) ** 9, 1)])
def test_a_range_without_end_is_refused(numbers: tuple[Number, ...]) -> None:
    with pytest.raises(InvalidCallError):
        _range("float32", *numbers)
