"""The six sets of factors of dot products (`situations/data/dots.py`)."""

from __future__ import annotations

import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.oracle.arith.grid import grid_of
from onnx_conformance.generators.oracle.arith.numbers import fraction
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import greatest
from onnx_conformance.generators.situations.data.dots import DOT_SETS, dot_layout
from onnx_conformance.generators.situations.data.profiles import check_profile, profile_tensor

FLOATS = ["float16", "bfloat16", "float32", "float64"]
TERMS = 32


def row(profile: str, type_name: str = "float32", layout: str = "first0") -> list[Fraction]:
    grid = grid_of(profile_tensor(f"{layout}:{profile}", type_name, (TERMS,), "s"))
    return [fraction(item) for item in grid.items]  # type: ignore[arg-type]


def products(profile: str, type_name: str = "float32") -> list[Fraction]:
    seconds = row(profile, type_name, "second0")
    return [a * b for a, b in zip(row(profile, type_name), seconds, strict=True)]


@pytest.mark.parametrize("type_name", FLOATS)
def test_of_each_pair_of_set_0_one_is_zero_and_the_other_is_not(type_name: str) -> None:
    pairs = zip(row("dot0", type_name), row("dot0", type_name, "second0"), strict=True)
    assert [1] * TERMS == [(a != 0) + (b != 0) for a, b in pairs]


@pytest.mark.parametrize("type_name", FLOATS)
def test_terms_of_set_1_are_large_and_their_sum_is_finite(type_name: str) -> None:
    found = products("dot1", type_name)
    limit = greatest(type_name)
    assert sum(abs(item) for item in found) < limit
    assert min(abs(item) for item in found) > limit / (8 * TERMS)


@pytest.mark.parametrize("profile", ["dot2", "dot3"])
def test_the_first_term_is_larger_than_each_other(profile: str) -> None:
    first, *others = (abs(item) for item in products(profile))
    assert first > max(others) > 0


def test_the_first_term_of_set_3_is_256() -> None:
    assert Fraction(256) == abs(products("dot3")[0])


def test_terms_of_set_3_differ_by_powers() -> None:
    sizes = [abs(item) for item in row("dot3")[1:]]
    assert max(sizes) > 100 * min(sizes)


@pytest.mark.parametrize("type_name", FLOATS)
def test_set_4_has_one_product_that_is_not_zero_beside_large_factors(type_name: str) -> None:
    found = products("dot4", type_name)
    assert [Fraction(-1, 4)] == [item for item in found if item]
    assert Fraction(-1, 4) == found[TERMS // 2]
    assert max(abs(item) for item in row("dot4", type_name)) > 8


@pytest.mark.parametrize("type_name", FLOATS)
def test_terms_of_set_5_cancel(type_name: str) -> None:
    found = products("dot5", type_name)
    assert abs(sum(found)) < sum(abs(item) for item in found) / 2


def test_terms_lie_along_one_axis() -> None:
    layout = dot_layout("second0")
    assert layout is not None
    assert [0, 0, 1, 1, 2, 2] == list(layout.terms((3, 2)))
    assert 3 == layout.count((3, 2))


def test_terms_in_tiles_are_those_of_the_kernel() -> None:
    data, kernel = dot_layout("first1x2"), dot_layout("second1x2")
    assert data is not None
    assert kernel is not None
    assert [0, 1, 0, 1, 2, 3, 2, 3] == list(data.terms((1, 2, 4)))
    assert [0, 1, 2, 3] == list(kernel.terms((1, 2, 2)))
    assert data.count((1, 2, 4)) == kernel.count((1, 2, 2))


def test_the_first_factor_of_all_rows_is_zero_in_the_same_terms() -> None:
    tensor = profile_tensor("first1:dot0", "float32", (3, 8), "s")
    items = grid_of(tensor).items
    zero = [fraction(item) == 0 for item in items]  # type: ignore[arg-type]
    assert zero[:8] == zero[8:16] == zero[16:]


@pytest.mark.parametrize("profile", DOT_SETS)
def test_the_two_factors_have_other_numbers(profile: str) -> None:
    assert row(profile) != row(profile, layout="second0")


@pytest.mark.parametrize(
    "profile", ["first:dot0", "third0:dot0", "first1:dot6", "dot0", "first1x0:dot0"]
)
def test_a_factor_without_its_place_is_refused(profile: str) -> None:
    with pytest.raises(BadInputError, match="unknown"):
        check_profile(profile)


def test_an_axis_beyond_the_rank_is_refused() -> None:
    with pytest.raises(BadInputError, match=r"no factor 'first2' of a dot product"):
        profile_tensor("first2:dot1", "float32", (2, 3), "s")


def test_the_largest_factor_is_that_of_tosa() -> None:
    """Appendix A's table of B: 2^64 - 2^40 of float32, 255.875 of float16."""
    from onnx_conformance.generators.situations.data import dots

    assert Fraction(2**64 - 2**40) == dots.largest_factor("float32")
    assert Fraction(2047, 8) == dots.largest_factor("float16")
    assert Fraction(2**64 - 2**56) == dots.largest_factor("bfloat16")
