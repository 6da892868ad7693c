"""Scores, weights and weighted means of one query: attention as a formula of steps.

Permitted are: the function body of the page, step by step in the type of Q; one that scales the
product and not the factors; and those that never store the weights, but keep a running maximum and
sum in float32 or better, and divide at the end (flash attention).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...accuracy.bounds import enclosed_all
from ...accuracy.profiles import REAL, accumulator
from ...accuracy.steps import Steps
from ...arith.grid import Item
from ...arith.intervals import Interval, hull, point, product_of
from ...arith.numbers import INF, NAN, NEG_INF, ONE, ZERO, Real, is_finite
from ...arith.rationals import Fraction
from ...arith.rounding import unit_roundoff
from .sums import Pair, Weights, pair_of, scaled_product

Vector = Sequence[Real]

# The cost of a change of the running maximum: a power and a product, in units of roundoff.
_A_RESCALING = 8


@dataclass(frozen=True)
class Arithmetic:
    """How an attention computes.

    Attributes:
        type: the type of Q, K and Y, and of each step except the softmax.
        softmax: the type of the softmax.
        scale: the factor of the scores, None for one over the root of the size of a head.
        softcap: the bound of the scores, 0 for none.
    """

    type: str
    softmax: str
    scale: Fraction | None
    softcap: Fraction


@dataclass(frozen=True)
class Row:
    """One query with all keys.

    Attributes:
        arithmetic: how it is computed.
        query: its vector.
        keys: the vector of each key.
        biases: the terms added to each score; minus infinity for a key that is not attended.
    """

    arithmetic: Arithmetic
    query: Vector
    keys: Sequence[Vector]
    biases: Vector

    @property
    def is_masked(self) -> bool:
        """Whether no key is attended."""
        return all(bias is NEG_INF for bias in self.biases)

    @property
    def is_infinite(self) -> bool:
        """Whether keys are attended, and all of their scores are minus infinity."""
        if self.is_masked:
            return False
        steps = Steps(self.arithmetic.softmax, REAL)
        return all(score.low is NEG_INF for score in self._scores(steps, steps))

    def may_be_spoiled(self) -> bool:
        """Whether a key that is not attended may have a score to which -inf cannot be added."""
        if self.is_masked:  # the weights are zeros whatever the keys hold
            return False
        hidden = [place for place, bias in enumerate(self.biases) if bias is NEG_INF]
        steps = Steps(self.arithmetic.type)
        products = [self._capped(steps, item) for item in self.products(steps, hidden)]
        return any(item.nan or item.high is NAN or item.high is INF for item in products)

    def scores(self, *, capped: bool, biased: bool) -> list[Item]:
        """The scores of all keys, after the chosen stages."""

        def formula(steps: Steps) -> list[Interval]:
            found = self.products(steps, range(len(self.keys)))
            if capped:
                found = [self._capped(steps, item) for item in found]
            if not biased:
                return found
            return [
                steps.add(item, steps.exactly(bias))
                for item, bias in zip(found, self.biases, strict=True)
            ]

        return self._in_type(formula)

    def weights(self) -> list[Item]:
        """The weights of all keys; zeros if no key is attended."""
        if self.is_masked:
            return [ZERO] * len(self.keys)

        def formula(steps: Steps) -> list[Interval]:
            found = dict(zip(self._attended(), self._weights(steps), strict=True))
            return [found.get(place, point(ZERO)) for place in range(len(self.keys))]

        return self._in_type(formula)

    def means(self, values: Sequence[Vector], size: int) -> list[Item]:
        """The weighted sums of values; zeros if no key is attended."""
        if self.is_masked:
            return [ZERO] * size
        columns = [[values[key][place] for key in self._attended()] for place in range(size)]

        def formula(steps: Steps) -> list[Interval]:
            weights = self._weights(steps)
            if not Weights.are_finite(weights):
                given = [[steps.exactly(item) for item in column] for column in columns]
                return [steps.dot(weights, column) for column in given]
            together = Weights(weights)
            return [
                together.sum_of(steps, column)
                if all(map(is_finite, column))
                else steps.dot(weights, [steps.exactly(item) for item in column])
                for column in columns
            ]

        return self._in_type(formula)

    def _in_type(self, formula: Callable[[Steps], list[Interval]]) -> list[Item]:
        return enclosed_all(self.arithmetic.type, formula)

    def _attended(self) -> list[int]:
        """The keys that are attended; the content of the others does not matter."""
        return [place for place, bias in enumerate(self.biases) if bias is not NEG_INF]

    @cached_property
    def _known(self) -> dict[tuple[str, int], list[Interval]]:
        """The weights by profile and bits; several outputs are made of them."""
        return {}

    def _weights(self, steps: Steps) -> list[Interval]:
        """The weights of the keys that are attended."""
        place = steps.profile, steps.bits
        if place not in self._known:
            self._known[place] = self._computed(steps)
        return self._known[place]

    def _computed(self, steps: Steps) -> list[Interval]:
        same = self.arithmetic.softmax == self.arithmetic.type
        inner = steps if same else steps.in_type(self.arithmetic.softmax)
        powers, weights = softmax(inner, self._scores(steps, inner))
        if not same:
            weights = [steps.rounded(weight) for weight in weights]
        if steps.profile == REAL:
            return weights
        return late(steps, weights, powers)

    def _scores(self, steps: Steps, inner: Steps) -> list[Interval]:
        """What the softmax is of, for the keys that are attended."""
        attended = self._attended()
        scores = []
        for place, product in zip(attended, self.products(steps, attended), strict=True):
            score = self._capped(steps, product)
            bias = self.biases[place]
            if bias != ZERO:
                score = steps.add(score, steps.exactly(bias))
            scores.append(score if inner is steps else inner.rounded(score))
        return scores

    @cached_property
    def _pairs(self) -> list[Pair | None]:
        """The exact products of the query with all keys."""
        return [pair_of(self.query, key) for key in self.keys]

    def products(self, steps: Steps, places: Sequence[int]) -> list[Interval]:
        """The scaled products of the query with keys."""
        # The body has the factor in float32, for every type of Q.
        factors = Steps("float32", steps.profile, steps.bits)
        scale = self._scale(factors)
        root = steps.rounded(factors.sqrt(scale))
        factor = scale
        if steps.profile != REAL:
            factor = hull(product_of(root, root), steps.rounded(scale))
        found = []
        for place in places:
            pair = self._pairs[place]
            if pair is not None:
                found.append(scaled_product(steps, pair, factor, root))
                continue
            both = [
                [steps.exactly(item) for item in part] for part in (self.query, self.keys[place])
            ]
            found.append(steps.dot(*([steps.mul(item, root) for item in part] for part in both)))
        return found

    def _scale(self, steps: Steps) -> Interval:
        if self.arithmetic.scale is not None:
            return steps.rounded(self.arithmetic.scale)
        return steps.div(1, steps.sqrt(len(self.query)))

    def _capped(self, steps: Steps, score: Interval) -> Interval:
        """Softcap * tanh(score / softcap), or the score."""
        if not self.arithmetic.softcap:
            return score
        cap = steps.rounded(self.arithmetic.softcap)
        return steps.mul(steps.tanh(steps.div(score, cap)), cap)


def softmax(steps: Steps, scores: Sequence[Interval]) -> tuple[list[Interval], list[Interval]]:
    """The powers of scores, relative to the greatest, and the share of each in their sum."""
    greatest = steps.greatest(scores)
    if len(scores) == 1 and is_finite(scores[0].low) and is_finite(scores[0].high):
        powers = [point(ONE)]  # a number less itself is 0, whatever it is
    else:
        powers = [steps.exp(steps.sub(item, greatest)) for item in scores]
    share = steps.reciprocal(steps.sum(powers))
    weights = [steps.mul(power, share) for power in powers]
    # A power of zero is no number beside a sum that is none.
    return powers, [item._replace(nan=True) for item in weights] if share.nan else weights


def late(steps: Steps, weights: Sequence[Interval], powers: Sequence[Interval]) -> list[Interval]:
    """Weights whose powers were rounded and summed up before the division.

    A power was taken relative to a running maximum, which each key may have changed.
    """
    change = unit_roundoff(accumulator(steps.name, steps.profile))
    rescaled = _A_RESCALING * (len(weights) - 1) * change
    real = Steps(steps.name, REAL, steps.bits)

    def one(weight: Interval, power: Interval) -> Interval:
        error = rescaled if power.is_point else rescaled + unit_roundoff(steps.name)
        if error == 0 or weight.nan:
            return weight
        return real.mul(weight, Interval(1 - error, 1 + error))

    return list(map(one, weights, powers))
