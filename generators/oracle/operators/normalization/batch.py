"""BatchNormalization, all versions. Source: its page, Summary, Attributes, Inputs and Outputs.

Versions 1 and 6 have the attribute is_test, 7 and 9 take the number of outputs for the mode, and
since 14 training_mode says it, with the formulas of training. Before 9 the statistics may be those
of each place, with spatial 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from ...accuracy.bounds import enclosed_all
from ...accuracy.profiles import accumulator
from ...accuracy.steps import Steps
from ...arith.grid import Grid, Item, each_group
from ...arith.intervals import Interval, hull
from ...arith.numbers import Real, from_float
from ...arith.rationals import Fraction
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .moments import moments, scaled_and_shifted

Formulas = Callable[[Steps], Sequence[Interval]]

_ONE_AXIS = 9
_STATISTICS_IN_FLOAT = 15
# The first two are called mean and var, as inputs are: see generators/signatures/reading.py.
_FURTHER = ("mean_out", "var_out", "saved_mean", "saved_var")


@oracle("BatchNormalization", versions=(14, None))
def batch_normalization(call: Call) -> Result:
    """Y by the given statistics; in training by those of the batch, and the running ones."""
    x, lists = _inputs(call, "input_mean", "input_var")
    if call.int_attribute("training_mode", 0):
        if call.outputs and not (call.wants("running_mean") or call.wants("running_var")):
            # The page lists the outputs of training and of inference, and Y alone for the second.
            refuse_if_chosen(call, "training-with-y-alone", "computed")
        channels = _channels(call, x, lists)
        running = [channel.running() for channel in channels]
        y = _normalized(x, channels)
        return (
            y,
            replace(lists[2], items=[mean for mean, _ in running]),
            replace(lists[3], items=[variance for _, variance in running]),
        )
    if call.outputs and (call.wants("running_mean") or call.wants("running_var")):
        raise InvalidCallError("there are further outputs in training alone")
    return _inference(call, x, lists), None, None


@oracle("BatchNormalization", versions=(1, 9))
def batch_normalization_9(call: Call) -> Result:
    """Y by the given statistics; in training by those of the batch, with the running ones."""
    x, lists = _inputs(call, "mean", "var")
    if not _trains(call):
        return _inference(call, x, lists), None, None, None, None
    channels = _channels(call, x, lists)
    y = _normalized(x, channels)
    if not any(call.wants(name) for name in _FURTHER):
        return y, None, None, None, None
    # The paper that the page names divides by one element less for the running variance.
    reading = call.choose("running-variance", "population", "sample")
    running = [channel.running(sample=reading == "sample") for channel in channels]
    inverse = False
    if call.wants("saved_var"):
        inverse = call.choose("saved-variance", "variance", "inverse-deviation") != "variance"
    saved = [channel.saved(inverse=inverse) for channel in channels]
    return (
        y,
        replace(lists[2], items=[mean for mean, _ in running]),
        replace(lists[3], items=[variance for _, variance in running]),
        replace(lists[2], items=[mean for mean, _ in saved]),
        replace(lists[3], items=[variance for _, variance in saved]),
    )


def _trains(call: Call) -> bool:
    """Whether a node of versions 1 to 9 is one of training."""
    further = any(call.wants(name) for name in _FURTHER) if call.outputs else False
    if call.since_version > 6:
        return further
    if call.int_attribute("is_test", 0):
        if further:
            raise InvalidCallError("there are further outputs in training alone")
        return False
    if further:
        return True
    return call.choose("mode-of-one-output", "training", "inference") == "training"


def _inputs(call: Call, mean: str, variance: str) -> tuple[Grid, list[Grid]]:
    """X, and scale, bias, mean and variance of each channel or place."""
    x = call.grid("X")
    if x.rank < (1 if call.since_version >= _ONE_AXIS else 2):
        raise InvalidCallError(f"X of rank {x.rank} has no batch and channels")
    if call.since_version == 1 and x.rank != 4:
        raise InvalidCallError(f"X has rank {x.rank}, not 4")
    shape: tuple[int, ...] = (x.shape[1],) if x.rank > 1 else (1,)
    if not call.int_attribute("spatial", 1):
        if call.since_version < 7:
            # The lists have one axis by their descriptions, and yet a place has its own statistics.
            refuse_if_chosen(call, "lists-of-places", "shape-of-a-place")
        shape = x.shape[1:]
    lists = [call.grid(name) for name in ("scale", "B", mean, variance)]
    for grid in lists:
        if grid.shape != shape:
            raise InvalidCallError(f"a list has shape {list(grid.shape)}, not {list(shape)}")
    return x, lists


def _places(x: Grid, count: int) -> list[list[int]]:
    """For each of so many statistics the places of its elements in X."""
    width = math.prod(x.shape[1:])
    inner = width // count if count else 0
    return [
        [
            batch * width + own * inner + place
            for batch in range(x.shape[0])
            for place in range(inner)
        ]
        for own in range(count)
    ]


def _inference(call: Call, x: Grid, lists: Sequence[Grid]) -> Grid:
    epsilon = from_float(call.float_attribute("epsilon", 1e-5))
    statistics = zip(*(grid.items for grid in lists), strict=True)

    def normalized(row: Sequence[Real]) -> list[Item]:
        numbers = next(statistics)

        def formula(steps: Steps) -> list[Interval]:
            scale, bias, mean, variance = steps.rounded_all(numbers)
            # No page says in which of the two types the deviation is computed.
            own = steps.in_type(lists[3].type)
            deviation = hull(
                *(kept.sqrt(kept.add(kept.rounded(variance), epsilon)) for kept in (steps, own))
            )
            given = [steps.exactly(item) for item in row]
            return scaled_and_shifted(steps, given, mean, deviation, scale, bias)

        return enclosed_all(x.type, formula)

    return each_group(x, _places(x, len(lists[0].items)), normalized)


def _channels(call: Call, x: Grid, lists: Sequence[Grid]) -> list[_Channel]:
    """What is normalized together in training."""
    channels = [
        _Channel(call, x, places, [(grid.type, grid.items[own]) for grid in lists])
        for own, places in enumerate(_places(x, len(lists[0].items)))
    ]
    if any(not channel.places for channel in channels):
        refuse_if_chosen(call, "batch-of-nothing", "computed")
    return channels


def _normalized(x: Grid, channels: Sequence[_Channel]) -> Grid:
    """X with the elements of each channel normalized."""
    found = iter(channels)
    places = [channel.places for channel in channels]
    return each_group(x, places, lambda _: next(found).normalized())


class _Channel:
    """The elements of a batch that have one mean and one variance, in training."""

    def __init__(
        self,
        call: Call,
        x: Grid,
        places: Sequence[int],
        lists: Sequence[tuple[str, Real]],
    ) -> None:
        self.places = places
        self._type = x.type
        self._row = [x.items[place] for place in places]
        # Version 15 says that sums are kept in float32 for the sake of float16.
        in_float = call.since_version >= _STATISTICS_IN_FLOAT
        self._kept = accumulator(x.type) if in_float else x.type
        self._epsilon = from_float(call.float_attribute("epsilon", 1e-5))
        self._momentum = from_float(call.float_attribute("momentum", 0.9))
        (_, self._scale), (_, self._bias), self._mean, self._variance = lists

    def normalized(self) -> list[Item]:
        """The elements of Y."""

        def formula(steps: Steps) -> list[Interval]:
            scale, bias = steps.rounded_all((self._scale, self._bias))
            given = [steps.exactly(item) for item in self._row]
            mean, variance = self._moments(steps)
            deviation = steps.sqrt(steps.add(variance, self._epsilon))
            return scaled_and_shifted(steps, given, mean, deviation, scale, bias)

        return enclosed_all(self._type, formula)

    def running(self, *, sample: bool = False) -> tuple[Item, Item]:
        """The given mean and variance, moved towards those of the batch.

        With `sample` the sum of the squares is divided by one element less.
        """
        count = len(self._row)
        grown = Fraction(count, count - 1) if sample and count > 1 else Fraction(1)

        def formula(steps: Steps) -> list[Interval]:
            share = steps.constant(self._momentum)
            rest = steps.sub(1, share)
            before = steps.rounded_all((self._mean[1], self._variance[1]))
            mean, variance = self._moments(steps)
            new = mean, steps.mul(variance, grown)
            return [
                steps.add(steps.mul(old, share), steps.mul(now, rest))
                for old, now in zip(before, new, strict=True)
            ]

        return self._both(formula)

    def saved(self, *, inverse: bool) -> tuple[Item, Item]:
        """The mean of the batch, and its variance or the inverse of its deviation."""

        def formula(steps: Steps) -> list[Interval]:
            mean, variance = self._moments(steps)
            if inverse:
                variance = steps.reciprocal(steps.sqrt(steps.add(variance, self._epsilon)))
            return [mean, variance]

        return self._both(formula)

    def _moments(self, steps: Steps) -> tuple[Interval, Interval]:
        return moments(steps.in_type(self._kept), self._row)

    def _both(self, formula: Formulas) -> tuple[Item, Item]:
        """Two numbers, each in the type of its list."""
        mean, _ = enclosed_all(self._mean[0], formula)
        _, variance = enclosed_all(self._variance[0], formula)
        return mean, variance
