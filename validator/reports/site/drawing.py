"""Bars and plots as SVG, with words for people who cannot see them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ..facts.tally import FAILING, GROUPS, Tally
from ..page.signs import GLYPHS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

# Runtimes with the same counts are named up to this number if they are all that there are.
_NAMED = 3
# In the markup of a cell: it has a bar, and a number of failures.
_BAR, _BAD = "<span class=bar", "<span class=bad>"

_FAILING = frozenset(group.name for group in FAILING)


@dataclass(frozen=True)
class Segment:
    """A part of a bar: the group that it stands for, and its vectors, of which is its width."""

    #: A group of verdicts: `pass`, `fail` …
    group: str
    #: How many vectors it stands for.
    count: int


@dataclass(frozen=True)
class Bar:
    """A stacked bar of verdicts, with its counts in words."""

    #: One for each group that has vectors.
    segments: tuple[Segment, ...]
    #: The counts, for those who do not see the bar.
    words: str
    #: All vectors of the bar.
    total: int

    @property
    def drawn(self) -> Markup:
        """The bar as markup: names of groups, their letters and numbers alone."""
        # Its title says the counts to those who point at it and to those who cannot see it.
        return self._drawn(f'role=img title="{self.words}"')

    @property
    def drawn_beside_words(self) -> Markup:
        """The bar as markup where its counts are beside it in words."""
        return self._drawn("aria-hidden=true")

    def _drawn(self, attributes: str) -> Markup:
        from markupsafe import Markup

        parts = "".join(
            f"<i class={GLYPHS[part.group][1].upper()} style=flex:{part.count}></i>"
            for part in self.segments
        )
        return Markup(f"<span class=bar {attributes}>{parts}</span>")  # noqa: S704


def bar_of(counts: Mapping[str, int]) -> Bar:
    """The bar of some vectors, counted by group; without segments if there are no vectors."""
    total = sum(counts.values())
    shown = [(group.name, counts.get(group.name, 0)) for group in GROUPS if counts.get(group.name)]
    return Bar(
        tuple(Segment(name, number) for name, number in shown),
        ", ".join(f"{number:,} {name}" for name, number in shown) or "not run",
        total,
    )


def cell_of(counts: Mapping[str, int]) -> Markup:
    """A bar beside the number of failures among its vectors, as markup; in words without any."""
    return _cell_of(tuple((name, counts.get(name, 0)) for name in GLYPHS))


@lru_cache(maxsize=4096)
def _cell_of(counts: tuple[tuple[str, int], ...]) -> Markup:
    from markupsafe import Markup

    bar = bar_of(dict(counts))
    if not bar.total:
        return Markup("<span class=when>not run</span><span></span>")
    failing = sum(number for name, number in counts if name in _FAILING)
    # The style sheet adds the word "fail" for those who do not see the bar. Names of groups, their
    # letters and numbers: nothing in it comes from a results file as text.
    return Markup(f"{bar.drawn}<span class=bad>{failing:,}</span>" if failing else bar.drawn)  # noqa: S704


def bars(names: Sequence[str], cells: Sequence[Markup], *, calm_together: bool = False) -> Markup:
    """A list of bars as markup, runtimes with the same counts on one line; `cells` of `cell_of`.

    With `calm_together` the runtimes on which nothing fails share one line, without a bar.
    """
    from markupsafe import Markup

    alike: dict[Markup, list[str]] = {}
    for name, cell in zip(names, cells, strict=True):
        alike.setdefault(cell, []).append(name)
    if calm_together:
        _put_together(alike)
    everybody = f"all {len(names)}" if len(alike) == 1 and len(names) > _NAMED else ""
    lines = [_line_of(everybody or ", ".join(same), cell) for cell, same in alike.items()]
    return Markup('<ul class="runs">\n{}</ul>\n').format(Markup("").join(lines))


def _put_together(alike: dict[Markup, list[str]]) -> None:
    """Give runtimes on which nothing fails one line, the last: the map has their counts."""
    from markupsafe import Markup

    calm = [cell for cell in alike if cell.startswith(_BAR) and _BAD not in cell]
    if len(calm) > 1:
        names = [name for cell in calm for name in alike.pop(cell)]
        alike[Markup("<span class=when>nothing fails</span>")] = names


@lru_cache(maxsize=8192)
def _line_of(name: str, cell: Markup) -> Markup:
    from markupsafe import Markup

    return Markup("<li><span class=name>{}</span>{}\n").format(name, cell)


def bar_of_tally(tally: Tally) -> Bar:
    """The bar of a tally."""
    return bar_of(tally.groups)


# --- used fraction of the accuracy bound ----------------------------------------------------

_LEAST, _MOST = -3, 2  # powers of ten
_LINE = 15  # pixels


@dataclass(frozen=True)
class Dot:
    """One operator's largest used fraction of its limits."""

    #: The operator.
    name: str
    #: The largest used fraction: above 1 a result is outside its limits.
    used: float
    #: What is shown of it.
    words: str


@dataclass(frozen=True)
class Mark:
    """A dot's position, whether it is beyond the limit, and its description."""

    #: From the left, in percent, so that text stays as large where the page is narrow.
    x: str
    #: From the top, in pixels.
    y: int
    #: Whether it is beyond the limit.
    beyond: bool
    #: The operator.
    name: str
    #: What is shown of it.
    words: str


@dataclass(frozen=True)
class DotPlot:
    """A plot with a line for each operator; the limit itself is at 1."""

    #: In pixels.
    height: int
    #: The dots, the largest fraction first.
    marks: tuple[Mark, ...]
    #: Position and text of each mark on the scale.
    ticks: tuple[tuple[str, str], ...]
    #: The position of the limit.
    limit: str


def dot_plot(dots: Sequence[Dot]) -> DotPlot:
    """The plot, the largest fraction first; the scale is logarithmic, from 0.001 to 100."""
    ordered = sorted(dots, key=lambda dot: (-dot.used, dot.name))
    marks = tuple(
        Mark(_across(dot.used), 24 + number * _LINE, dot.used > 1, dot.name, dot.words)
        for number, dot in enumerate(ordered)
    )
    ticks = tuple((_across(10.0**power), f"{10.0**power:g}") for power in range(_LEAST, _MOST + 1))
    return DotPlot(24 + len(marks) * _LINE, marks, ticks, _across(1.0))


def _across(used: float) -> str:
    power = _LEAST if used <= 0 else min(max(math.log10(used), _LEAST), _MOST)
    return f"{100 * (power - _LEAST) / (_MOST - _LEAST):.1f}"
