"""The state of a linear attention, and how near results must be to the exact one.

The page permits processing tokens one by one or in chunks. All ways add up the same products, of
keys, values, decays and rates. So each is off by no more than the roundings that a product can
meet, times the sum of the absolute products (N. J. Higham, Accuracy and Stability of Numerical
Algorithms, 2nd edition, 3.1). That sum is the same recurrence of absolute numbers, with a sum
where a rule has a difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ...accuracy.bounds import dot_bound
from ...accuracy.ends import joined
from ...accuracy.sums import scaled
from ...arith.elementary import enclosure, exact_value, ulps_of
from ...arith.grid import Enclosed, Item
from ...arith.intervals import outwards, root
from ...arith.numbers import (
    INF,
    NEG_ZERO,
    ONE,
    ZERO,
    Number,
    Real,
    absolute,
    add,
    equal,
    fraction,
    is_finite,
    mul,
    real,
    sub,
)
from ...arith.rationals import Fraction
from ...arith.rounding import (
    Rounding,
    least_normal,
    least_subnormal,
    round_to,
    unit_roundoff,
)

Row = Sequence[Number]
State = Sequence[Row]

# How many bits of an inexact number are kept: far more than any limit can tell.
_BITS = 512
# After a decay of this size nothing is left that a float32 can hold.
_GONE = 128
# Roundings of 1 / sqrt(d_k), whose steps a GPU may have off by 3 and by 2.5 ulp.
_OF_A_ROOT = 12


@dataclass(frozen=True)
class Token:
    """The effect of one token on the state of a head.

    Attributes:
        key: as many numbers as the state has rows.
        value: as many as it has columns.
        decay: the logarithm of the factor of each row; None for no decay.
        rate: how much of a correction is written; None if the value itself is written.
    """

    key: Sequence[Real]
    value: Sequence[Real]
    decay: Sequence[Real] | None
    rate: Real | None

    @property
    def gates(self) -> list[Real] | None:
        """What each row of the state is multiplied by."""
        return None if self.decay is None else [power_of(item) for item in self.decay]

    def without_signs(self) -> Token:
        """The token of the sum of absolute products; a decay is no factor, but its power is."""
        rate = None if self.rate is None else absolute(self.rate)
        key, value = ([absolute(item) for item in row] for row in (self.key, self.value))
        return Token(key, value, self.decay, rate)


@dataclass(frozen=True)
class Course:
    """The state of a head after each token.

    Attributes:
        exact: the state after each token; the first one is before any token.
        absolute: the same for the sums of absolute products.
        quanta: a power of two that divides all products in a state; None if there is none, because
            a power of e is among them.
        roundings: how many roundings each state may have had.
        peaks: the greatest finite number that is computed on the way to each state.
    """

    exact: Sequence[State]
    absolute: Sequence[State]
    quanta: Sequence[Fraction | None]
    roundings: Sequence[int]
    peaks: Sequence[Fraction]


def course(start: State, tokens: Sequence[Token], name: str) -> Course:
    """The states of a head; `name` is the type in which the powers of decays are computed."""
    positive = [[absolute(real(item)) for item in row] for row in start]
    quanta: list[Fraction | None] = [quantum_of([item for row in start for item in row])]
    roundings = [0]
    for token in tokens:
        quanta.append(_quantum_after(quanta[-1], token))
        roundings.append(roundings[-1] + _roundings_of(token, name))
    unsigned = [item.without_signs() for item in tokens]
    whole = [positive, *_states(positive, unsigned, add)]
    return Course(
        [start, *_states(start, tokens, sub)],
        whole,
        quanta,
        roundings,
        [ZERO, *(_peak(*pair) for pair in zip(whole, unsigned, strict=False))],
    )


def _peak(state: State, token: Token) -> Fraction:
    """The greatest finite number in the steps of a token, from the sums of absolute products.

    The rate may be multiplied by the key, or by the difference.
    """
    decayed = _decayed(state, token)
    found: list[Number] = [*(token.gates or [ONE]), *(item for row in decayed for item in row)]
    known, differences, written = _written(decayed, token, add)
    found += [*known, *differences, *written]
    if token.rate is not None:
        found += [mul(token.rate, item) for item in token.key]
    found += [mul(key, item) for key in token.key for item in written]
    finite = [fraction(real(item)) for item in found if is_finite(item)]
    return max(finite, default=ZERO)


def _states(
    state: State, tokens: Sequence[Token], minus: Callable[[Number, Number], Number]
) -> Iterator[State]:
    """The state after each token. Source: the rules on the page."""
    for token in tokens:
        decayed = _decayed(state, token)
        _, _, written = _written(decayed, token, minus)
        state = [
            [_short(add(item, mul(key, new))) for item, new in zip(row, written, strict=True)]
            for key, row in zip(token.key, decayed, strict=True)
        ]
        yield state


def _decayed(state: State, token: Token) -> State:
    gates = token.gates
    if gates is None:
        return state
    return [[mul(gate, item) for item in row] for gate, row in zip(gates, state, strict=True)]


def _written(
    state: State, token: Token, minus: Callable[[Number, Number], Number]
) -> tuple[Row, Row, Row]:
    """What a state knows of a key, what a value differs from that by, and what is written."""
    if token.rate is None:
        return (), (), token.value
    known = [dot(token.key, column) for column in zip(*state, strict=True)]
    differences = [minus(new, old) for new, old in zip(token.value, known, strict=True)]
    return known, differences, [mul(token.rate, item) for item in differences]


def dot(one: Row, other: Row) -> Number:
    """The exact sum of products, by IEEE 754's rules where a factor is not finite."""
    total: Number = ZERO
    for x, y in zip(one, other, strict=True):
        total = add(total, mul(x, y))
    return total


def power_of(decay: Real) -> Real:
    """The power of e, to far more bits than any limit needs."""
    exact = exact_value("exp", decay)
    if exact is not None:
        return exact
    found = enclosure("exp", decay, _BITS)
    return INF if found.high is INF else fraction(found.high)


def _short(number: Number) -> Number:
    """A number without the bits that only come from powers of e."""
    return outwards(number, _BITS, Rounding.DOWN) if isinstance(number, Fraction) else number


def quantum_of(numbers: Row) -> Fraction | None:
    """A power of two that divides all numbers; None if one is not finite."""
    if not all(map(is_finite, numbers)):
        return None
    return scaled([fraction(item) for item in numbers]).quantum()  # type: ignore[arg-type]


def _quantum_after(before: Fraction | None, token: Token) -> Fraction | None:
    """The power of two for the state after a token."""
    rate = ONE if token.rate is None else token.rate
    parts = [quantum_of(row) for row in (token.key, token.value, [rate])]
    gates = token.gates or []
    if before is None or None in parts or any(gate not in {ZERO, ONE} for gate in gates):
        return None
    key, written, factor = (part for part in parts if part is not None)
    if token.rate is not None:
        written = min(written, before * key) * factor
    return min(before, key * written)


def _roundings_of(token: Token, name: str) -> int:
    """How many roundings a product may meet while one token is processed."""
    count = 2  # the product of key and value, and the sum
    if token.rate is not None:
        count += len(token.key) + 2  # what is known of the key, the difference, and the rate
    if token.decay is not None:
        # The power and its product. Chunks take powers of sums, whose error grows with the sum.
        sizes = [abs(fraction(item)) for item in token.decay if is_finite(item)]
        count += 3 + 2 * int(ulps_of("exp", name)) + 2 * min(_GONE, int(max(sizes, default=ZERO)))
    return count


@dataclass(frozen=True)
class Limits:
    """The error that the results of one head may have.

    Attributes:
        kept_in: the type in which the sums may be kept.
        largest: the greatest factor of a number that is flushed to zero.
        factor: the greatest that a rounded number is multiplied by.
    """

    kept_in: str
    largest: Fraction
    factor: Fraction

    def item(
        self, name: str, sums: tuple[Number, Number], count: int, quantum: Fraction | None
    ) -> Item:
        """A result with its limits; one that is not finite is exact.

        Args:
            name: the type of the result.
            sums: the exact sum, and that of the absolute products.
            count: how many roundings a product may have met.
            quantum: a power of two of which all products are multiples, if there is one.
        """
        exact, magnitude = map(real, sums)
        if not is_finite(exact):
            return round_to(name, exact)
        found = dot_bound(
            name,
            fraction(exact),
            fraction(magnitude),
            count,
            kept_in=self.kept_in,
            largest=self.largest,
            quantum=quantum,
        )
        subnormal = 0 < fraction(magnitude) < least_normal(self.kept_in)
        if not subnormal or not isinstance(found, Enclosed) or equal(found.low, found.high):
            return found
        return self._wider(name, found, count)

    def _wider(self, name: str, item: Enclosed, count: int) -> Item:
        """A subnormal result: each rounding of one is off by half a unit times its factor."""
        unit = least_subnormal(self.kept_in)
        lost = unit * math.ceil(count * self.factor / 2)
        low, high = fraction(real(item.low)) - lost, fraction(real(item.high)) + lost
        ends = (
            real(round_to(name, low or NEG_ZERO, rounding=Rounding.DOWN)),
            real(round_to(name, high, rounding=Rounding.UP)),
        )
        # Profile gpu keeps a state in its own type, which may be wider than that of ieee.
        gpu = joined(ends[0], [ends, (real(item.gpu_low), real(item.gpu_high))])
        return replace(item, low=ends[0], high=ends[1], gpu_low=gpu[0], gpu_high=gpu[1])


def scale_of(given: Fraction, size: int) -> tuple[Fraction, int]:
    """The factor of the outputs, and how many roundings it has met.

    Args:
        given: the attribute; 0 stands for one over the square root of the size.
        size: the size of a key.
    """
    if given:
        return given, 0
    found = root(Fraction(1, size), _BITS)
    return fraction(found.low), 0 if found.is_point else _OF_A_ROOT


def narrower(one: str, other: str) -> str:
    """The type with the greater error of a rounding."""
    return max(one, other, key=unit_roundoff)
