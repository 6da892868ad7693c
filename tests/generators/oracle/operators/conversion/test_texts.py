"""Numbers as texts and texts as numbers, for Cast."""

from __future__ import annotations

import pytest

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid, tensor_of, vector
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_ZERO, Real
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.operators.conversion.texts import decimal, shortest
from onnx_conformance.generators.oracle.registry import Call, compute


def _result(tensor: Tensor, target: str, **readings: str) -> list[object]:
    named = {name.replace("_", "-"): reading for name, reading in readings.items()}
    attributes = {"to": element_type(target).code}
    call = Call(13, attributes, {"input": tensor}, "Cast", readings=named)
    (result,) = compute(call)
    assert isinstance(result, Grid)
    return list(result.items)


def _of_texts(target: str, *texts: bytes, **readings: str) -> list[object]:
    return _result(Tensor("string", (len(texts),), texts), target, **readings)


def _as_texts(source: str, *items: Real, **readings: str) -> list[object]:
    return _result(tensor_of(vector(source, items)), "string", **readings)


@pytest.mark.parametrize(
    ("value", "count", "text"),
    [
        (Fraction(1, 3), 3, "0.333"),
        (Fraction(2, 3), 1, "0.7"),
        (Fraction(1234567), 3, "1230000.0"),
        (Fraction(999), 2, "1000.0"),
        (Fraction(1, 1000), 4, "0.001"),
        (Fraction(10), 1, "10.0"),
        (Fraction(10) ** 40, 2, "1" + "0" * 40 + ".0"),
        (Fraction(10) ** -40, 2, "0." + "0" * 39 + "1"),
    ],
)
def test_a_decimal_has_no_more_digits_than_asked_for(
    value: Fraction, count: int, text: str
) -> None:
    assert text == decimal(value, count)


def test_the_shortest_decimal_is_that_which_python_prints() -> None:
    assert "0.1" == shortest("float64", Fraction(0.1))
    assert "3.14" == shortest("float16", Fraction(3.140625))


def test_an_integer_becomes_its_digits() -> None:
    assert [b"-9223372036854775808", b"0"] == _as_texts("int64", -(2**63), 0)


def test_a_whole_float_ends_with_a_point_or_without() -> None:
    assert [AnyOf((b"-3", b"-3.0")), b"0.25"] == _as_texts("float32", Fraction(-3), Fraction(1, 4))


def test_a_great_float_has_no_exponent() -> None:
    assert [AnyOf((b"1" + b"0" * 10, b"1" + b"0" * 10 + b".0"))] == _as_texts(
        "float32", Fraction(10**10)
    )


def test_how_many_digits_a_long_number_has_is_asked() -> None:
    with pytest.raises(OpenError):
        _as_texts("float64", Fraction(0.1))
    assert [b"0.10000000000000001"] == _as_texts(
        "float64", Fraction(0.1), digits_of_a_text="seventeen"
    )


def test_bools_and_special_numbers_are_spelled_as_the_reading_says() -> None:
    assert [b"True", b"False"] == _as_texts("bool", *[True, False], spelling_of_bool="word")
    assert [b"INF", b"NaN"] == _as_texts("float32", INF, NAN, spelling_of_specials="reserved")


def test_texts_with_and_without_exponent_are_numbers() -> None:
    assert [Fraction(7, 2), Fraction(100), INF, NAN, NEG_ZERO] == _of_texts(
        "float32", b"3.5", b"1E2", b"+inf", b"nan", b"-0"
    )


def test_a_text_for_an_integer_does_not_pass_through_a_float() -> None:
    assert [2**53 + 1] == _of_texts("int64", b"9007199254740993")


def test_a_text_with_a_fraction_is_no_integer_or_loses_it() -> None:
    assert [-2] == _of_texts("int8", b"-2.7", float_text_to_integer="truncated")
    with pytest.raises(InvalidCallError):
        _of_texts("int8", b"-2.7", float_text_to_integer="rejected")


def test_a_text_of_no_number_may_be_refused() -> None:
    with pytest.raises(InvalidCallError):
        _of_texts("float32", b"Hello", text_of_no_number="rejected")


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        ("number", [False, True, False]),
        ("word", [False, True, False]),
        ("not-empty", [True, True, True]),
    ],
)
def test_a_text_as_a_bool(reading: str, expected: list[bool]) -> None:
    assert expected == _of_texts("bool", b"0", b"1", b"0.0", text_to_bool=reading)


def test_minus_infinity_in_lower_case_is_asked_about() -> None:
    with pytest.raises(OpenError):
        _of_texts("float32", b"-inf")
