"""Bars and plots as SVG, with words for people who cannot see them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..facts.tally import GROUPS, Tally

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Segment:
    """A part of a bar: the group that it stands for, and its width in percent."""

    group: str
    percent: str
    count: int


@dataclass(frozen=True)
class Bar:
    """A stacked bar of verdicts, with its counts in words."""

    segments: tuple[Segment, ...]
    words: str
    total: int


def bar_of(counts: Mapping[str, int]) -> Bar:
    """The bar of some vectors, counted by group; without segments if there are no vectors."""
    total = sum(counts.values())
    shown = [(group.name, counts.get(group.name, 0)) for group in GROUPS if counts.get(group.name)]
    return Bar(
        tuple(Segment(name, f"{100 * number / total:.2f}", number) for name, number in shown),
        ", ".join(f"{number:,} {name}" for name, number in shown) or "not run",
        total,
    )


def bar_of_tally(tally: Tally) -> Bar:
    """The bar of a tally."""
    return bar_of(tally.groups)


# --- used fraction of the accuracy bound ----------------------------------------------------

_LEAST, _MOST = -3, 2  # powers of ten
_WIDTH, _NAMES, _LINE = 640, 170, 15


@dataclass(frozen=True)
class Dot:
    """One operator's largest used fraction of its limits."""

    name: str
    used: float
    words: str


@dataclass(frozen=True)
class Mark:
    """A dot's position in pixels, whether it is beyond the limit, and its description."""

    x: str
    y: int
    beyond: bool
    name: str
    words: str


@dataclass(frozen=True)
class DotPlot:
    """A plot with a line for each operator; the limit itself is at 1."""

    width: int
    height: int
    names: int
    marks: tuple[Mark, ...]
    ticks: tuple[tuple[str, str], ...]
    limit: str


def dot_plot(dots: Sequence[Dot]) -> DotPlot:
    """The plot, the largest fraction first; the scale is logarithmic, from 0.001 to 100."""
    ordered = sorted(dots, key=lambda dot: (-dot.used, dot.name))
    marks = tuple(
        Mark(_across(dot.used), 24 + number * _LINE, dot.used > 1, dot.name, dot.words)
        for number, dot in enumerate(ordered)
    )
    ticks = tuple((_across(10.0**power), f"{10.0**power:g}") for power in range(_LEAST, _MOST + 1))
    return DotPlot(_WIDTH, 24 + len(marks) * _LINE, _NAMES, marks, ticks, _across(1.0))


def _across(used: float) -> str:
    power = _LEAST if used <= 0 else min(max(math.log10(used), _LEAST), _MOST)
    return f"{_NAMES + (power - _LEAST) / (_MOST - _LEAST) * (_WIDTH - _NAMES - 14):.1f}"
