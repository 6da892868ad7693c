"""RNN, GRU and LSTM, all versions. Source: the equations of their pages, and Attributes.

All cells are sums of products, activation functions of them, and products of these. A sum may be
taken in any order; where all terms are multiples of one power of two and none of their sums is
rounded in the type, it is exact. That is how structure is told from rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...accuracy.partial_sums import with_partial_sums
from ...accuracy.profiles import REAL, accumulated_error, accumulator
from ...accuracy.steps import Steps
from ...arith.intervals import Interval, coarse, hull, is_finite, point
from ...arith.numbers import NAN, ONE, Special, fraction, from_float
from ...arith.once import Same, each_once, each_pair_once
from ...arith.rationals import Fraction
from ...arith.rounding import greatest, least_subnormal, unit_roundoff
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle
from ..flags import is_one
from .activations import Activation, activations_of
from .sequences import Row, States, Weights, carried_along, node_of

_ONE = point(ONE)
# The parts of a gate's sum, which may each be rounded: of input, state and cell, and two biases.
_PARTS = 5
# Rows that are remembered: those of all gates of a layer of 65 units, and of a step.
_ROWS = 512


@dataclass(frozen=True)
class Functions:
    """The activation functions of one direction, with the clip before each of them."""

    #: Asked for what its page leaves open.
    call: Call
    #: In the order of the operator's document: f, g, h.
    functions: tuple[Activation, ...]
    #: The largest magnitude that is handed to a function; None for no limit.
    clip: Fraction | None

    def apply(self, s: Steps, function: int, x: Interval, *, clips: bool = True) -> Interval:
        """A function of a value, limited to the range between -clip and clip before."""
        return self.functions[function](s, self.clipped(s, x) if clips else x)

    def clipped(self, s: Steps, x: Interval) -> Interval:
        """A value limited to the range between -clip and clip.

        NaN lies in no range: it stays, or is one of the bounds, as where a comparison or a minimum
        that ignores NaN leads.
        """
        if self.clip is None:
            return x
        bound = s.rounded(self.clip)
        if x.low is NAN:
            reading = self.call.choose("nan-clipped", "stays", "greatest", "least")
            return x if reading == "stays" else bound if reading == "greatest" else s.neg(bound)
        limited = s.max(s.min(x, bound), s.neg(bound))
        # Of a partial sum inf - inf, which another order of its terms does not have.
        return hull(limited, bound, s.neg(bound)) if x.nan else limited


def _functions(call: Call, defaults: tuple[str, ...], directions: int) -> list[Functions]:
    """The functions of each direction; InvalidCallError for another number of them."""
    names = list(defaults * directions)
    if "activations" in call.attributes:
        given = [name.decode("utf-8", "replace") for name in call.strings_attribute("activations")]
        # The default of RNN names two, whatever the direction.
        if len(given) != len(names) and (call.operator, given) != ("RNN", ["Tanh", "Tanh"]):
            raise InvalidCallError(f"{len(given)} activations, not {len(names)}")
        names = given[: len(names)]
    functions = activations_of(call, names)
    clip = None
    if "clip" in call.attributes:
        value = from_float(call.float_attribute("clip"))
        if isinstance(value, Special) or value < 0:
            raise InvalidCallError("clip is no bound")
        clip = fraction(value)
    size = len(defaults)
    return [
        Functions(call, tuple(functions[first : first + size]), clip)
        for first in range(0, len(functions), size)
    ]


@dataclass(frozen=True)
class _Scaled:
    """A row of finite intervals as integers with one denominator.

    Attributes:
        ends: the lower and the upper end of each, times 2**shift.
        shift: how many binary places hold all ends.
        largest: the greatest absolute end.
        places: where an end is not zero.
    """

    ends: tuple[tuple[int, int], ...]
    shift: int
    largest: int
    places: tuple[int, ...]


@lru_cache(maxsize=_ROWS)
def _scaled(same: Same) -> _Scaled | None:
    """The row in integers, once for the many others that it meets; None if it is not finite."""
    row = same.items
    if any(not is_finite(one) or one.nan for one in row):
        return None
    ends = [(fraction(one.low), fraction(one.high)) for one in row]
    shift = max((end.denominator.bit_length() - 1 for both in ends for end in both), default=0)
    found = tuple(
        (
            low.numerator << (shift - low.denominator.bit_length() + 1),
            high.numerator << (shift - high.denominator.bit_length() + 1),
        )
        for low, high in ends
    )
    largest = max((abs(end) for both in found for end in both), default=0)
    places = tuple(place for place, (low, high) in enumerate(found) if low or high)
    return _Scaled(found, shift, largest, places)


def _weighted(s: Steps, values: Row, weights: Row) -> Interval:
    """The sum of the products, in any order, in parts that may be rounded on their own.

    As Steps.dot, with the roundings of the parts besides, and in integers: all numbers here are
    binary fractions, and a recurrence has thousands of products. Sums that no order of additions
    rounds are exact.
    """
    left, right = _scaled(Same(values)), _scaled(Same(weights))
    if left is None or right is None:
        return s.dot(values, weights)
    if len(values) != len(weights):
        raise ValueError(f"{len(values)} values for {len(weights)} weights")
    met = tuple((left.ends[place], right.ends[place]) for place in right.places)
    largest = max(
        Fraction(left.largest, 1 << left.shift), Fraction(right.largest, 1 << right.shift)
    )
    shift = left.shift + right.shift
    return _added(s.name, s.profile, s.bits, met, shift, largest, len(values))


@lru_cache(maxsize=_ROWS)
def _added(  # noqa: PLR0913, PLR0917  what a sum depends on
    name: str,
    profile: str,
    bits: int,
    met: tuple[tuple[tuple[int, int], tuple[int, int]], ...],
    shift: int,
    largest: Fraction,
    count: int,
) -> Interval:
    """The sum of products, the same object where units are alike.

    Args:
        name: the type of the steps.
        profile: theirs.
        bits: theirs.
        met: the ends of each value with those of the weight that it meets, times powers of two.
        shift: of the products.
        largest: the greatest absolute factor.
        count: how many terms there are, with those that are zero.
    """
    s = Steps(name, profile, bits)
    low = high = magnitude = below = above = 0
    common = 0
    for ends, factors in met:
        if factors[0] == factors[1]:
            least, most = ends[0] * factors[0], ends[1] * factors[0]
            if least > most:
                least, most = most, least
        else:
            found = [end * factor for end in set(ends) for factor in factors]
            least, most = min(found), max(found)
        low, high = low + least, high + most
        if most > 0:
            above += most
        if least < 0:
            below -= least
        magnitude += max(abs(least), abs(most))
        common |= least | most
    unit = Fraction(1, 1 << shift)
    total = Interval(low * unit, high * unit)
    if s.profile == REAL:
        return coarse(total, s.bits)
    most_of_all = magnitude * unit
    if low == high and _is_exact(s.name, most_of_all, (common & -common) * unit):
        return total
    kept_in = accumulator(s.name, s.profile)
    error = _PARTS * unit_roundoff(s.name) * most_of_all
    error += accumulated_error(kept_in, most_of_all, count, profile=s.profile, largest=largest)
    rounded = s.rounded(coarse(Interval(low * unit - error, high * unit + error), s.bits))
    return with_partial_sums(rounded, above * unit + error, below * unit + error, kept_in)


def _is_exact(name: str, most: Fraction, quantum: Fraction) -> bool:
    """Whether the type holds every multiple of the quantum up to `most`, or all is zero."""
    if quantum == 0:
        return True
    fits = most <= min(quantum / unit_roundoff(name), greatest(name))
    return fits and quantum >= least_subnormal(name)


def _gate(weights: Weights, gate: int, unit: int, x: Row, hidden: Row) -> tuple[Row, Row]:
    """The values and the weights of Xt W^T + Ht-1 R^T + Wb + Rb, for one unit of a gate."""
    biases = [*weights.bias_of_input(gate, unit), *weights.bias_of_state(gate, unit)]
    return (
        [*x, *hidden, *[_ONE] * len(biases)],
        [*weights.of_input(gate, unit), *weights.of_state(gate, unit), *biases],
    )


@oracle("RNN")
def rnn(call: Call) -> Result:
    """Ht = f(Xt Wi^T + Ht-1 Ri^T + Wbi + Rbi).

    The shapes are those of `carried_along`: Y of all steps, Y_h of the last one. The only gate has
    the weights Wi, Ri; f is Tanh unless `activations` says otherwise, and is limited by `clip`
    before it.
    """
    node = node_of(call, 1, ("initial_h",))
    functions = _functions(call, ("Tanh",), len(node.backward))

    def cell(s: Steps, direction: int, weights: Weights, x: Row, states: States) -> States:
        own = functions[direction]
        units = range(node.hidden)
        sums = [_weighted(s, *_gate(weights, 0, unit, x, states[0])) for unit in units]
        return (each_once(lambda total: own.apply(s, 0, total), sums),)

    return carried_along(call, node, cell)


_Z, _R, _H = range(3)


@oracle("GRU")
def gru(call: Call) -> Result:
    """The update gate chooses between the last state and a new one, made with the reset gate."""
    node = node_of(call, 3, ("initial_h",))
    functions = _functions(call, ("Sigmoid", "Tanh"), len(node.backward))
    linear_first = call.int_attribute("linear_before_reset", 0) != 0

    def cell(s: Steps, direction: int, weights: Weights, x: Row, states: States) -> States:
        own, (last,) = functions[direction], states
        units = range(node.hidden)

        def opened(gate: int) -> Row:
            sums = [_weighted(s, *_gate(weights, gate, unit, x, last)) for unit in units]
            return each_once(lambda total: own.apply(s, 0, total), sums)

        update, reset = opened(_Z), opened(_R)
        if linear_first:
            sums = [_linear_first(s, weights, unit, x, last, reset[unit]) for unit in units]
        else:
            kept = [s.mul(one, other) for one, other in zip(reset, last, strict=True)]
            sums = [_weighted(s, *_gate(weights, _H, unit, x, kept)) for unit in units]
        new = each_once(lambda total: own.apply(s, 1, total), sums)
        return ([_between(s, *values) for values in zip(update, new, last, strict=True)],)

    return carried_along(call, node, cell)


def _linear_first(  # noqa: PLR0913, PLR0917  what the hidden gate is made of
    s: Steps, weights: Weights, unit: int, x: Row, last: Row, reset: Interval
) -> Interval:
    """Xt Wh^T + rt (Ht-1 Rh^T + Rbh) + Wbh."""
    of_state = weights.bias_of_state(_H, unit)
    linear = _weighted(
        s, [*last, *[_ONE] * len(of_state)], [*weights.of_state(_H, unit), *of_state]
    )
    of_input = weights.bias_of_input(_H, unit)
    return _weighted(
        s,
        [*x, linear, *[_ONE] * len(of_input)],
        [*weights.of_input(_H, unit), reset, *of_input],
    )


def _between(s: Steps, update: Interval, new: Interval, last: Interval) -> Interval:
    """(1 - zt) ht + zt Ht-1, so or as ht + zt (Ht-1 - ht)."""
    return hull(
        _weighted(s, [s.sub(1, update), update], [new, last]),
        _weighted(s, [_ONE, update], [new, s.sub(last, new)]),
    )


# The order of the gates in W, R and B; the first three are that of the peepholes.
_INPUT, _OUTPUT, _FORGET, _CELL = range(4)


@oracle("LSTM")
def lstm(call: Call) -> Result:
    """Input, output and forget gate around a cell, whose state is carried beside the hidden one."""
    node = node_of(call, 4, ("initial_h", "initial_c"))
    functions = _functions(call, ("Sigmoid", "Tanh", "Tanh"), len(node.backward))
    coupled = _coupling(call)
    clips_cell = True
    if "clip" in call.attributes:
        clips_cell = call.choose("clip-of-the-cell", "not-clipped", "clipped") == "clipped"

    def cell(s: Steps, direction: int, weights: Weights, x: Row, states: States) -> States:
        own, (last, inside) = functions[direction], states
        units = range(node.hidden)

        def opened(gate: int, function: int, seen: Sequence[Interval]) -> Row:
            sums = []
            for unit in units:
                values, factors = _gate(weights, gate, unit, x, last)
                holes = weights.peephole(gate, unit) if gate != _CELL else []
                total = _weighted(s, [*values, *seen[unit : unit + len(holes)]], [*factors, *holes])
                # Peepholes that nobody gave are 0, and 0 times an infinite cell is NaN.
                besides = not holes and unit < len(seen) and not is_finite(seen[unit])
                sums.append(total._replace(nan=True) if besides and s.profile != REAL else total)
            return each_once(lambda total: own.apply(s, function, total), sums)

        taken = opened(_INPUT, 0, inside)
        kept = opened(_FORGET, 0, inside)
        if coupled == "forget":
            kept = [s.sub(1, one) for one in taken]
        elif coupled == "input":
            taken = [s.sub(1, one) for one in kept]
        new = opened(_CELL, 1, ())
        carried = [
            _weighted(s, [keep, take], [old, value])
            for keep, take, old, value in zip(kept, taken, inside, new, strict=True)
        ]
        shown = opened(_OUTPUT, 0, carried)
        seen = each_once(lambda value: own.apply(s, 2, value, clips=clips_cell), carried)
        return each_pair_once(s.mul, shown, seen), carried

    return carried_along(call, node, cell)


def _coupling(call: Call) -> str:
    """Which gate is 1 less the other: none with input_forget 0."""
    if not is_one(call, "input_forget", 0):
        return ""
    return call.choose("coupled-gate", "forget", "input")
