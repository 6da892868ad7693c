"""The activation functions of RNN, GRU and LSTM, by name, with their alpha and beta.

Source: the list of functions on the pages of RNN, GRU and LSTM, and activations, activation_alpha
and activation_beta there; defaults: the pages of the operators of the same names. Each function
takes intervals, as a step of a recurrence does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...accuracy.profiles import REAL
from ...accuracy.steps import Steps
from ...arith.elementary import ulps_of
from ...arith.intervals import (
    NOTHING_BUT_NAN,
    Interval,
    coarse,
    corners,
    hull,
    key,
    plus,
    point,
)
from ...arith.numbers import NAN, ONE, ZERO, Number, Special, fraction, from_float
from ...arith.rationals import Fraction
from ...arith.rounding import round_to, unit_roundoff
from ...errors import InvalidCallError
from ...registry import Call

Activation = Callable[[Steps, Interval], Interval]


@dataclass(frozen=True)
class Constants:
    """What a function has of alpha and beta; None where it has none, or none by default."""

    #: The value of alpha.
    alpha: Fraction | None = None
    #: The value of beta.
    beta: Fraction | None = None


# The functions that use alpha or beta, with the defaults of the operators of these names. Affine
# and ScaledTanh are no operators of any released opset.
_DEFAULTS = {
    "Affine": Constants(),
    "ScaledTanh": Constants(),
    "LeakyRelu": Constants(Fraction(1, 100)),
    "ThresholdedRelu": Constants(ONE),
    "Elu": Constants(ONE),
    "HardSigmoid": Constants(Fraction(1, 5), Fraction(1, 2)),
}
_USE_ALPHA = frozenset(_DEFAULTS)
_USE_BETA = frozenset({"Affine", "ScaledTanh", "HardSigmoid"})
_ROUNDINGS = 4
_PLAIN = frozenset({"Relu", "Tanh", "Sigmoid", "Softsign", "Softplus"})
# What Affine and ScaledTanh have where nothing is given, by reading: alpha and beta.
_NEUTRAL = {"Affine": (ONE, ZERO), "ScaledTanh": (ONE, ONE)}


def activations_of(call: Call, names: Sequence[str]) -> list[Activation]:
    """The functions of a node, each with its constants, in the order of `names`.

    InvalidCallError for a function that the page does not list.
    """
    unknown = [name for name in names if name not in _PLAIN | _USE_ALPHA]
    if unknown:
        raise InvalidCallError(f"no activation function is called {unknown[0]!r}")
    alphas = _given(call, "activation_alpha", names, _USE_ALPHA)
    betas = _given(call, "activation_beta", names, _USE_BETA)
    return [
        _function(call, name, Constants(alpha, beta))
        for name, alpha, beta in zip(names, alphas, betas, strict=True)
    ]


def _given(
    call: Call, attribute: str, names: Sequence[str], users: frozenset[str]
) -> list[Fraction | None]:
    """The value that the attribute gives each function, None where it gives none."""
    if attribute not in call.attributes:
        return [None] * len(names)
    values = [_finite(from_float(value)) for value in call.floats_attribute(attribute)]
    if len(values) > len(names):
        raise InvalidCallError(f"{len(values)} values of {attribute} for {len(names)} functions")
    waiting = iter(values)
    consumed = [next(waiting, None) if name in users else None for name in names]
    one_each = [
        value if name in users else None
        for name, value in zip(names, [*values, *[None] * len(names)], strict=False)
    ]
    if consumed == one_each:
        return consumed
    reading = call.choose("values-of-activations", "those-that-use-one", "one-each")
    return one_each if reading == "one-each" else consumed


def _function(call: Call, name: str, given: Constants) -> Activation:
    """One function with what is given, or else its defaults."""
    usual = _DEFAULTS.get(name, Constants())
    alpha = _or_default(call, name, given.alpha, usual.alpha, 0, uses=name in _USE_ALPHA)
    beta = _or_default(call, name, given.beta, usual.beta, 1, uses=name in _USE_BETA)
    if name == "ThresholdedRelu":
        return lambda s, x: _thresholded(call, s, x, alpha)
    table: dict[str, Activation] = {
        "Relu": lambda s, x: _relu(call, s, x),
        "Tanh": _tanh,
        "Sigmoid": _sigmoid,
        "Softsign": lambda s, x: s.div(x, s.add(1, s.absolute(x))),
        "Softplus": lambda s, x: s.softplus(x),
        "Affine": lambda s, x: s.add(s.mul(s.rounded(alpha), x), s.rounded(beta)),
        "ScaledTanh": lambda s, x: s.mul(s.rounded(alpha), _tanh(s, s.mul(s.rounded(beta), x))),
        "HardSigmoid": lambda s, x: _hard_sigmoid(call, s, x, Constants(alpha, beta)),
        "LeakyRelu": lambda s, x: _split(x, ZERO, lambda part: s.mul(s.rounded(alpha), part)),
        "Elu": lambda s, x: _split(
            x, ZERO, lambda part: s.mul(s.rounded(alpha), s.sub(s.exp(part), 1))
        ),
    }
    return table[name]


def _tanh(s: Steps, x: Interval) -> Interval:
    """(1 - e^-2x) / (1 + e^-2x), which is what these pages give and what some runtimes compute.

    Near 0 it has an absolute error: where e^-2x is n ulps off, the quotient is off by n halves of
    an ulp of 1 at most. Its other roundings are within the ulps that any tanh may be off.
    """
    found = s.tanh(x)
    if s.profile == REAL or found.is_point:
        return found
    error = ulps_of("exp", s.name) * unit_roundoff(s.name)
    return s.max(s.min(s.rounded(corners(plus, found, Interval(-error, error))), 1), -1)


def _sigmoid(s: Steps, x: Interval) -> Interval:
    """1 / (1 + e^-x), as near as (1 + tanh(x / 2)) / 2 comes, which is in use.

    Its error is absolute: that of tanh at 1, a rounding of x / 2, where the slope is 1/4 and less,
    one of the sum and one of the product. So is the clamping of x that some runtimes do. The
    other two formulas of Steps.sigmoid err by less.
    """
    if isinstance(x.low, Special) or isinstance(x.high, Special):
        return s.sigmoid(x)
    real = Steps(s.name, REAL, s.bits)
    # No alternatives here: without errors they are one.
    low, high = (
        real.reciprocal(real.add(1, real.exp(point(-fraction(end))))) for end in (x.low, x.high)
    )
    if s.profile == REAL:
        return coarse(Interval(low.low, high.high, x.nan), s.bits)
    error = (ulps_of("tanh", s.name) + _ROUNDINGS) * unit_roundoff(s.name)
    ends = [max(fraction(low.low) - error, ZERO), min(fraction(high.high) + error, ONE)]
    return s.rounded(coarse(Interval(ends[0], ends[1], x.nan), s.bits))


def _or_default(  # noqa: PLR0913  what a constant depends on
    call: Call,
    name: str,
    given: Fraction | None,
    usual: Fraction | None,
    place: int,
    *,
    uses: bool,
) -> Fraction:
    """The constant of a function, as a float32 holds it; 0 where the function has none."""
    if given is not None or not uses:
        return given or ZERO
    if usual is not None:
        return _finite(round_to("float32", usual))
    # No operator of this name has a default.
    neutral = call.choose("no-default", "zeros", "neutral") == "neutral"
    return _NEUTRAL[name][place] if neutral else ZERO


def _split(x: Interval, edge: Fraction, below: Callable[[Interval], Interval]) -> Interval:
    """`below` of the part of x under the edge, and the rest of x as it is."""
    if x.low is NAN:
        return NOTHING_BUT_NAN
    if key(x.low) >= key(edge):
        return x
    if key(x.high) < key(edge):
        return below(x)
    return hull(below(Interval(x.low, edge, x.nan)), Interval(edge, x.high, x.nan))


def _relu(call: Call, s: Steps, x: Interval) -> Interval:
    """The greater of x and 0, whichever of them that is of NaN."""
    if x.low is NAN:
        ignored = call.choose("relu-of-nan", "propagates", "zero") == "zero"
        return point(ZERO) if ignored else x
    found = s.max(x, 0)
    return hull(found, point(ZERO)) if x.nan else found


def _hard_sigmoid(call: Call, s: Steps, x: Interval, line: Constants) -> Interval:
    """max(0, min(1, alpha * x + beta)), whatever minimum and maximum make of NaN."""
    total = s.add(s.mul(s.rounded(line.alpha or ZERO), x), s.rounded(line.beta or ZERO))
    if total.low is NAN:
        reading = call.choose("hardsigmoid-of-nan", "propagates", "one", "zero")
        return total if reading == "propagates" else point(ONE if reading == "one" else ZERO)
    found = s.min(s.max(total, 0), 1)
    return hull(found, point(ZERO), point(ONE)) if total.nan else found


def _thresholded(call: Call, s: Steps, x: Interval, alpha: Fraction) -> Interval:
    """X from alpha on, or above it alone, 0 elsewhere; NaN is above nothing."""
    edge = s.rounded(alpha)
    if x.low is NAN:
        ignored = call.choose("threshold-of-nan", "propagates", "zero") == "zero"
        return point(ZERO) if ignored else x
    if x.is_point and edge.is_point and x.low == edge.low:
        reached = call.choose("threshold-reached", "passes", "zero") == "passes"
        return x if reached else point(ZERO)
    if key(x.low) > key(edge.high):
        return x
    if key(x.high) < key(edge.low):
        return point(ZERO)
    return hull(point(ZERO), Interval(edge.low, x.high, x.nan))


def _finite(value: Number) -> Fraction:
    if not isinstance(value, (int, Fraction)):
        raise InvalidCallError("a constant of an activation function is no finite number")
    return Fraction(value)
