from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.attributes import (
    finite,
    float_type,
    named_type,
    number_type,
    word,
)
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.registry import Call


def with_attribute(value: float | str) -> Call:
    return Call(1, {"it": value}, {})


@pytest.mark.parametrize(("value", "number"), [(0.5, Fraction(1, 2)), (-0.0, Fraction(0))])
def test_a_finite_number_is_exact(value: float, number: Fraction) -> None:
    assert number == finite(with_attribute(value), "it")


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_another_number_is_invalid(value: float) -> None:
    with pytest.raises(InvalidCallError, match="it is no finite number"):
        finite(with_attribute(value), "it")


def test_a_word_is_one_of_those_that_are_listed() -> None:
    assert word(with_attribute("one"), "it", ("one", "two")) == "one"
    assert word(Call(1, {}, {}), "it", ("one", "two"), "two") == "two"
    with pytest.raises(InvalidCallError, match="it 'three' is none of one, two"):
        word(with_attribute("three"), "it", ("one", "two"))


def test_a_code_names_a_type() -> None:
    assert named_type(with_attribute(9), "it").name == "bool"
    with pytest.raises(InvalidCallError, match="999"):
        named_type(with_attribute(999), "it")


def test_a_code_of_floats() -> None:
    assert float_type(with_attribute(16), "it") == "bfloat16"
    with pytest.raises(InvalidCallError, match="it is int32"):
        float_type(with_attribute(6), "it")


@pytest.mark.parametrize(("code", "name"), [(1, "float32"), (3, "int8"), (13, "uint64")])
def test_a_code_of_numbers(code: int, name: str) -> None:
    assert name == number_type(with_attribute(code), "it")


@pytest.mark.parametrize("code", [8, 9, 14, 17, 22])
def test_a_code_of_anything_else_is_invalid(code: int) -> None:
    with pytest.raises(InvalidCallError, match="no output of type"):
        number_type(with_attribute(code), "it")
