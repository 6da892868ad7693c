"""The oracle of Cast, where its tables differ between versions."""

from __future__ import annotations

import pytest

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of, vector
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF, NEG_ZERO, Real
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.registry import Call, compute


def _cast(
    version: int,
    items: list[Real],
    target: str,
    source: str = "float32",
    attributes: dict[str, int | str] | None = None,
    **readings: str,
) -> list[object]:
    given = {"to": element_type(target).code, "saturate": 1, **(attributes or {})}
    named = {name.replace("_", "-"): reading for name, reading in readings.items()}
    tensor = tensor_of(vector(source, items))
    call = Call(version, given, {"input": tensor}, "Cast", readings=named)
    (result,) = compute(call)
    assert isinstance(result, Grid)
    return list(result.items)


@pytest.mark.parametrize("target", ["float8e4m3fnuz", "float8e5m2fnuz"])
def test_before_version_24_an_infinity_is_nan_in_the_fnuz_types_or_their_end(target: str) -> None:
    items: list[Real] = [INF, NEG_INF]
    table = _cast(23, items, target, infinity_in_fnuz_before_24="not-a-number")
    upstream = _cast(23, items, target, infinity_in_fnuz_before_24="greatest")
    assert (table, upstream) == ([NAN, NAN], _cast(24, items, target))


def test_since_version_24_an_infinity_is_the_greatest_number_of_a_fnuz_type() -> None:
    assert _cast(24, [INF, NEG_INF], "float8e4m3fnuz") == [Fraction(240), Fraction(-240)]


def test_at_every_version_a_number_that_is_too_great_saturates() -> None:
    assert _cast(19, [Fraction(1000)], "float8e4m3fnuz") == [Fraction(240)]


def test_at_every_version_an_infinity_saturates_in_float8e5m2() -> None:
    assert _cast(19, [INF], "float8e5m2") == [Fraction(57344)]


def test_whether_what_is_rounded_to_the_greatest_power_is_beyond_the_range_is_open() -> None:
    nearest: dict[str, int | str] = {"saturate": 0, "round_mode": "nearest"}
    most, least = Fraction(2**127), Fraction(1, 2**127)
    items: list[Real] = [most * 5 / 4, most * 3 / 2, least * 7 / 8, least / 2]
    found = [
        _cast(25, items, "float8e8m0", "float64", nearest, e8m0_not_saturated=reading)
        for reading in ("value", "rounded")
    ]
    assert [[NAN] * 4, [most, NAN, least, NAN]] == found


def test_an_integer_loses_its_higher_bits() -> None:
    assert [-56, 127, 0] == _cast(13, [200, -129, 256], "int8", "int16")


def test_a_float64_is_rounded_once() -> None:
    assert [Fraction(1025, 1024)] == _cast(
        13, [1 + Fraction(1, 2**11) + Fraction(1, 2**40)], "float16", "float64"
    )


def test_the_sign_of_a_zero_is_no_truth() -> None:
    assert [False, False, True, True] == _cast(
        13, [NEG_ZERO, Fraction(0), NAN, Fraction(1, 2**149)], "bool"
    )


def test_without_saturation_a_number_beyond_float8_is_an_infinity_or_nan() -> None:
    off = {"saturate": 0}
    assert [INF, Fraction(57344)] == _cast(
        19, [Fraction(61440), Fraction(61439)], "float8e5m2", attributes=off
    )
    assert [NAN, Fraction(448)] == _cast(
        19, [Fraction(465), Fraction(464)], "float8e4m3fn", attributes=off
    )


@pytest.mark.parametrize(
    ("mode", "expected"), [("up", [2, 2, 1]), ("down", [1, 1, 1]), ("nearest", [1, 2, 1])]
)
def test_a_power_of_two_is_rounded_as_told(mode: str, expected: list[int]) -> None:
    items: list[Real] = [Fraction(5, 4), Fraction(3, 2), Fraction(1)]
    assert expected == _cast(24, items, "float8e8m0", attributes={"round_mode": mode})


def test_beyond_its_range_float8e8m0_saturates() -> None:
    ends = [Fraction(1, 2**127), Fraction(1, 2**127), Fraction(2**127)]
    assert ends == _cast(24, [Fraction(0), Fraction(1, 2**130), INF], "float8e8m0")


def test_beyond_its_range_float8e8m0_is_nan_without_saturation() -> None:
    off: dict[str, int | str] = {"saturate": 0, "round_mode": "nearest"}
    items: list[Real] = [Fraction(0), Fraction(13, 8) * 2**127, INF]
    assert [NAN, NAN, NAN] == _cast(24, items, "float8e8m0", attributes=off)


@pytest.mark.parametrize(
    ("reading", "expected"), [("value", [NAN, NAN]), ("rounded", [Fraction(2**127), NAN])]
)
def test_rounded_down_into_float8e8m0_either_value_counts(
    reading: str, expected: list[object]
) -> None:
    down: dict[str, int | str] = {"saturate": 0, "round_mode": "down"}
    items: list[Real] = [Fraction(3, 2) * 2**127, Fraction(2**128)]
    found = _cast(24, items, "float8e8m0", "float64", down, e8m0_not_saturated=reading)
    assert expected == found


@pytest.mark.parametrize(
    ("reading", "expected"),
    [("truncated", [0, -1, 2]), ("nearest-even", [0, -2, 2]), ("nearest-away", [1, -2, 3])],
)
def test_a_fraction_becomes_an_integer_as_the_reading_says(
    reading: str, expected: list[int]
) -> None:
    items: list[Real] = [Fraction(1, 2), Fraction(-3, 2), Fraction(5, 2)]
    assert expected == _cast(13, items, "int4", fraction_to_integer=reading)


@pytest.mark.parametrize(
    ("reading", "expected"),
    [("lower-bits", [44, 0, 0]), ("nearest-end", [255, 255, 255])],
)
def test_a_float_beyond_an_integer_is_undefined(reading: str, expected: list[int]) -> None:
    items: list[Real] = [Fraction(300), NAN, INF]
    assert expected == _cast(13, items, "uint8", float_beyond_integer=reading)


@pytest.mark.parametrize(("reading", "expected"), [("as-since-13", 44), ("nearest-end", 127)])
def test_before_version_13_nothing_is_said_of_ranges(reading: str, expected: int) -> None:
    assert [expected] == _cast(9, [300], "int8", "int16", out_of_range_before_13=reading)


def test_float4_has_its_end_for_an_infinity_and_no_rule_for_nan() -> None:
    assert [Fraction(6), Fraction(-6)] == _cast(23, [INF, NEG_INF], "float4e2m1")
    assert [NEG_ZERO] == _cast(23, [NAN], "float4e2m1", nan_without_code="minus-zero")


def test_a_complex_target_is_refused() -> None:
    with pytest.raises(InvalidCallError):
        _cast(13, [Fraction(1)], "complex64")


@pytest.mark.parametrize(("reading", "expected"), [("as-told", 1), ("dropped", 2)])
def test_the_body_of_cast_like_has_no_round_mode(reading: str, expected: int) -> None:
    inputs = {
        "input": tensor_of(vector("float32", [Fraction(3, 2)])),
        "target_type": tensor_of(vector("float8e8m0", [])),
    }
    readings = {"round-mode-of-the-body": reading}
    call = Call(25, {"round_mode": "down"}, inputs, "CastLike", readings=readings)
    (result,) = compute(call)
    assert isinstance(result, Grid)
    assert [expected] == list(result.items)
