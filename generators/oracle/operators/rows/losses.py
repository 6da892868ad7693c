"""NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss, all versions.

Sources: their pages, Summary, Attributes and Inputs, and their function bodies, in which a sample
that is ignored has weight 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from ...accuracy.bounds import enclosed_all
from ...accuracy.steps import Steps
from ...arith.grid import Grid, Item, lines
from ...arith.intervals import Interval, point
from ...arith.numbers import INF, NAN, NEG_INF, ONE, ZERO, Real, is_zero
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .softmax import log_softmax_row

Logarithm = Callable[[Steps, "_Sample"], Interval]

_REDUCTIONS = ("none", "sum", "mean")


@dataclass(frozen=True)
class _Sample:
    """One sample: its scores for the classes, which of them is meant, and what it weighs.

    Attributes:
        row: the elements along the axis of the classes.
        target: the class, or None where the sample is ignored.
        weight: that of the class; None where none are given.
        passed_over: the weight of the class that a sample names and that is ignored; None where it
            is no class, or no weights are given.
    """

    row: tuple[Real, ...]
    target: int | None
    weight: Real | None
    passed_over: Real | None = None


@oracle("NegativeLogLikelihoodLoss")
def negative_log_likelihood(call: Call) -> Result:
    """What stands at the class of each sample, with its sign turned over, and reduced."""
    grid = call.grid("input")
    samples = _samples(call, grid, call.grid("target"), call.optional_grid("weight"))

    def logarithm(steps: Steps, sample: _Sample) -> Interval:
        return steps.exactly(sample.row[sample.target or 0])

    return (_reduced(call, grid, samples, logarithm),)


@oracle("SoftmaxCrossEntropyLoss")
def softmax_cross_entropy(call: Call) -> Result:
    """The same of the logarithms of the softmax along the classes; and these logarithms."""
    grid = call.grid("scores")
    samples = _samples(call, grid, call.grid("labels"), call.optional_grid("weights"))
    if not samples:
        refuse_if_chosen(call, "no-samples", "empty")

    def logarithm(steps: Steps, sample: _Sample) -> Interval:
        return _logarithms(call, steps, sample.row)[sample.target or 0]

    return _reduced(call, grid, samples, logarithm), _log_prob(call, grid)


def _log_prob(call: Call, grid: Grid) -> Grid:
    items: list[Item] = list(grid.items)
    for places in lines(grid.shape, 1):
        row = [grid.items[place] for place in places]
        if row:
            found = enclosed_all(grid.type, partial(_logarithms, call, row=row))
            for place, item in zip(places, found, strict=True):
                items[place] = item
    return Grid(grid.type, grid.shape, items)


def _logarithms(call: Call, steps: Steps, row: Sequence[Real]) -> list[Interval]:
    """The logarithms of the softmax of a row; open where +inf is among its scores."""
    is_open = INF in row and NAN not in row
    if is_open and call.choose("infinity-in-a-row", "whole-row", "quotients") == "quotients":
        return [point(NAN if item is INF else NEG_INF) for item in row]
    return log_softmax_row(steps, row)


def _samples(call: Call, grid: Grid, targets: Grid, weights: Grid | None) -> list[_Sample]:
    """The samples in the order of the targets; InvalidCallError for shapes that do not fit."""
    if grid.rank < 2:
        raise InvalidCallError("the input has no axis of classes")
    classes = grid.shape[1]
    if targets.shape != (grid.shape[0], *grid.shape[2:]):
        raise InvalidCallError(f"targets of shape {list(targets.shape)} for {list(grid.shape)}")
    if weights is not None and weights.shape != (classes,):
        raise InvalidCallError(f"weights of shape {list(weights.shape)} for {classes} classes")
    ignored = call.attributes.get("ignore_index")
    samples = []
    for places, target in zip(lines(grid.shape, 1), targets.items, strict=True):
        row = tuple(grid.items[place] for place in places)
        if target == ignored:
            is_class = weights is not None and 0 <= target < classes
            passed_over = weights.items[target] if weights is not None and is_class else None
            samples.append(_Sample(row, None, None if weights is None else ZERO, passed_over))
            continue
        if not 0 <= target < classes:
            raise InvalidCallError(f"{target} is none of {classes} classes")
        weight = None if weights is None else weights.items[target]
        samples.append(_Sample(row, target, weight))
    return samples


def _reduced(call: Call, grid: Grid, samples: Sequence[_Sample], logarithm: Logarithm) -> Grid:
    """The loss of each sample, or their sum, or their mean."""
    name = grid.type
    reduction = call.string_attribute("reduction", "mean")
    if reduction not in _REDUCTIONS:
        raise InvalidCallError(f"reduction '{reduction}' is none of {', '.join(_REDUCTIONS)}")

    def losses(steps: Steps) -> list[Interval]:
        return [_loss(steps, sample, logarithm) for sample in samples]

    if reduction == "none":
        found = enclosed_all(name, losses) if samples else []
        shape = (grid.shape[0], *grid.shape[2:])
        return Grid(name, shape, found)
    if reduction == "sum":
        (total,) = enclosed_all(name, lambda steps: [steps.sum(losses(steps))])
        return Grid(name, (), [total])
    divisors = _divisors(call, samples)
    if not divisors:
        nothing = call.choose("mean-of-nothing", "not-a-number", "zero")
        return Grid(name, (), [NAN if nothing == "not-a-number" else ZERO])
    if all(is_zero(item) for item in divisors):
        return Grid(name, (), [NAN])  # a sum of no losses over a sum of no weights

    def mean(steps: Steps) -> list[Interval]:
        total = steps.sum([steps.exactly(item) for item in divisors])
        return [steps.div(steps.sum(losses(steps)), total)]

    (item,) = enclosed_all(name, mean)
    return Grid(name, (), [item])


def _divisors(call: Call, samples: Sequence[_Sample]) -> list[Real]:
    """What a mean is divided by the sum of: the weights, or 1 for each sample that counts."""
    if any(sample.weight is not None for sample in samples):
        applied = [ZERO if sample.weight is None else sample.weight for sample in samples]
        named = [sample.passed_over for sample in samples]
        if any(item is not None and not is_zero(item) for item in named):
            reading = call.choose("mean-with-ignored", "of-the-counted", "of-all")
            if reading == "of-all":
                both = zip(applied, named, strict=True)
                return [item if other is None else other for item, other in both]
        return applied
    counted = [sample for sample in samples if sample.target is not None]
    if len(counted) < len(samples):
        reading = call.choose("mean-with-ignored", "of-the-counted", "of-all")
        return [ONE] * len(counted if reading == "of-the-counted" else samples)
    return [ONE] * len(samples)


def _loss(steps: Steps, sample: _Sample, logarithm: Logarithm) -> Interval:
    if sample.target is None:
        return point(ZERO)
    loss = steps.neg(logarithm(steps, sample))
    return loss if sample.weight is None else steps.mul(loss, steps.exactly(sample.weight))
