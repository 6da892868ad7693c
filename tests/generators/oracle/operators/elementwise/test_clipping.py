"""The oracle of Clip: bounds that are absent, crossed, NaN or zero."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid, scalar, tensor_of, vector
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_ZERO, ZERO, Real
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import greatest
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _clipped(
    version: int,
    items: list[Real],
    bounds: dict[str, Real] | None = None,
    readings: dict[str, str] | None = None,
    type_name: str = "float32",
    **attributes: float,
) -> list[object]:
    inputs = {"input": tensor_of(vector(type_name, items))}
    for name, bound in (bounds or {}).items():
        inputs[name] = tensor_of(scalar(type_name, bound))
    call = Call(version, attributes, inputs, "Clip", readings=readings or {})
    (result,) = compute(call)
    assert isinstance(result, Grid)
    return list(result.items)


def test_elements_beyond_a_bound_become_it() -> None:
    bounds: dict[str, Real] = {"min": Fraction(-1), "max": Fraction(1)}
    assert _clipped(13, [Fraction(-2), Fraction(3)], bounds) == [Fraction(-1), Fraction(1)]


def test_the_zero_that_an_element_below_two_zeros_becomes_is_either() -> None:
    bounds: dict[str, Real] = {"min": NEG_ZERO, "max": ZERO}
    assert [AnyOf((NEG_ZERO, ZERO)), ZERO] == _clipped(13, [Fraction(-1), Fraction(1)], bounds)


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({"min": Fraction(-1), "max": Fraction(1)}, Fraction(-1)),
        ({"min": Fraction(2), "max": Fraction(1)}, Fraction(1)),
        ({"min": Fraction(2)}, Fraction(2)),
        ({"max": Fraction(1)}, Fraction(1)),
        ({"min": NAN, "max": Fraction(1)}, Fraction(1)),
    ],
)
def test_what_becomes_of_nan_is_open(bounds: dict[str, Real], expected: Real) -> None:
    with pytest.raises(OpenError, match="nan-element"):
        _clipped(13, [NAN], bounds)
    assert [NAN] == _clipped(13, [NAN], bounds, {"nan-element": "stays"})
    assert [expected] == _clipped(13, [NAN], bounds, {"nan-element": "bound"})


def test_nan_stays_where_no_number_is_a_bound() -> None:
    assert [NAN] == _clipped(13, [NAN])
    assert [NAN] == _clipped(13, [NAN], {"max": NAN})


def test_max_wins_over_a_greater_min() -> None:
    bounds: dict[str, Real] = {"min": 9, "max": 3}
    assert _clipped(13, [0, 7, 12], bounds, type_name="int8") == [3, 3, 3]


def test_before_version_13_crossed_bounds_are_open() -> None:
    with pytest.raises(OpenError, match="min-above-max"):
        _clipped(12, [0], {"min": 9, "max": 3}, type_name="int8")


def test_before_version_13_min_may_win() -> None:
    readings = {"min-above-max": "computed", "bound-that-wins": "min"}
    assert _clipped(12, [0], {"min": 9, "max": 3}, readings, "int8") == [9]


def test_a_zero_at_a_bound_of_zero_may_have_either_sign() -> None:
    assert _clipped(13, [NEG_ZERO], {"min": ZERO}) == [AnyOf((NEG_ZERO, ZERO))]


def test_a_bound_of_nan_is_open() -> None:
    ignored = _clipped(13, [Fraction(2)], {"min": NAN}, {"nan-bound": "ignored"})
    assert (ignored, _clipped(13, [Fraction(2)], {"min": NAN}, {"nan-bound": "propagates"})) == (
        [Fraction(2)],
        [NAN],
    )


def test_an_infinity_without_bound_may_become_the_greatest_number() -> None:
    readings = {"infinity-without-bound": "greatest-number"}
    assert _clipped(13, [INF], None, readings) == [greatest("float32")]


def test_an_attribute_is_rounded_to_the_elements_type() -> None:
    assert _clipped(6, [ZERO], type_name="float16", min=2049.0) == [Fraction(2048)]


def test_a_bound_of_rank_1_is_invalid() -> None:
    inputs = {
        "input": tensor_of(vector("float32", [ZERO])),
        "min": tensor_of(vector("float32", [ZERO])),
    }
    with pytest.raises(InvalidCallError, match="scalar"):
        compute(Call(13, {}, inputs, "Clip"))
