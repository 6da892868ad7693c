"""Comparing values that come with limits: what is accepted, what is measured, what is said."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from bounded_values import bounded, coded, float32, in_order
from hypothesis import given
from hypothesis import strategies as st

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.comparing import SHAPE, TYPE, Comparison, compare, together
from onnx_conformance.core.values.floats import FLOAT_FORMATS
from onnx_conformance.core.values.tensors import Bounded, OptionalValue, SequenceValue, Tensor
from onnx_conformance.core.values.tolerance import LIMITS_KIND, Tolerance, pair

ONE = float32(1)
NOT_A_NUMBER, INFINITE, LARGEST = 0x7FC00000, 0x7F800000, 0x7F7FFFFF
RULES = {
    name: Tolerance(LIMITS_KIND, rtol=1e-3, atol=1e-7, profile=name)
    for name in ("ieee", "gpu", "onnx")
}
# 1 within two ulps, on a GPU within eight.
NEAR_ONE = bounded(
    "float32",
    [ONE],
    {"ieee": ([ONE - 2], [ONE + 2]), "gpu": ([ONE - 8], [ONE + 8])},
)


def held_against(got: int, profile: str = "ieee") -> Comparison:
    return compare(NEAR_ONE, coded("float32", [got]), RULES[profile])


# --- profiles -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("got", "accepted", "met"),
    [
        (ONE, {"ieee", "gpu", "onnx"}, "exact"),
        (ONE + 2, {"ieee", "gpu", "onnx"}, "ieee"),
        (ONE - 2, {"ieee", "gpu", "onnx"}, "ieee"),
        (ONE + 3, {"gpu", "onnx"}, "gpu"),
        (ONE - 8, {"gpu", "onnx"}, "gpu"),
        (ONE + 9, {"onnx"}, "onnx"),
        (float32(1.0009), {"onnx"}, "onnx"),
        (float32(1.01), set(), "none"),
        (NOT_A_NUMBER, set(), "none"),
        (INFINITE, set(), "none"),
        (float32(-1), set(), "none"),
    ],
)
def test_each_profile_accepts_its_own_and_the_tightest_is_named(
    got: int, accepted: set[str], met: str
) -> None:
    found = {name: held_against(got, name) for name in RULES}
    assert accepted == {name for name, item in found.items() if item.difference is None}
    assert {met} == {item.met for item in found.values()}


def test_onnx_accepts_what_gpu_accepts_even_beyond_the_pair() -> None:
    value = bounded("float32", [ONE], {"gpu": ([0], [float32(9)])})
    found = compare(value, coded("float32", [float32(2)]), RULES["onnx"])
    assert (None, "gpu") == (found.difference, found.met)


def test_without_ieee_limits_only_the_value_itself_is_accepted() -> None:
    value = bounded("float32", [ONE], {"gpu": ([ONE - 8], [ONE + 8])})
    found = compare(value, coded("float32", [ONE + 1]), RULES["ieee"])
    assert (True, "gpu") == (found.difference is not None, found.met)


def test_without_gpu_limits_those_of_ieee_count() -> None:
    value = bounded("float32", [ONE], {"ieee": ([ONE - 2], [ONE + 2])})
    accepted = [
        compare(value, coded("float32", [ONE + far]), RULES["gpu"]).difference is None
        for far in (2, 3)
    ]
    assert [True, False] == accepted


def test_limits_count_whatever_the_kind_of_the_tolerance() -> None:
    found = [
        compare(NEAR_ONE, coded("float32", [ONE + 3]), rule).difference is None
        for rule in (Tolerance(), pair(1e-3, 1e-7), Tolerance("ulp", ulps=10))
    ]
    assert [False, False, False] == found


def test_what_has_no_limits_is_exact_beside_what_has_some() -> None:
    found = [
        compare(coded("float32", [ONE]), coded("float32", [ONE + 1]), rule).difference is None
        for rule in RULES.values()
    ]
    assert [False, False, False] == found


# --- what is measured ---------------------------------------------------------------------------


def test_equal_bytes_use_nothing_and_meet_exact_without_numpy() -> None:
    program = (
        "import sys\n"
        "from onnx_conformance.core.values.comparing import compare\n"
        "from onnx_conformance.core.values.tensors import Bounded, Tensor\n"
        "one = Tensor('float32', (1,), bytes(4))\n"
        "found = compare(Bounded('float32', (1,), bytes(4), {'ieee': (one, one)}), one)\n"
        "assert 'numpy' not in sys.modules\n"
        "print(found.used, found.met, found.max_ulp)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "0.0 exact 0\n" == done.stdout


def test_the_used_fraction_is_the_largest_of_the_elements() -> None:
    codes = [ONE, ONE, ONE]
    value = bounded("float32", codes, {"ieee": ([ONE - 8] * 3, [ONE + 8] * 3)})
    found = compare(value, coded("float32", [ONE, ONE + 2, ONE - 4]), RULES["ieee"])
    assert (0.5, "ieee") == (found.used, found.met)


def test_the_used_fraction_is_that_of_the_profile() -> None:
    assert [1.0, 0.25] == [held_against(ONE + 2, name).used for name in ("ieee", "gpu")]


def test_under_onnx_the_wider_of_pair_and_limits_is_measured() -> None:
    used = held_against(ONE + 9, "onnx").used
    assert used == pytest.approx(9 * 2**-23 / (1e-7 + 1e-3))


def test_outside_the_used_fraction_is_above_one() -> None:
    assert held_against(ONE + 4).used == 2.0


def test_a_nan_out_of_place_has_no_used_fraction() -> None:
    assert held_against(NOT_A_NUMBER).used is None


def test_plain_tensors_have_neither_fraction_nor_profile() -> None:
    found = compare(coded("float32", [ONE]), coded("float32", [ONE]))
    assert (None, None) == (found.used, found.met)


def test_a_sequence_meets_what_its_worst_item_meets() -> None:
    wanted = SequenceValue((NEAR_ONE, NEAR_ONE))
    got = SequenceValue((coded("float32", [ONE + 5]), coded("float32", [ONE + 1])))
    found = compare(wanted, got, RULES["gpu"])
    assert (None, "gpu", 0.625) == (found.difference, found.met, found.used)


def test_the_value_in_an_optional_is_judged_by_its_limits() -> None:
    found = compare(OptionalValue(NEAR_ONE), coded("float32", [ONE + 2]), RULES["ieee"])
    assert (None, "ieee") == (found.difference, found.met)


def test_measured_together_nothing_is_nothing() -> None:
    assert Comparison() == together([])


# --- kinds of elements --------------------------------------------------------------------------


def test_each_part_of_a_complex_number_has_its_own_limits() -> None:
    def pairs(*values: float) -> Tensor:
        return Tensor("complex64", (len(values) // 2,), np.array(values, "f4").tobytes())

    value = Bounded("complex64", (1,), pairs(1, 2).data, {"ieee": (pairs(1, 1.5), pairs(1.5, 2))})
    tried = [pairs(1.25, 1.75), pairs(1, 2), pairs(0.9, 2), pairs(1, 2.1), pairs(2, 1)]
    found = [compare(value, got, RULES["ieee"]).difference is None for got in tried]
    assert [True, True, False, False, False] == found


def test_integers_have_limits_too() -> None:
    value = bounded("uint8", [7, 7], {"ieee": ([7, 6], [8, 7])})
    tried = ([8, 6], [7, 7], [9, 7], [7, 5], [6, 7])
    found = [compare(value, coded("uint8", got), RULES["ieee"]).difference is None for got in tried]
    assert [True, True, False, False, False] == found


@given(st.data())
def test_in_every_format_what_lies_within_passes_and_the_neighbour_outside_does_not(
    data: st.DataObject,
) -> None:
    small = [name for name, form in FLOAT_FORMATS.items() if form.width <= 8]
    name = data.draw(st.sampled_from(small))
    codes = in_order(name)
    low, middle, high = sorted(data.draw(st.tuples(*[st.integers(0, len(codes) - 1)] * 3)))
    value = bounded(name, [codes[middle]], {"ieee": ([codes[low]], [codes[high]])})
    got = data.draw(st.integers(0, len(codes) - 1))
    found = compare(value, coded(name, [codes[got]]), RULES["ieee"])
    assert (low <= got <= high) == (found.difference is None)


# --- limits that cannot be right ---------------------------------------------------------------


def test_limits_that_do_not_hold_the_expected_value_fail_nobody() -> None:
    value = bounded("float32", [ONE], {"ieee": ([ONE + 1], [ONE + 2])})
    with pytest.raises(BadInputError, match="the ieee limits do not hold the expected value"):
        compare(value, coded("float32", [ONE + 3]), RULES["ieee"])


# --- what is said -------------------------------------------------------------------------------


def test_type_and_shape_are_judged_before_limits() -> None:
    found = [
        compare(NEAR_ONE, got, RULES["ieee"]).difference
        for got in (coded("float64", [0]), coded("float32", [ONE, ONE]))
    ]
    assert [TYPE, SHAPE] == [item.aspect for item in found if item is not None]


def test_a_difference_names_the_limits_and_how_far_outside_it_is() -> None:
    difference = held_against(ONE + 5).difference
    assert difference is not None
    assert (
        "1.0",
        "1.0000006",
        "permitted 0.9999999 to 1.0000002, 3 ulps outside",
        3,
        ["0.9999999", "1.0000002"],
    ) == (
        difference.expected,
        difference.got,
        difference.permitted,
        difference.facts["ulps_outside"],
        difference.facts["permitted"],
    )


def test_one_ulp_outside_is_in_the_singular() -> None:
    difference = held_against(ONE - 3).difference
    assert difference is not None
    assert difference.permitted.endswith(", 1 ulp outside")


@pytest.mark.parametrize("got", [NOT_A_NUMBER, INFINITE, float32(-1)])
def test_nan_infinity_and_the_other_sign_are_no_number_of_ulps_outside(got: int) -> None:
    difference = held_against(got).difference
    assert difference is not None
    assert "permitted 0.9999999 to 1.0000002" == difference.permitted


def test_steps_beyond_a_limit_of_zero_are_counted() -> None:
    value = bounded("float32", [0], {"ieee": ([0], [ONE])})
    difference = compare(value, coded("float32", [0x80000003]), RULES["ieee"]).difference
    assert difference is not None
    assert 3 == difference.facts["ulps_outside"]


def test_the_sign_of_zero_alone_is_no_distance() -> None:
    value = bounded("float32", [0], {"ieee": ([0], [ONE])})
    difference = compare(value, coded("float32", [0x80000000]), RULES["ieee"]).difference
    assert difference is not None
    assert ("-0.0", "permitted 0.0 to 1.0") == (difference.got, difference.permitted)


def test_a_difference_under_onnx_names_the_pair_as_well() -> None:
    difference = held_against(float32(1.01), "onnx").difference
    assert difference is not None
    assert "permitted 0.9999995 to 1.000001, or atol 1e-07 + rtol 0.001" == difference.permitted


def test_the_greatest_number_outside_an_infinite_expectation_is_named() -> None:
    value = bounded("float32", [INFINITE], {"ieee": ([INFINITE], [INFINITE])})
    difference = compare(value, coded("float32", [LARGEST]), RULES["ieee"]).difference
    assert difference is not None
    assert "permitted inf to inf" == difference.permitted


def test_the_first_of_several_wrong_elements_is_named() -> None:
    value = bounded("float32", [ONE] * 3, {"ieee": ([ONE - 1, ONE, ONE], [ONE + 1, ONE, ONE])})
    got = coded("float32", [ONE + 1, ONE + 1, ONE + 2])
    difference = compare(value, got, RULES["ieee"]).difference
    assert difference is not None
    assert ("[1]", 2, 3) == (
        difference.place,
        difference.facts["differing"],
        difference.facts["elements"],
    )


def test_limits_of_both_infinities_accept_nan_and_one_of_them_does_not() -> None:
    whole = bounded("float32", [ONE], {"ieee": ([0xFF800000], [INFINITE])})
    half = bounded("float32", [ONE], {"ieee": ([0xFF7FFFFF], [INFINITE])})
    got = coded("float32", [NOT_A_NUMBER])
    found = [compare(expected, got, RULES["ieee"]) for expected in (whole, half)]
    assert [(True, 1.0, "ieee"), (False, None, "none")] == [
        (item.difference is None, item.used, item.met) for item in found
    ]
