from __future__ import annotations

import pytest

from onnx_conformance.core.values.elements import ELEMENT_TYPES, element_type
from onnx_conformance.core.values.floats import FLOAT_FORMATS
from onnx_conformance.generators.oracle.arith.numbers import (
    Complex,
    is_finite,
    is_infinite,
    is_nan,
    is_negative,
    is_zero,
)
from onnx_conformance.generators.oracle.arith.rounding import (
    decode,
    encode,
    greatest,
    least_normal,
    least_subnormal,
    limits,
)
from onnx_conformance.generators.situations.data.lattices import special_values

TYPES = [item.name for item in ELEMENT_TYPES if item.kind != "string"]
WIDE = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = [item.name for item in ELEMENT_TYPES if item.kind in {"int", "uint"}]
COMPLEX = ["complex64", "complex128"]


@pytest.mark.parametrize("name", TYPES)
def test_every_type_has_a_lattice_of_its_own_patterns_each_once(name: str) -> None:
    found = special_values(name)
    assert len(found) == len(set(found)) > 1
    assert all(0 <= item < 1 << max(element_type(name).bits, 1) for item in found)


@pytest.mark.parametrize("name", [name for name in TYPES if name != "float8e8m0"])
def test_zero_comes_first(name: str) -> None:
    assert 0 == special_values(name)[0]


@pytest.mark.parametrize("name", TYPES)
def test_there_is_no_nan_where_none_is_wanted(name: str) -> None:
    assert not any(is_nan(decode(name, item)) for item in special_values(name, nan=False))


@pytest.mark.parametrize("name", TYPES)
def test_all_is_finite_where_that_is_wanted(name: str) -> None:
    found = special_values(name, nan=False, infinity=False)
    assert all(is_finite(decode(name, item)) for item in found)


@pytest.mark.parametrize("name", TYPES)
def test_what_is_left_out_is_all_that_is_left_out(name: str) -> None:
    kept = set(special_values(name, nan=False, infinity=False))
    finite = {item for item in special_values(name) if is_finite(decode(name, item))}
    if name in COMPLEX:  # parts are paired anew
        assert len(kept) > 1
    else:
        assert finite == kept


@pytest.mark.parametrize("name", WIDE)
def test_a_wide_float_has_both_infinities_and_nans_of_both_signs(name: str) -> None:
    numbers = [(item, decode(name, item)) for item in special_values(name)]
    sign = 1 << element_type(name).bits - 1
    assert [False, True] == [is_negative(number) for _, number in numbers if is_infinite(number)]  # type: ignore[arg-type]
    assert [0, sign] == sorted(item & sign for item, number in numbers if is_nan(number))


@pytest.mark.parametrize("name", WIDE)
def test_a_wide_float_has_both_zeros_and_the_ends_of_its_numbers(name: str) -> None:
    numbers = [decode(name, item) for item in special_values(name)]
    assert 2 == sum(is_zero(item) for item in numbers)
    for end in (least_subnormal(name), least_normal(name), greatest(name)):
        assert end in numbers
        assert -end in numbers


@pytest.mark.parametrize("name", [name for name in FLOAT_FORMATS if name not in WIDE])
def test_a_narrow_float_has_all_its_patterns(name: str) -> None:
    assert set(range(1 << element_type(name).bits)) == set(special_values(name))


@pytest.mark.parametrize("name", INTEGERS)
def test_an_integer_has_both_ends_and_their_neighbours(name: str) -> None:
    low, high = limits(name)
    ends = [low, low + 1, high - 1, high]
    assert {encode(name, item) for item in ends} <= set(special_values(name))


@pytest.mark.parametrize("name", ["int64", "uint64"])
@pytest.mark.parametrize("power", [24, 31, 53, 62])
def test_a_wide_integer_has_the_neighbours_of_what_narrower_types_hold(
    name: str, power: int
) -> None:
    found = set(special_values(name))
    assert {2**power - 1, 2**power, 2**power + 1} <= found


@pytest.mark.parametrize("name", COMPLEX)
def test_the_parts_of_a_complex_number_go_through_the_lattice_of_floats(name: str) -> None:
    part = "float32" if name == "complex64" else "float64"
    half = element_type(part).bits
    found = special_values(name)
    assert set(special_values(part)) == {item & (1 << half) - 1 for item in found}
    assert set(special_values(part)) == {item >> half for item in found}


@pytest.mark.parametrize("name", COMPLEX)
def test_a_complex_lattice_holds_numbers_whose_parts_differ(name: str) -> None:
    numbers = [decode(name, item) for item in special_values(name)]
    assert any(isinstance(item, Complex) and item.re != item.im for item in numbers)
