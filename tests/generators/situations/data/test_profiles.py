from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import ELEMENT_TYPES, element_type
from onnx_conformance.core.values.tensors import check_tensor
from onnx_conformance.generators.oracle.arith.grid import grid_of
from onnx_conformance.generators.oracle.arith.numbers import (
    fraction,
    is_finite,
    is_nan,
    is_zero,
)
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import decode, encode
from onnx_conformance.generators.situations.data.lattices import special_values
from onnx_conformance.generators.situations.data.literals import tensor_of
from onnx_conformance.generators.situations.data.profiles import (
    CROSSED,
    PROFILES,
    own_shape,
    profile_tensor,
)
from onnx_conformance.generators.specs.model import Literal

if TYPE_CHECKING:
    from onnx_conformance.generators.oracle.arith.numbers import Number

TYPES = [item.name for item in ELEMENT_TYPES]
NUMBERS = [item.name for item in ELEMENT_TYPES if item.kind in {"float", "int", "uint"}]
FLOATS = ["float64", "float32", "float16", "bfloat16"]
INTEGERS = [item.name for item in ELEMENT_TYPES if item.kind in {"int", "uint"}]


def numbers(profile: str, type_name: str, count: int = 60, seed: str = "s") -> tuple[Number, ...]:
    return grid_of(profile_tensor(profile, type_name, (count,), seed)).items


def whole(profile: str, type_name: str, count: int = 60) -> list[Fraction]:
    return [fraction(item) for item in numbers(profile, type_name, count)]  # type: ignore[arg-type]


@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_fills_a_shape_of_any_type(profile: str, type_name: str) -> None:
    for shape in ((), (0,), (2, 3), (5, 7)):
        tensor = profile_tensor(profile, type_name, shape, "s")
        assert (type_name, shape) == (tensor.type, tensor.shape)
        check_tensor(tensor)


@pytest.mark.parametrize("profile", PROFILES)
def test_elements_follow_from_the_seed_alone(profile: str) -> None:
    first, again = (profile_tensor(profile, "float32", (4, 5), "s") for _ in range(2))
    assert first == again


@pytest.mark.parametrize("profile", ["any", "exact", "tame", "positive", "unit", "counts"])
def test_another_seed_gives_other_elements(profile: str) -> None:
    assert numbers(profile, "float32") != numbers(profile, "float32", seed="t")


@pytest.mark.parametrize("type_name", [name for name in TYPES if name != "string"])
def test_specials_go_through_the_lattice_in_order_again_and_again(type_name: str) -> None:
    lattice = special_values(type_name)
    found = numbers("specials", type_name, len(lattice) + 3)
    expected = [decode(type_name, (lattice * 3)[index]) for index in range(len(lattice) + 3)]
    assert repr(expected) == repr(list(found))


@pytest.mark.parametrize("type_name", NUMBERS)
def test_numbers_have_no_nan_and_finite_ones_no_infinity(type_name: str) -> None:
    assert not any(is_nan(item) for item in numbers("numbers", type_name, 300))
    assert all(is_finite(item) for item in numbers("finite", type_name, 300))


@pytest.mark.parametrize("type_name", [name for name in TYPES if name != "string"])
def test_nonzero_has_no_zero(type_name: str) -> None:
    assert not any(is_zero(item) for item in numbers("nonzero", type_name, 300))


@pytest.mark.parametrize("type_name", [name for name in NUMBERS if name != "float8e8m0"])
def test_exact_elements_are_small_whole_numbers(type_name: str) -> None:
    assert all(item.denominator == 1 and abs(item) <= 4 for item in whole("exact", type_name))


@pytest.mark.parametrize("type_name", FLOATS)
def test_no_sum_of_exact_elements_is_rounded_in_any_order(type_name: str) -> None:
    elements = whole("exact", type_name, 64)
    orders = [elements, elements[::-1], sorted(elements), sorted(elements, key=abs)]
    for order in orders:
        total = Fraction(0)
        for item in order:
            total += item
            assert total == decode(type_name, encode(type_name, total))


@pytest.mark.parametrize("type_name", FLOATS)
def test_no_dot_product_of_exact_elements_is_rounded(type_name: str) -> None:
    pairs = zip(whole("exact", type_name, 16), whole("exact", type_name, 16), strict=True)
    total = sum((one * other for one, other in pairs), Fraction(0))
    assert total == decode(type_name, encode(type_name, total))


@pytest.mark.parametrize("type_name", NUMBERS)
def test_distinct_elements_differ_as_far_as_the_type_goes(type_name: str) -> None:
    codes = 1 << element_type(type_name).bits
    count = min(60, len([i for i in range(min(codes, 256)) if is_finite(decode(type_name, i))]))
    tensor = profile_tensor("distinct", type_name, (count,), "s")
    unpacked = [encode(type_name, item) for item in grid_of(tensor).items]
    assert count == len(set(unpacked))


def test_distinct_elements_are_in_no_order() -> None:
    found = whole("distinct", "float32")
    assert found not in (sorted(found), sorted(found, reverse=True))


def test_distinct_complex_numbers_are_no_subnormal_ones() -> None:
    parts = [item.re for item in numbers("distinct", "complex64")]  # type: ignore[union-attr]
    assert all(abs(item) >= Fraction(1, 2) for item in parts)
    assert 60 == len(set(parts))


@pytest.mark.parametrize(
    ("profile", "low", "high"), [("tame", -4, 4), ("positive", Fraction(1, 8), 8), ("unit", -1, 1)]
)
@pytest.mark.parametrize("type_name", FLOATS)
def test_a_range_is_kept(profile: str, low: int, high: int, type_name: str) -> None:
    found = whole(profile, type_name, 500)
    assert all(low <= item <= high for item in found)
    assert max(found) - min(found) > (high - low) * Fraction(9, 10)


@pytest.mark.parametrize("type_name", NUMBERS)
def test_positive_numbers_are_above_zero_in_every_type(type_name: str) -> None:
    assert all(item > 0 for item in whole("positive", type_name, 500))


@pytest.mark.parametrize("type_name", [item.name for item in ELEMENT_TYPES if item.kind == "float"])
def test_fractions_are_above_zero_and_below_one_in_every_float(type_name: str) -> None:
    assert all(0 < item < 1 for item in whole("fraction", type_name, 2000))


@pytest.mark.parametrize("type_name", [n for n in NUMBERS if n not in {"float8e8m0", "int2"}])
def test_counts_are_0_to_3(type_name: str) -> None:
    assert {0, 1, 2, 3} == set(whole("counts", type_name))


def test_an_impulse_is_the_last_element() -> None:
    assert [0, 0, 1] == list(numbers("impulse", "float32", 3))


@pytest.mark.parametrize(("profile", "value"), [("zeros", 0), ("ones", 1)])
@pytest.mark.parametrize("type_name", [name for name in NUMBERS if name != "float8e8m0"])
def test_a_constant_is_one_value(profile: str, value: int, type_name: str) -> None:
    assert {value} == set(whole(profile, type_name))


def test_an_unknown_profile_is_an_error() -> None:
    with pytest.raises(BadInputError) as caught:
        profile_tensor("exakt", "float32", (2,), "s")
    assert f"unknown data profile 'exakt'; known are: {', '.join(PROFILES)}" == str(caught.value)


# --- by class of types, and shapes of their own ---


@pytest.mark.parametrize(
    ("type_name", "chosen"),
    [("float16", "ones"), ("complex64", "ones"), ("int8", "zeros"), ("bool", "zeros")],
)
def test_a_profile_may_differ_between_floats_and_others(type_name: str, chosen: str) -> None:
    expected = profile_tensor(chosen, type_name, (3,), "s")
    assert expected == profile_tensor("ones/zeros", type_name, (3,), "s")


@pytest.mark.parametrize("type_name", [name for name in TYPES if name != "string"])
def test_a_lattice_is_as_long_as_that_of_the_type(type_name: str) -> None:
    shape = own_shape("lattice:specials", type_name, (7, 7))
    assert (len(special_values(type_name)),) == shape


@pytest.mark.parametrize("profile", [None, "exact", "any"])
def test_other_profiles_take_the_shape_that_is_given(profile: str | None) -> None:
    assert (2, 3) == own_shape(profile, "float32", [2, 3])


@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize("layout", ["crossed0", "crossed1", "crossed2"])
def test_a_crossed_profile_is_a_square(layout: str, type_name: str) -> None:
    tensor = tensor_of(Literal((), None, profile=f"{layout}:specials"), type_name, "s")
    assert (CROSSED, CROSSED) == tensor.shape
    check_tensor(tensor)


@pytest.mark.parametrize("type_name", ["float32", "int64", "float8e4m3fn", "uint4", "bool"])
def test_every_value_of_one_crossed_input_meets_every_value_of_the_others(type_name: str) -> None:
    rows, columns, diagonals = (
        [repr(item) for item in grid_of(profile_tensor(f"{way}:numbers", type_name, (), "s")).items]
        for way in ("crossed0", "crossed1", "crossed2")
    )
    values = set(rows)
    assert values == set(columns) == set(diagonals)
    for one, other in ((rows, columns), (rows, diagonals), (columns, diagonals)):
        assert len(values) ** 2 == len(set(zip(one, other, strict=True)))


def test_a_crossed_lattice_of_narrow_floats_has_negative_numbers_too() -> None:
    items = grid_of(profile_tensor("crossed0:numbers", "float8e4m3fn", (), "s")).items
    assert {-1, 1} == {math.copysign(1, item) for item in items if not is_zero(item)}  # type: ignore[arg-type]


def test_a_row_of_the_first_crossed_input_is_one_value() -> None:
    items = grid_of(profile_tensor("crossed0:distinct", "float32", (), "s")).items
    rows = [items[at : at + CROSSED] for at in range(0, len(items), CROSSED)]
    assert all(one == other for row in rows for one, other in pairwise(row))
    assert CROSSED == len({row[0] for row in rows})


def test_ill_formed_strings_are_no_utf_8() -> None:
    for item in profile_tensor("ill_formed", "string", (6,), "s").data:
        assert isinstance(item, bytes)
        with pytest.raises(UnicodeDecodeError):
            item.decode()
