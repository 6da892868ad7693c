"""Probabilities of classes from those of each class beside each other one.

The page of SVMClassifier says that the scores are probabilities where prob_a and prob_b are given,
and not how they come about. The attributes are LIBSVM's, and so is what stands here: the score f of
a pair gives the first of it the probability 1 / (1 + e^(A f + B)) (J. Platt), and the probabilities
of all classes are those that fit the pairs best (T.-F. Wu, C.-J. Lin, R. C. Weng, Probability
estimates for multi-class classification by pairwise coupling, section 4, the second approach).

The minimum is found by iterating until the residual is at most 0.005 / k for k classes: what such
an iteration may give is permitted.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...accuracy.profiles import REAL
from ...accuracy.steps import Steps
from ...arith.intervals import Interval, point
from ...arith.numbers import NAN, ONE, ZERO, Real, Special, fraction
from ...arith.rationals import Fraction

_RESIDUAL = Fraction(5, 1000)
#: A pair is never surer than this.
LEAST = Fraction(1, 10**7)
_GRID = 1 << 80
# An error of one pair's probability changes an element of the residual by at most so much a class.
_SENSITIVITY = 4


def pair_probabilities(
    steps: Steps, scores: Sequence[Interval], a: Sequence[Real], b: Sequence[Real]
) -> list[Interval]:
    """For each pair the probability of its first class."""
    return [
        steps.sigmoid(
            steps.neg(steps.add(steps.mul(score, steps.exactly(slope)), steps.exactly(shift)))
        )
        for score, slope, shift in zip(scores, a, b, strict=True)
    ]


def coupled(steps: Steps, pairs: Sequence[Interval], count: int) -> list[Interval]:
    """The probabilities of `count` classes from those of pairs (0, 1), (0, 2), ..., (1, 2), ..."""
    if any(pair.low is NAN for pair in pairs):
        return [point(NAN)] * count
    table, error = _table(pairs, count)
    size = count + 1
    # The minimum of p'Qp where the sum of p is 1: the equations of Lagrange.
    rows = [[_product(table, t, j) for j in range(count)] + [ONE] for t in range(count)]
    inverse = _inverse([*rows, [ONE] * count + [ZERO]])
    found = [inverse[t][size - 1] for t in range(count)]
    if steps.profile == REAL:
        return [point(item) for item in found]
    slack = _RESIDUAL / count + _SENSITIVITY * count * error
    ends = []
    for t, item in enumerate(found):
        off = slack * sum(abs(inverse[t][j]) for j in range(count))
        ends.append(steps.rounded(Interval(max(item - off, ZERO), min(item + off, ONE))))
    return ends


def averaged(steps: Steps, pairs: Sequence[Interval], count: int) -> list[Interval]:
    """For each class the mean of its probabilities beside the others, scaled to the sum 1."""
    terms: list[list[Interval]] = [[] for _ in range(count)]
    for (first, second), pair in zip(pairs_of(count), pairs, strict=True):
        terms[first].append(pair)
        terms[second].append(steps.sub(1, pair))
    factor = Fraction(2, count * (count - 1))
    return [steps.mul(factor, steps.sum(items)) for items in terms]


def pairs_of(count: int) -> list[tuple[int, int]]:
    """The pairs of classes in their order."""
    return [(first, second) for first in range(count) for second in range(first + 1, count)]


def _table(
    pairs: Sequence[Interval], count: int
) -> tuple[dict[tuple[int, int], Fraction], Fraction]:
    """The probability of the first of two classes, for all; and how far one may be off."""
    table, error = {}, ZERO
    for (first, second), pair in zip(pairs_of(count), pairs, strict=True):
        low, high = _kept(pair.low), _kept(pair.high)
        middle = Fraction(round((low + high) / 2 * _GRID), _GRID)
        error = max(error, high - low)
        table[first, second], table[second, first] = middle, 1 - middle
    return table, error


def _kept(x: Real) -> Fraction:
    """A limit of a probability, away from 0 and 1."""
    if isinstance(x, Special):
        raise TypeError(f"{x} is no probability")
    return min(max(fraction(x), LEAST), 1 - LEAST)


def _product(table: dict[tuple[int, int], Fraction], t: int, j: int) -> Fraction:
    """An element of the matrix Q."""
    if t != j:
        return -table[j, t] * table[t, j]
    return sum((item * item for (_, second), item in table.items() if second == t), ZERO)


def _inverse(matrix: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    """The exact inverse, by elimination; the matrix has one."""
    size = len(matrix)
    rows = [
        [*row, *(ONE if place == other else ZERO for other in range(size))]
        for place, row in enumerate(matrix)
    ]
    for place in range(size):
        best = max(range(place, size), key=lambda row: abs(rows[row][place]))
        rows[place], rows[best] = rows[best], rows[place]
        pivot = rows[place][place]
        rows[place] = [item / pivot for item in rows[place]]
        for other in range(size):
            if other != place and (factor := rows[other][place]):
                rows[other] = [
                    item - factor * above
                    for item, above in zip(rows[other], rows[place], strict=True)
                ]
    return [row[size:] for row in rows]
