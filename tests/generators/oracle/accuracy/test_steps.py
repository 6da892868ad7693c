"""Formulas in intervals: no implementation by permitted steps is outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnx_conformance.generators.oracle.accuracy.profiles import GPU, IEEE, REAL
from onnx_conformance.generators.oracle.accuracy.steps import Steps
from onnx_conformance.generators.oracle.arith.intervals import (
    NOTHING_BUT_NAN,
    Interval,
    hull,
    point,
)
from onnx_conformance.generators.oracle.arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    ONE,
    ZERO,
    Real,
    Special,
    fraction,
    from_float,
)
from onnx_conformance.generators.oracle.arith.rationals import Fraction

if TYPE_CHECKING:
    from collections.abc import Callable

FLOAT32 = st.floats(-100, 100, width=32)
EVERY_FLOAT32 = st.floats(width=32)
ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "max": np.maximum,
    "min": np.minimum,
}
FUNCTIONS = ["exp", "log", "sin", "cos", "tanh", "sqrt"]


def numpy32(function: Callable[..., Any], *values: float) -> Real:
    with np.errstate(all="ignore"):
        return from_float(float(function(*(np.float32(value) for value in values))))


def holds(found: Interval, x: Real) -> bool:
    return found.nan if x is NAN else x in found


@pytest.mark.parametrize("step", ARITHMETIC)
@given(EVERY_FLOAT32, EVERY_FLOAT32)
def test_a_step_holds_what_float32_gives(step: str, x: float, y: float) -> None:
    for profile in (IEEE, GPU):
        steps = Steps("float32", profile)
        given_ = steps.exactly(from_float(x)), steps.exactly(from_float(y))
        found = getattr(steps, step)(*given_)
        if step == "div" and y == 0:
            continue  # zeros have no sign in an interval
        assert holds(found, numpy32(ARITHMETIC[step], x, y)), (profile, found)


@pytest.mark.parametrize("step", ARITHMETIC)
@given(st.tuples(EVERY_FLOAT32, EVERY_FLOAT32), st.tuples(EVERY_FLOAT32, EVERY_FLOAT32), st.data())
def test_a_step_of_intervals_holds_each_pair_in_them(
    step: str, first: tuple[float, float], second: tuple[float, float], data: st.DataObject
) -> None:
    if np.isnan([*first, *second]).any():
        return
    steps = Steps("float32")
    ends = [sorted(end + 0.0 for end in pair) for pair in (first, second)]  # no -0
    intervals = [Interval(*(point(from_float(end)).low for end in pair)) for pair in ends]
    x, y = (data.draw(st.floats(*pair, width=32)) for pair in ends)
    found = getattr(steps, step)(*intervals)
    if step == "div" and y == 0:
        return
    assert holds(found, numpy32(ARITHMETIC[step], x, y)), found


@pytest.mark.parametrize("step", FUNCTIONS)
@given(st.tuples(FLOAT32, FLOAT32), st.data())
def test_a_function_of_an_interval_holds_each_value_in_it(
    step: str, ends: tuple[float, float], data: st.DataObject
) -> None:
    low, high = sorted(end + 0.0 for end in ends)  # no -0
    x = data.draw(st.floats(low, high, width=32))
    interval = Interval(point(from_float(low)).low, point(from_float(high)).low)
    found = getattr(Steps("float32"), step)(interval)
    assert holds(found, numpy32(getattr(np, step), x)), found


@pytest.mark.parametrize("step", [*FUNCTIONS, "erf", "atan"])
@given(FLOAT32)
def test_without_errors_a_step_is_the_exact_value(step: str, x: float) -> None:
    found = getattr(Steps("float32", REAL), step)(point(from_float(x)))
    if isinstance(found.low, Special):
        assert x <= 0
        return
    with mpmath.workprec(400):
        exact = getattr(mpmath, step)(mpmath.mpf(x))
        low, high = (
            mpmath.mpf(fraction(end).numerator) / fraction(end).denominator
            for end in (found.low, found.high)
        )
        slack = abs(exact) * mpmath.mpf(2) ** -380
        assert low - slack <= exact <= high + slack
        assert high - low <= abs(exact) * mpmath.mpf(2) ** -180


def test_an_exact_step_stays_exact() -> None:
    steps = Steps("float32")
    one = steps.exactly(ONE)
    assert point(Fraction(2)) == steps.add(one, one)
    assert point(Fraction(1, 2)) == steps.div(1, 2)
    assert point(Fraction(1, 2)) == steps.sigmoid(steps.exactly(ZERO))
    assert point(Fraction(3)) == steps.sqrt(9)
    assert point(Fraction(-8)) == Steps("float32", REAL).pow(-2, 3)


def test_a_rounded_step_is_half_an_ulp_wide_at_either_side() -> None:
    third = Steps("float32").constant(Fraction(1, 3))
    half_ulp = Fraction(1, 2**26)
    assert Fraction(1, 3) in third
    below, above = (fraction(end) - Fraction(1, 3) for end in (third.low, third.high))
    # The nearer neighbour ends one side sooner.
    slack = Fraction(1, 2**190)
    assert -half_ulp - slack <= below < 0 < above <= half_ulp + slack
    assert above < half_ulp * Fraction(3, 4)


def test_a_division_may_be_a_product_with_the_reciprocal() -> None:
    # onnxruntime's Softsign(45.325439) is this product.
    x, y = np.float32(45.325439453125), np.float32(46.325439453125)
    product = np.float32(x * np.float32(np.float32(1) / y))
    found = Steps("float32").div(Fraction(float(x)), Fraction(float(y)))
    assert np.float32(x / y) != product
    assert from_float(float(product)) in found


def test_division_and_square_root_are_wider_on_a_gpu() -> None:
    ieee, gpu = Steps("float32", IEEE), Steps("float32", GPU)
    for step in (lambda s: s.div(1, 3), lambda s: s.sqrt(2)):
        inner, outer = step(ieee), step(gpu)
        assert outer.low < inner.low < inner.high < outer.high
    assert Steps("float64", IEEE).div(1, 3) == Steps("float64", GPU).div(1, 3)


def test_a_gpu_may_flush_subnormal_numbers() -> None:
    tiny = Fraction(1, 2**140)
    assert Interval(ZERO, tiny) == Steps("float32", GPU).exactly(tiny)
    assert point(tiny) == Steps("float32", IEEE).exactly(tiny)
    small = Steps("float32", GPU).mul(Fraction(1, 2**70), Fraction(3, 2**70))
    assert ZERO in small
    assert ZERO not in Steps("float32", IEEE).mul(Fraction(1, 2**70), Fraction(3, 2**70))


@pytest.mark.parametrize(
    ("step", "operands", "expected"),
    [
        ("add", (INF, NEG_INF), NOTHING_BUT_NAN),
        ("add", (INF, ONE), point(INF)),
        ("mul", (ZERO, INF), NOTHING_BUT_NAN),
        ("mul", (-ONE, INF), point(NEG_INF)),
        ("div", (ONE, INF), point(ZERO)),
        ("div", (INF, INF), NOTHING_BUT_NAN),
        ("exp", (NEG_INF,), point(ZERO)),
        ("exp", (INF,), point(INF)),
        ("log", (ZERO,), point(NEG_INF)),
        ("log", (-ONE,), NOTHING_BUT_NAN),
        ("tanh", (NEG_INF,), point(-ONE)),
        ("sin", (INF,), NOTHING_BUT_NAN),
        ("add", (NAN, ONE), NOTHING_BUT_NAN),
        ("max", (NAN, ONE), NOTHING_BUT_NAN),
        ("sigmoid", (NEG_INF,), point(ZERO)),
        ("sigmoid", (INF,), point(ONE)),
        ("softplus", (INF,), point(INF)),
        ("sqrt", (INF,), point(INF)),
        ("pow", (INF, Fraction(2)), point(INF)),
    ],
)
def test_infinities_and_nan(step: str, operands: tuple[Real, ...], expected: Interval) -> None:
    steps = Steps("float32")
    assert expected == getattr(steps, step)(*(point(x) for x in operands))


def test_an_interval_around_a_pole_is_everything() -> None:
    steps = Steps("float32")
    found = steps.div(1, Interval(-ONE, ONE))
    assert (NEG_INF, INF) == (found.low, found.high)
    logarithm = steps.log(Interval(-ONE, ONE))
    assert (NEG_INF, True) == (logarithm.low, logarithm.nan)
    assert 0 <= fraction(logarithm.high) < Fraction(1, 2**140)
    zero_times_infinity = steps.mul(Interval(-ONE, ONE), Interval(ONE, INF))
    assert Interval(NEG_INF, INF, nan=True) == zero_times_infinity
    assert Interval(ZERO, ZERO, nan=True) == steps.div(0, Interval(-ONE, ONE))


def test_overflow_reaches_infinity() -> None:
    big = Fraction(2**127)
    assert INF is Steps("float32").add(big, big).high
    assert NEG_INF is Steps("float32").mul(-big, big).low
    assert INF is Steps("float16").mul(300, 300).high


def test_what_rounds_to_the_greatest_number_does_not_overflow() -> None:
    greatest = (2**24 - 1) * Fraction(2**104)
    assert greatest + 1 == Steps("float32").add(greatest, ONE).high


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ((2**127, 2**127, -(2**127)), (False, True, False)),
        ((-(2**127), -(2**127), 2**127), (True, False, False)),
        ((2**127, 2**127, -(2**127), -(2**127)), (True, True, True)),
        ((2**126, -(2**126)), (False, False, False)),
    ],
)
def test_a_partial_sum_overflows_to_the_side_whose_terms_do(
    terms: tuple[int, ...], expected: tuple[bool, bool, bool]
) -> None:
    steps = Steps("float32")
    found = steps.sum([steps.exactly(Fraction(term)) for term in terms])
    assert expected == (found.low is NEG_INF, found.high is INF, found.nan)


@given(st.lists(FLOAT32, min_size=1, max_size=40), st.randoms())
def test_a_sum_holds_that_of_any_order(values: list[float], order: Any) -> None:  # noqa: ANN401
    steps = Steps("float32")
    found = steps.sum([steps.exactly(from_float(value)) for value in values])
    order.shuffle(values)
    total = np.float32(0)
    for value in values:
        total = np.float32(total + np.float32(value))
    assert from_float(float(total)) in found


@given(st.lists(st.tuples(FLOAT32, FLOAT32), min_size=1, max_size=20))
def test_a_dot_product_holds_numpys(pairs: list[tuple[float, float]]) -> None:
    steps = Steps("float32")
    columns = [[steps.exactly(from_float(pair[side])) for pair in pairs] for side in (0, 1)]
    found = steps.dot(*columns)
    arrays = np.array(pairs, np.float32)
    assert from_float(float(arrays[:, 0] @ arrays[:, 1])) in found
    total = np.float32(0)
    for x, y in arrays:
        total = np.float32(total + np.float32(x * y))
    assert from_float(float(total)) in found


def test_a_sum_in_a_narrow_type_is_kept_in_float32_but_on_a_gpu() -> None:
    ends = []
    for profile in (IEEE, GPU):
        steps = Steps("float16", profile)
        found = steps.sum([steps.exactly(ONE)] * 100)
        ends.append(fraction(found.high) - 100)
    assert ends[0] < Fraction(1, 2)
    assert ends[1] > 4


def test_hulls() -> None:
    assert Interval(ZERO, Fraction(3)) == hull(Interval(ZERO, ONE), point(Fraction(3)))
    assert Interval(ONE, ONE, nan=True) == hull(point(ONE), NOTHING_BUT_NAN)
    assert NOTHING_BUT_NAN == hull(NOTHING_BUT_NAN)
