"""Which elements limits accept: at, inside and one step outside, in every format."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest
from bounded_values import bounded, coded, float32, in_order, real
from hypothesis import given
from hypothesis import strategies as st

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.describing import bit_patterns
from onnx_conformance.core.values.floats import FLOAT_FORMATS, is_nan
from onnx_conformance.core.values.limits import (
    between,
    check_limits,
    is_bounded,
    limit_values,
    limits_for,
    order,
    profiles_of,
    ranked,
    steps,
    used,
    with_limits,
)
from onnx_conformance.core.values.tensors import (
    Bounded,
    MapValue,
    OptionalValue,
    SequenceValue,
    Tensor,
)
from onnx_conformance.core.values.wire import to_wire

Array: TypeAlias = "np.ndarray[Any, Any]"
SMALL = [name for name, form in FLOAT_FORMATS.items() if form.width <= 8]
WIDE = [name for name, form in FLOAT_FORMATS.items() if form.width > 8]
ZERO, MINUS_ZERO = 0, 0x80000000
INFINITE, MINUS_INFINITE, NOT_A_NUMBER = 0x7F800000, 0xFF800000, 0x7FC00000
LARGEST, LEAST = 0x7F7FFFFF, 0x00000001
ONE = float32(1)


def within(expected: Array, got: Array, limits: list[Array], name: str) -> Array:
    return between(*(ranked(bits, name) for bits in (expected, got, *limits)))


def accepts(name: str, expected: int, got: int, low: int, high: int) -> bool:
    wanted, came, *limits = (
        bit_patterns(coded(name, [code])) for code in (expected, got, low, high)
    )
    return bool(within(wanted, came, limits, name)[0])


def share(name: str, expected: int, got: int, low: int, high: int) -> float:
    wanted, came, *limits = (
        bit_patterns(coded(name, [code])) for code in (expected, got, low, high)
    )
    return float(used(wanted, came, limits, name)[0])


# --- formats of at most 8 bits, whole ---------------------------------------------------------


@pytest.mark.parametrize("name", SMALL)
def test_order_is_that_of_the_real_numbers_with_neighbours_one_apart(name: str) -> None:
    codes = in_order(name)
    places = order(bit_patterns(coded(name, codes)), name)
    assert [1] * (len(codes) - 1) == np.diff(places).tolist()


@pytest.mark.parametrize("name", SMALL)
def test_limits_accept_what_lies_between_them_and_no_other_code(name: str) -> None:
    codes = in_order(name)
    every = np.arange(1 << FLOAT_FORMATS[name].width, dtype=np.uint8)
    for first in range(0, len(codes), 5):
        for last in range(first, len(codes), 7):
            ends = codes[(first + last) // 2], codes[first], codes[last]
            expected, low, high = (np.full_like(every, code) for code in ends)
            accepted = every[within(expected, every, [low, high], name)]
            assert set(codes[first : last + 1]) == set(accepted.tolist())


@pytest.mark.parametrize("name", [*SMALL, "float16", "bfloat16"])
def test_where_nan_is_expected_every_nan_and_nothing_else_is_accepted(name: str) -> None:
    form = FLOAT_FORMATS[name]
    codes = np.arange(1 << form.width, dtype=f"u{max(8, form.width) // 8}")
    missing = is_nan(codes, form)
    if missing.any():
        expected = np.full_like(codes, codes[missing][0])
        assert missing.tolist() == within(expected, codes, [expected, expected], name).tolist()


# --- wide formats, by what lies on either side of a limit --------------------------------------


@st.composite
def three_in_order(draw: st.DrawFn) -> tuple[str, int, int, int]:
    """A format, and three of its numbers in order."""
    name = draw(st.sampled_from(list(FLOAT_FORMATS)))
    top = (1 << FLOAT_FORMATS[name].width) - 1
    codes = draw(st.lists(st.integers(0, top), min_size=3, max_size=3))
    known = [(place, code) for code in codes if (place := real(name, code)) is not None]
    if len(known) < 3:
        known = [known[0]] * 3 if known else [(real(name, 1) or (0.0, 0), 1)] * 3
    low, expected, high = (code for _, code in sorted(known))
    return name, low, expected, high


def beyond(name: str, code: int, step: int) -> int | None:
    """The code of the next number up (1) or down (-1), or None behind the last."""
    form = FLOAT_FORMATS[name]
    candidates = [code + 1, code - 1, 0, 1 << form.magnitude_bits]
    here = real(name, code)
    assert here is not None
    places = [
        (place, other)
        for other in candidates
        if 0 <= other < 1 << form.width and (place := real(name, other)) is not None
    ]
    fitting = [item for item in places if (item[0] > here if step > 0 else item[0] < here)]
    if not fitting:
        return None
    return (min(fitting) if step > 0 else max(fitting))[1]


@given(three_in_order())
def test_both_limits_and_the_expected_value_are_accepted(case: tuple[str, int, int, int]) -> None:
    name, low, expected, high = case
    assert all(accepts(name, expected, code, low, high) for code in (low, expected, high))


@given(three_in_order())
def test_the_next_number_outside_either_limit_is_not_accepted(
    case: tuple[str, int, int, int],
) -> None:
    name, low, expected, high = case
    outside = [code for code in (beyond(name, low, -1), beyond(name, high, 1)) if code is not None]
    assert not any(accepts(name, expected, code, low, high) for code in outside)


@given(three_in_order())
def test_what_is_accepted_uses_at_most_the_whole_bound(case: tuple[str, int, int, int]) -> None:
    name, low, expected, high = case
    assert all(0 <= share(name, expected, code, low, high) <= 1 for code in (low, expected, high))


@given(three_in_order())
def test_the_next_number_outside_uses_no_less_than_the_whole_bound(
    case: tuple[str, int, int, int],
) -> None:
    name, low, expected, high = case
    zeros = {0, 1 << FLOAT_FORMATS[name].magnitude_bits}
    for limit, step in ((low, -1), (high, 1)):
        code = beyond(name, limit, step)
        # Two zeros are at no distance; and next to a great number the last step may round away.
        if code is not None and not {code, limit, expected} <= zeros:
            assert share(name, expected, code, low, high) >= 1


@pytest.mark.parametrize("name", FLOAT_FORMATS)
def test_a_nan_is_never_within_limits_that_are_numbers(name: str) -> None:
    form = FLOAT_FORMATS[name]
    tried = {(1 << form.width) - 1, 1 << (form.width - 1)}
    assert not any(accepts(name, 1, code, 0, 2) for code in tried if real(name, code) is None)


def readme_key(name: str, code: int) -> int:
    """`key` of vectors/README.md, word for word."""
    form = FLOAT_FORMATS[name]
    n = code & ((1 << form.magnitude_bits) - 1)
    return -1 - n if form.signed and code >> form.magnitude_bits else n


def readme_accepted(name: str, expected: int, got: int, low: int, high: int) -> bool:
    """`accepted` of vectors/README.md, word for word."""
    if real(name, expected) is None:
        return real(name, got) is None
    if real(name, got) is None:
        return False
    return readme_key(name, low) <= readme_key(name, got) <= readme_key(name, high)


@given(three_in_order(), st.integers(0, 2**64 - 1))
def test_a_judge_written_from_the_readme_says_the_same(
    case: tuple[str, int, int, int], got: int
) -> None:
    name, low, expected, high = case
    got %= 1 << FLOAT_FORMATS[name].width
    assert readme_accepted(name, expected, got, low, high) == accepts(
        name, expected, got, low, high
    )


@pytest.mark.parametrize("name", SMALL)
def test_a_judge_written_from_the_readme_says_the_same_of_every_code(name: str) -> None:
    codes = in_order(name)
    low, expected, high = codes[1], codes[len(codes) // 2], codes[-2]
    every = range(1 << FLOAT_FORMATS[name].width)
    assert [readme_accepted(name, expected, got, low, high) for got in every] == [
        accepts(name, expected, got, low, high) for got in every
    ]


# --- zeros, infinities and NaN -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "accepted"),
    [
        (MINUS_ZERO, ZERO, {MINUS_ZERO, ZERO}),
        (ZERO, ZERO, {ZERO}),
        (MINUS_ZERO, MINUS_ZERO, {MINUS_ZERO}),
        (ZERO, ONE, {ZERO, LEAST, ONE}),
        (float32(-1), MINUS_ZERO, {float32(-1), MINUS_ZERO}),
        (float32(-1), ONE, {float32(-1), MINUS_ZERO, ZERO, LEAST, ONE}),
    ],
)
def test_negative_zero_comes_before_zero(low: int, high: int, accepted: set[int]) -> None:
    tried = {MINUS_ZERO, ZERO, LEAST, ONE, float32(-1), INFINITE, NOT_A_NUMBER}
    assert accepted == {code for code in tried if accepts("float32", low, code, low, high)}


def test_an_infinite_limit_accepts_the_infinity_and_all_below() -> None:
    tried = (float32(9), LARGEST, INFINITE, MINUS_INFINITE, NOT_A_NUMBER)
    found = [accepts("float32", LARGEST, code, float32(10), INFINITE) for code in tried]
    assert [False, True, True, False, False] == found


def test_the_greatest_finite_limit_does_not_accept_infinity() -> None:
    assert not accepts("float32", LARGEST, INFINITE, float32(1), LARGEST)


def test_limits_that_are_nan_where_a_number_is_expected_accept_nothing() -> None:
    tried = (ONE, NOT_A_NUMBER, ZERO)
    found = [accepts("float32", ONE, code, NOT_A_NUMBER, NOT_A_NUMBER) for code in tried]
    assert [False, False, False] == found


# --- integers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["int8", "int4", "int2", "int64"])
def test_negative_integers_come_before_positive_ones(name: str) -> None:
    lowest = 1 << {"int8": 7, "int4": 3, "int2": 1, "int64": 63}[name]
    assert (True, False) == (
        accepts(name, 0, lowest, lowest, 0),
        accepts(name, 0, 1, lowest, 0),
    )


def test_unsigned_integers_have_no_sign() -> None:
    top = 2**64 - 1
    assert (True, False) == (
        accepts("uint64", top, top, top - 1, top),
        accepts("uint64", top, top - 2, top - 1, top),
    )


# --- how much of the bound is used, and how far apart --------------------------------------------


def test_the_used_fraction_is_measured_on_the_side_on_which_the_element_lies() -> None:
    low, high = float32(0), float32(3)
    assert [0.5, 0.25] == [
        share("float32", ONE, float32(0.5), low, high),
        share("float32", ONE, float32(1.5), low, high),
    ]


def test_zeros_of_either_sign_are_at_no_distance() -> None:
    assert share("float32", ZERO, MINUS_ZERO, MINUS_ZERO, ONE) == 0


def test_steps_are_counted_where_a_limit_is_infinite() -> None:
    assert share("float32", LARGEST - 1, LARGEST, ONE, INFINITE) == 0.5


def test_the_infinity_itself_uses_the_whole_of_an_infinite_limit() -> None:
    assert share("float32", LARGEST, INFINITE, ONE, INFINITE) == 1


def test_a_nan_where_a_number_was_due_is_infinitely_far() -> None:
    assert share("float32", ONE, NOT_A_NUMBER, ZERO, INFINITE) == float("inf")


def test_what_differs_where_nothing_may_is_infinitely_far() -> None:
    assert share("float32", ONE, ONE + 1, ONE, ONE) == float("inf")


def test_large_integers_are_measured_exactly() -> None:
    assert share("int64", 2**62, 2**62 + 1, 2**62, 2**62 + 4) == 0.25


def test_steps_are_exact_over_the_whole_range() -> None:
    lowest, highest = np.array([0xFFF0000000000000], "u8"), np.array([0x7FF0000000000000], "u8")
    assert 2 * 0x7FF0000000000000 + 1 == int(steps(lowest, highest, "float64")[0])


# --- whole values -------------------------------------------------------------------------------


def simple() -> Bounded:
    return bounded("float32", [ONE], {"ieee": ([ONE - 1], [ONE + 1])})


def test_a_bounded_value_equals_the_plain_tensor_both_ways() -> None:
    plain = coded("float32", [ONE])
    assert (True, True, 1) == (simple() == plain, plain == simple(), len({simple(), plain}))


def test_limits_are_no_part_of_equality() -> None:
    assert simple() == bounded("float32", [ONE], {})


def test_bounded_values_of_different_elements_differ() -> None:
    assert simple() != bounded("float32", [ONE + 1], {"ieee": ([ONE - 1], [ONE + 1])})


def test_a_bounded_value_is_no_other_thing() -> None:
    assert simple() != "float32"


def test_the_wire_carries_the_nearest_values() -> None:
    assert to_wire(coded("float32", [ONE])) == to_wire(simple())


def test_gpu_without_limits_of_its_own_has_those_of_ieee() -> None:
    assert limits_for(simple(), "ieee") == limits_for(simple(), "gpu")


def test_ieee_without_limits_accepts_the_value_itself() -> None:
    value = bounded("float32", [ONE], {"gpu": ([ONE - 2], [ONE + 2])})
    assert (value, value) == limits_for(value, "ieee")


def test_onnx_starts_from_the_limits_of_gpu() -> None:
    value = bounded("float32", [ONE], {"gpu": ([ONE - 2], [ONE + 2])})
    assert value.limits["gpu"] == limits_for(value, "onnx")


STRUCTURES = [
    lambda item: item,
    lambda item: SequenceValue((item, item)),
    OptionalValue,
    lambda item: MapValue(coded("int64", [7]), (item,)),
    lambda item: SequenceValue((OptionalValue(item),)),
]


@pytest.mark.parametrize("build", STRUCTURES)
def test_limits_of_any_structure_come_back_as_they_were_given(build) -> None:  # noqa: ANN001  one of the functions above
    low, high = coded("float32", [ONE - 1]), coded("float32", [ONE + 1])
    value = with_limits(build(coded("float32", [ONE])), {"ieee": (build(low), build(high))})
    assert (build(low), build(high)) == limit_values(value, "ieee")
    assert (("ieee",), True) == (profiles_of(value), is_bounded(value))


@pytest.mark.parametrize("build", STRUCTURES)
def test_a_value_without_limits_has_no_profiles(build) -> None:  # noqa: ANN001  one of the functions above
    value = build(coded("float32", [ONE]))
    assert ((), False) == (profiles_of(value), is_bounded(value))


@pytest.mark.parametrize(
    ("value", "limit"),
    [
        (coded("float32", [ONE]), coded("float64", [ONE])),
        (coded("float32", [ONE]), coded("float32", [ONE, ONE])),
        (coded("float32", [ONE]), SequenceValue(())),
        (SequenceValue((coded("float32", [ONE]),)), SequenceValue(())),
        (SequenceValue((coded("float32", [ONE]),)), SequenceValue((coded("int8", [1]),))),
    ],
)
def test_a_limit_of_another_kind_type_or_shape_is_refused(value, limit) -> None:  # noqa: ANN001  values of any kind
    with pytest.raises(BadInputError, match="which is no limit of"):
        with_limits(value, {"ieee": (limit, limit)})


def test_strings_have_no_limits() -> None:
    text = Tensor("string", (1,), (b"a",))
    with pytest.raises(BadInputError, match="strings have no limits"):
        with_limits(text, {"ieee": (text, text)})


@pytest.mark.parametrize(
    ("codes", "limits", "message"),
    [
        ([ONE], {"ieee": ([ONE + 1], [ONE + 2])}, "the ieee limits do not hold the expected value"),
        ([ONE], {"ieee": ([ONE - 2], [ONE - 1])}, "the ieee limits do not hold the expected value"),
        ([ONE], {"ieee": ([NOT_A_NUMBER], [ONE])}, "the ieee limits"),
        ([NOT_A_NUMBER], {"ieee": ([ZERO], [ONE])}, "the ieee limits"),
        ([ZERO, ZERO], {"ieee": ([ZERO, ZERO], [ZERO, MINUS_ZERO])}, "at element 1"),
        (
            [ONE],
            {"ieee": ([ONE - 2], [ONE + 2]), "gpu": ([ONE - 1], [ONE + 3])},
            "the gpu limits do not hold",
        ),
        ([ONE], {"fast": ([ONE], [ONE])}, "unknown profile 'fast'"),
    ],
)
def test_limits_that_contradict_the_value_or_each_other_are_refused(
    codes: list[int], limits: dict[str, tuple[list[int], list[int]]], message: str
) -> None:
    with pytest.raises(BadInputError, match=message):
        check_limits(SequenceValue((bounded("float32", codes, limits),)))


def test_limits_around_numbers_infinities_and_nan_are_fine() -> None:
    codes = [ONE, INFINITE, NOT_A_NUMBER, MINUS_ZERO]
    low, high = [ONE - 1, LARGEST, NOT_A_NUMBER, MINUS_ZERO], [ONE, INFINITE, 0xFFC00000, ZERO]
    check_limits(bounded("float32", codes, {"ieee": (low, high), "gpu": (low, high)}))
