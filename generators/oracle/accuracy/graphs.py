"""A subgraph that an oracle can also evaluate on values with limits.

An operator that sends its own scores through a subgraph, as FlexAttention does, has no single
tensor to run it on: each score is an interval of all values that a good runtime may have there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..arith.intervals import Interval
from ..subgraph import Subgraph
from .steps import Steps


@dataclass(frozen=True)
class Intervals:
    """A tensor whose elements are known within limits.

    Attributes:
        type: its element type, a floating-point one.
        shape: its dimensions.
        items: the elements in row-major order.
    """

    type: str
    shape: tuple[int, ...]
    items: Sequence[Interval]


@dataclass(frozen=True)
class EnclosableGraph(Subgraph):
    """A subgraph that can also be evaluated on intervals.

    Attributes:
        enclose: gives the outputs for inputs with limits, each step with the error that the
            profile of the Steps permits. Raises what `run` can raise, and NoOracleError for a
            node that is no formula of its elements.
    """

    enclose: Callable[[Steps, Sequence[Intervals]], tuple[Intervals, ...]]
