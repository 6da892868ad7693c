"""What an element may be: the rules, and their limits as tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.accuracy.bounds import (
    dot_bound,
    enclosed,
    enclosed_all,
    function_value,
    power_value,
    rounded,
    rounded_sqrt,
    within_ulps,
)
from onnx_conformance.generators.oracle.accuracy.factors import product_bound
from onnx_conformance.generators.oracle.accuracy.limits import (
    accepts,
    alternatives_of,
    ends_of,
    limits_of,
    misfits,
)
from onnx_conformance.generators.oracle.accuracy.profiles import GPU, IEEE
from onnx_conformance.generators.oracle.arith import numbers
from onnx_conformance.generators.oracle.arith.elementary import Enclosure
from onnx_conformance.generators.oracle.arith.grid import AnyOf, Enclosed, Item, scalar, vector
from onnx_conformance.generators.oracle.arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ONE,
    ZERO,
    Number,
    Real,
    fraction,
    from_float,
)
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import (
    greatest,
    least_normal,
    least_subnormal,
    round_to,
    ulp,
)

if TYPE_CHECKING:
    from onnx_conformance.generators.oracle.accuracy.steps import Steps
    from onnx_conformance.generators.oracle.arith.intervals import Interval

THIRD = Fraction(1, 3)
FLOAT32 = st.floats(width=32)


def steps_off(name: str, x: Fraction, count: int) -> Fraction:
    """The number of a type that is so many steps from the nearest one to x."""
    nearest = fraction(round_to(name, x))  # type: ignore[arg-type]  # finite
    return nearest + count * ulp(name, nearest)


def float32(*values: float) -> Tensor:
    return Tensor("float32", (len(values),), np.array(values, np.float32).tobytes())


class TestRounded:
    """Operations that IEEE 754 rounds once."""

    @given(FLOAT32, FLOAT32)
    def test_the_result_is_numpys_alone(self, x: float, y: float) -> None:
        for name, function in (("add", np.add), ("mul", np.multiply), ("div", np.divide)):
            item = rounded(
                "float32", getattr(numbers, name), from_float(x), from_float(y), step=name
            )
            with np.errstate(all="ignore"):
                expected = from_float(float(function(np.float32(x), np.float32(y))))
            assert (expected, expected) == ends_of("float32", item, IEEE)

    def test_an_exact_result_is_a_number(self) -> None:
        assert Fraction(3) == rounded("float32", numbers.add, ONE, Fraction(2))
        assert NAN is rounded("float32", numbers.add, INF, NEG_INF)
        assert INF is rounded("float32", numbers.div, ONE, ZERO, step="div")

    def test_division_and_square_root_may_be_off_on_a_gpu(self) -> None:
        quotient = rounded("float32", numbers.div, ONE, Fraction(3), step="div")
        root = rounded_sqrt("float32", Fraction(2))
        for item, exact, off in ((quotient, THIRD, 2), (root, Fraction(2**0.5), 3)):
            for count in range(-4, 5):
                got = steps_off("float32", exact, count)
                assert (count == 0) == accepts("float32", item, got, IEEE)
                # 2.5 ulp reach the second or the third neighbour, as the exact value lies.
                if abs(count) != off:
                    assert (abs(count) < off) == accepts("float32", item, got, GPU)

    def test_double_is_correctly_rounded_on_a_gpu_too(self) -> None:
        assert round_to("float64", THIRD) == rounded(
            "float64", numbers.div, ONE, Fraction(3), step="div"
        )

    def test_a_gpu_may_flush_a_subnormal_result(self) -> None:
        item = rounded("float32", numbers.mul, Fraction(1, 2**70), -Fraction(1, 2**70))
        tiny = -Fraction(1, 2**140)
        accepted = [tiny, NEG_ZERO, ZERO]
        assert [True, False, False] == [accepts("float32", item, x, IEEE) for x in accepted]
        assert [True, True, True] == [accepts("float32", item, x, GPU) for x in accepted]

    def test_a_gpu_may_flush_a_subnormal_input(self) -> None:
        item = rounded("float32", numbers.mul, Fraction(1, 2**130), Fraction(2**100))
        assert accepts("float32", item, ZERO, GPU)
        assert not accepts("float32", item, ZERO, IEEE)


class TestFunctions:
    """Elementary functions: OpenCL's ulps."""

    @pytest.mark.parametrize("count", range(-6, 7))
    def test_exp_may_be_four_ulps_off(self, count: int) -> None:
        item = function_value("exp", "float32", ONE)
        exact = Fraction(2.718281828459045)
        got = steps_off("float32", exact, count)
        expected = abs(got - exact) <= 4 * ulp("float32", exact)
        assert expected == accepts("float32", item, got, IEEE)

    def test_the_value_is_the_nearest(self) -> None:
        item = function_value("exp", "float32", ONE)
        assert isinstance(item, Enclosed)
        assert from_float(float(np.float32(2.718281828459045))) == round_to("float32", item.value)

    def test_exact_cases_are_exact(self) -> None:
        assert [ONE, NEG_ZERO, NEG_INF, NAN, INF] == [
            function_value(function, "float32", x)
            for function, x in (
                ("exp", ZERO), ("sin", NEG_ZERO), ("log", ZERO), ("acos", Fraction(2)), ("exp", INF)
            )
        ]  # fmt: skip

    def test_overflow_is_permitted_where_an_error_reaches_it(self) -> None:
        largest = greatest("float32")
        item = within_ulps("float32", largest, 3)
        assert [largest - 3 * ulp("float32", largest), INF] == list(ends_of("float32", item, IEEE))
        assert not accepts("float32", function_value("exp", "float32", Fraction(88)), INF)

    def test_tanh_has_the_floor_of_half_an_ulp_of_one(self) -> None:
        x = Fraction(1, 2**20)
        item = function_value("tanh", "float32", x)
        assert accepts("float32", item, x + Fraction(1, 2**25))
        assert not accepts("float32", item, x + Fraction(1, 2**23))

    def test_a_gpu_may_take_a_subnormal_input_for_zero(self) -> None:
        item = function_value("log", "float32", Fraction(1, 2**140))
        assert accepts("float32", item, NEG_INF, GPU)
        assert not accepts("float32", item, NEG_INF, IEEE)

    def test_powers(self) -> None:
        item = power_value("float32", Fraction(-3), Fraction(3))
        assert accepts("float32", item, Fraction(-27))
        assert accepts("float32", item, Fraction(-27) + 17 * ulp("float32", Fraction(27)))
        assert not accepts("float32", item, Fraction(-27) + 18 * ulp("float32", Fraction(27)))
        assert ONE == power_value("float32", NAN, ZERO)
        assert NAN is power_value("float32", -ONE, Fraction(1, 2))


class TestWithinUlps:
    """An exact value and a number of ulps."""

    def test_limits_are_the_outermost_numbers_within(self) -> None:
        item = within_ulps("float16", THIRD, 2, gpu=3)
        step = ulp("float16", THIRD)
        nearest = fraction(round_to("float16", THIRD))  # type: ignore[arg-type]
        for profile, limit in ((IEEE, 2), (GPU, 3)):
            low, high = (fraction(end) for end in ends_of("float16", item, profile))  # type: ignore[arg-type]
            assert THIRD - limit * step <= low < THIRD - (limit - 1) * step
            assert THIRD + (limit - 1) * step < high <= THIRD + limit * step
            assert low < nearest < high

    def test_an_enclosure_is_as_good_as_the_value(self) -> None:
        tiny = Fraction(1, 2**100)
        one = within_ulps("float32", Enclosure(THIRD - tiny, THIRD + tiny), 2)
        assert ends_of("float32", within_ulps("float32", THIRD, 2), IEEE) == ends_of(
            "float32", one, IEEE
        )

    def test_a_floor_is_absolute(self) -> None:
        item = within_ulps("float32", Fraction(1, 1000), 1, floor=Fraction(1, 8))
        assert accepts("float32", item, Fraction(-1, 10))
        assert not accepts("float32", item, Fraction(1, 7))

    def test_what_is_no_number_is_exact(self) -> None:
        assert [NAN, INF] == [within_ulps("float32", x, 9) for x in (NAN, INF)]


class TestSums:
    """Sums and sums of products."""

    def test_zeros_sum_to_zero(self) -> None:
        item = dot_bound("float32", ZERO, ZERO, 100)
        assert (NEG_ZERO, ZERO) == ends_of("float32", item, IEEE) == ends_of("float32", item, GPU)

    def test_one_term_is_rounded_once(self) -> None:
        item = dot_bound("float32", THIRD, THIRD, 1)
        nearest = round_to("float32", THIRD)
        assert (nearest, nearest) == ends_of("float32", item, IEEE)

    @pytest.mark.parametrize("count", [4, 64, 4096])
    def test_a_cancelling_sum_is_held_to_its_terms(self, count: int) -> None:
        magnitude = Fraction(1000)
        item = dot_bound("float32", Fraction(1, 10**9), magnitude, count)
        unit = magnitude / 2**24
        assert accepts("float32", item, round_to("float32", count * unit))
        assert not accepts("float32", item, round_to("float32", (count + 4) * unit))

    def test_float16_is_summed_in_float32_but_on_a_gpu(self) -> None:
        item = dot_bound("float16", Fraction(100), Fraction(100), 100)
        off = Fraction(101)
        assert [False, True] == [accepts("float16", item, off, p) for p in (IEEE, GPU)]
        own = dot_bound("float16", Fraction(100), Fraction(100), 100, kept_in="float16")
        assert accepts("float16", own, off, IEEE)

    def test_a_partial_sum_may_overflow(self) -> None:
        big = greatest("float32")
        item = dot_bound("float32", Fraction(0), 2 * big, 2)
        assert (NEG_INF, INF) == ends_of("float32", item, IEEE)

    @given(st.lists(st.floats(-1e3, 1e3, width=32), min_size=1, max_size=50), st.randoms())
    def test_no_order_is_outside(self, values: list[float], order: Any) -> None:  # noqa: ANN401  a random.Random
        terms = [Fraction(value) for value in values]
        item = dot_bound("float32", sum(terms), sum(map(abs, terms)), len(terms))  # type: ignore[arg-type]
        order.shuffle(values)
        total = np.float32(0)
        for value in values:
            total = np.float32(total + np.float32(value))
        got = from_float(float(total))
        assert got == 0 or accepts("float32", item, got)

    def test_products_have_an_error_for_each_factor(self) -> None:
        exact = THIRD**5
        item = product_bound("float32", exact, 5)
        relative = Fraction(1, 2**24)
        assert accepts("float32", item, round_to("float32", exact * (1 + 5 * relative)))
        assert not accepts("float32", item, round_to("float32", exact * (1 + 8 * relative)))


def one_plus_erf(s: Steps, x: Interval) -> Interval:
    return s.add(1, s.erf(x))


class TestFormulas:
    """Composite functions, compared with their formula."""

    def test_a_cancellation_of_the_formula_is_permitted(self) -> None:
        item = enclosed("float32", one_plus_erf, Fraction(-5))
        # 1.5e-12, of which float32 near 1 knows nothing.
        assert accepts("float32", item, ZERO)
        assert accepts("float32", item, Fraction(1, 2**24))
        assert not accepts("float32", item, Fraction(1, 2**18))

    def test_the_value_is_exact_however_much_cancels(self) -> None:
        item = enclosed("float64", one_plus_erf, Fraction(-25))
        assert isinstance(item, Enclosed)
        # erfc(25), known to be 8.3001725711965228e-274.
        assert from_float(8.300172571196523e-274) == round_to("float64", item.value)

    def test_an_exact_formula_is_exact(self) -> None:
        item = enclosed("float32", lambda s, x: s.add(x, 1), Fraction(2))
        assert Fraction(3) == item

    def test_an_alternative_formula_is_permitted_too(self) -> None:
        def precise(s: Steps, x: Interval) -> Interval:
            return s.mul(x, 3)

        def coarse(s: Steps, x: Interval) -> Interval:
            return s.sub(s.add(s.mul(x, 3), 1000), 1000)

        got = Fraction(3, 10) + Fraction(1, 2**16)
        x = round_to("float32", Fraction(1, 10))
        assert isinstance(x, Fraction)
        assert not accepts("float32", enclosed("float32", precise, x), got)
        item = enclosed("float32", precise, x, alternatives=[coarse])
        assert accepts("float32", item, round_to("float32", got))

    def test_ulps_around_the_exact_value_are_permitted_in_any_case(self) -> None:
        def reciprocal(s: Steps, x: Interval) -> Interval:
            return s.div(1, x)

        off = steps_off("float32", THIRD, 3)
        assert not accepts("float32", enclosed("float32", reciprocal, Fraction(3)), off)
        assert accepts("float32", enclosed("float32", reciprocal, Fraction(3), ulps=4), off)

    def test_steps_in_a_wider_type_are_rounded_at_the_end(self) -> None:
        def narrow(s: Steps, x: Interval) -> Interval:
            return s.sub(s.add(s.div(x, 3), 100), 100)

        one = enclosed("float16", narrow, ONE)
        other = enclosed("float16", narrow, ONE, working="float32")
        off = round_to("float16", THIRD + Fraction(1, 40))
        assert [True, False] == [accepts("float16", item, off) for item in (one, other)]

    def test_many_elements_of_one_formula(self) -> None:
        def softmax(s: Steps) -> list[Interval]:
            powers = [s.exp(s.exactly(x)) for x in (ZERO, ONE, NEG_INF)]
            total = s.sum(powers)
            return [s.div(power, total) for power in powers]

        items = enclosed_all("float32", softmax)
        exact = np.exp([0.0, 1.0]) / np.exp([0.0, 1.0]).sum()
        for item, expected in zip(items, [*exact, 0.0], strict=True):
            assert accepts("float32", item, from_float(float(np.float32(expected))))

    def test_both_zeros_are_permitted_where_the_formula_gives_zero(self) -> None:
        item = enclosed("float32", lambda s, x: s.mul(x, s.sigmoid(x)), NEG_ZERO)
        assert [True, True] == [accepts("float32", item, zero) for zero in (ZERO, NEG_ZERO)]
        assert not accepts("float32", item, least_subnormal("float32"))

    def test_nan_is_nan(self) -> None:
        assert NAN is enclosed("float32", one_plus_erf, NAN)


class TestLimits:
    """Limits as tensors."""

    def test_where_all_is_exact_there_are_none(self) -> None:
        assert {} == limits_of(vector("float32", (ONE, NAN, INF, NEG_ZERO)))

    def test_each_profile_has_a_lowest_and_a_highest_tensor(self) -> None:
        item = within_ulps("float32", ONE, 1, gpu=2)
        step = 2.0**-23
        grid = vector("float32", (item, NAN, NEG_ZERO))
        assert {
            IEEE: (float32(1 - step, np.nan, -0.0), float32(1 + step, np.nan, -0.0)),
            GPU: (float32(1 - 2 * step, np.nan, -0.0), float32(1 + 2 * step, np.nan, -0.0)),
        } == limits_of(grid)

    def test_only_the_profile_that_is_not_exact_has_one(self) -> None:
        grid = scalar("float32", rounded_sqrt("float32", Fraction(2)))
        assert [GPU] == list(limits_of(grid))

    def test_neighbours_are_limits(self) -> None:
        grid = vector("float32", (AnyOf((NEG_ZERO, ZERO)), AnyOf((ONE, 1 + Fraction(1, 2**23)))))
        low, high = limits_of(grid)[IEEE]
        assert (float32(-0.0, 1.0), float32(0.0, 1 + 2.0**-23)) == (low, high)
        assert () == alternatives_of(grid)
        integers = vector("int8", (AnyOf((3, 4)),))
        assert (Tensor("int8", (1,), b"\3"), Tensor("int8", (1,), b"\4")) == limits_of(integers)[
            IEEE
        ]

    def test_numbers_on_both_sides_of_zero_are_neighbours(self) -> None:
        for name in ("float8e4m3fnuz", "float8e4m3fn"):
            least = least_subnormal(name)
            across = (-least, NEG_ZERO, ZERO, least)
            assert (-least, least) == ends_of(name, AnyOf(across), IEEE)
        fnuz = AnyOf((-least_subnormal("float8e4m3fnuz"), ZERO))
        assert () == alternatives_of(vector("float8e4m3fnuz", (fnuz,)))
        apart = AnyOf((-least_subnormal("float16"), ZERO))
        assert 1 == len(alternatives_of(vector("float16", (apart,))))

    def test_other_choices_are_alternatives(self) -> None:
        grid = vector("float32", (AnyOf((ONE, NAN, INF)), AnyOf((ZERO, Fraction(2))), ONE))
        assert (float32(np.nan, 2, 1), float32(np.inf, 2, 1)) == alternatives_of(grid)
        assert {} == limits_of(grid)

    def test_misfits_are_found(self) -> None:
        item = within_ulps("float32", ONE, 1)
        grid = vector("float32", (item, item, NAN, AnyOf((ONE, NAN)), NEG_ZERO))
        assert [] == misfits(grid, float32(1, 1 + 2.0**-23, np.nan, np.nan, -0.0))
        assert [0, 1, 2, 3, 4] == misfits(grid, float32(1 + 2.0**-22, np.nan, 1, 2, 0.0))
        with pytest.raises(ValueError, match=r"float32\[1\] for float32\[5\]"):
            misfits(grid, float32(1))

    @pytest.mark.parametrize(
        ("item", "expected"),
        [
            (Enclosed(ONE, ZERO, INF, ZERO, INF), (ZERO, INF)),
            (Enclosed(ONE, ZERO, Fraction(10**39), ZERO, ONE), (ZERO, INF)),
            (Enclosed(ONE, ZERO, greatest("float32") + 1, ZERO, ONE), (ZERO, greatest("float32"))),
            (Enclosed(ZERO, -least_subnormal("float32") / 2, ONE, ZERO, ONE), (NEG_ZERO, ONE)),
            (Enclosed(NAN, ZERO, ONE, ZERO, ONE), (NAN, NAN)),
        ],
    )
    def test_limits_beyond_numbers(self, item: Item, expected: tuple[Number, Number]) -> None:
        assert expected == ends_of("float32", item, IEEE)

    def test_nan_is_accepted_beside_limits_where_an_element_says_so(self) -> None:
        grid = vector("float32", (Enclosed(ONE, ZERO, ONE, ZERO, ONE, or_nan=True), ONE))
        assert [] == misfits(grid, float32(np.nan, 1))
        assert [0, 1] == misfits(grid, float32(2, np.nan))
        (other,) = alternatives_of(grid)
        assert other == float32(np.nan, 1)

    def test_the_value_is_always_within(self) -> None:
        exact = ONE + Fraction(1, 2**26)
        item = Enclosed(exact, exact, exact, exact, exact)
        assert (ONE, ONE) == ends_of("float32", item, IEEE)


def test_a_normal_number_is_not_flushed() -> None:
    least: Real = least_normal("float32")
    assert least == rounded("float32", numbers.mul, least, ONE)
