"""Bars and plots as SVG, with words for people who cannot see them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..facts.tally import FAILING, GROUPS
from ..page.signs import GLYPHS

if TYPE_CHECKING:
    from markupsafe import Markup

# Runtimes with the same counts are named up to this number if they are all that there are.
_NAMED = 3
# In the markup of a cell: it has a bar, and a number of failures.
_BAR, _BAD = "<span class=bar", "<span class=bad>"

_FAILING = frozenset(group.name for group in FAILING)


@dataclass(frozen=True)
class Bar:
    """A stacked bar of verdicts: of each group that has vectors, how many."""

    counts: Mapping[str, int]

    @property
    def words(self) -> str:
        """The counts, for those who do not see the bar."""
        parts = (f"{number:,} {name}" for name, number in self.counts.items())
        return ", ".join(parts) or "not run"

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
            f"<i class={GLYPHS[name][1].upper()} style=flex:{number}></i>"
            for name, number in self.counts.items()
        )
        return Markup(f"<span class=bar {attributes}>{parts}</span>")  # noqa: S704


def bar_of(counts: Mapping[str, int]) -> Bar:
    """The bar of some vectors, counted by group; an empty one if there are no vectors."""
    return Bar({group.name: counts[group.name] for group in GROUPS if counts.get(group.name)})


def cell_of(counts: Mapping[str, int]) -> Markup:
    """A bar beside the number of failures among its vectors, as markup; in words without any."""
    return _cell_of(tuple((name, counts.get(name, 0)) for name in GLYPHS))


@lru_cache(maxsize=4096)
def _cell_of(counts: tuple[tuple[str, int], ...]) -> Markup:
    from markupsafe import Markup

    bar = bar_of(dict(counts))
    if not bar.counts:
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


# --- used fraction of the accuracy bound ----------------------------------------------------

_LEAST, _MOST = -3, 2  # powers of ten
_FIRST, _LINE = 24, 15  # pixels


def dot_plot(used: Mapping[str, float], words: Mapping[str, str]) -> dict[str, Any]:
    """A plot of the largest used fraction of their limits by operator, the largest first.

    The scale is logarithmic, from 0.001 to 100, and the limit is at 1. Positions from the left are
    in percent, so that text stays as large where the page is narrow, from the top in pixels.
    """
    ordered = sorted(used.items(), key=lambda item: (-item[1], item[0]))
    powers = [10.0**power for power in range(_LEAST, _MOST + 1)]
    return {
        "height": _FIRST + len(ordered) * _LINE,
        "marks": [
            {
                "x": _across(share),
                "y": _FIRST + number * _LINE,
                "beyond": share > 1,
                "name": name,
                "words": words[name],
            }
            for number, (name, share) in enumerate(ordered)
        ],
        "ticks": [(_across(power), f"{power:g}") for power in powers],
        "limit": _across(1.0),
    }


def _across(used: float) -> str:
    power = _LEAST if used <= 0 else min(max(math.log10(used), _LEAST), _MOST)
    return f"{100 * (power - _LEAST) / (_MOST - _LEAST):.1f}"
