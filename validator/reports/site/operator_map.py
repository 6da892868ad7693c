"""The map of the first page: every operator in its family, a cell for each runtime.

A cell shows the worst that became of the operator's vectors, and a bar how many of them that is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.families import FAMILIES, family_of
from onnx_conformance.core.text import one_line

from ...results.records import Results
from ..facts.tally import (
    ACCEPTED,
    CRASHED,
    FAIL,
    INCONCLUSIVE,
    LATITUDE,
    PASS,
    UNJUDGED,
    UNSUPPORTED,
    Group,
    total_tally,
)
from ..page.signs import GLYPHS

if TYPE_CHECKING:
    from markupsafe import Markup


# What proves nothing either way colours a cell only where there is nothing else.
_WORST_FIRST = (CRASHED, FAIL, UNJUDGED, UNSUPPORTED, ACCEPTED, PASS, INCONCLUSIVE, LATITUDE)
_CALM = (PASS.name, ACCEPTED.name, LATITUDE.name, INCONCLUSIVE.name)
_LEVELS = 10


def operator_map(
    columns: Sequence[Results], parts: Sequence[tuple[str, Sequence[Results]]]
) -> dict[str, Any]:
    """Families with their operators, each with a cell for each runtime; and the signs that occur.

    Args:
        columns: the runtimes, in their order.
        parts: for each operator the name of its page, and the results of each runtime that has any.
    """
    numbers = {column.header.backend: number for number, column in enumerate(columns)}
    families: dict[str, list[tuple[str, Markup]]] = {name: [] for name in FAMILIES}
    seen: set[str] = set()
    for slug, of_one in parts:
        counts: list[Mapping[str, int]] = [{} for _ in columns]
        for item in of_one:
            counts[numbers[item.header.backend]] = total_tally(item).groups
        shown = next((item.rows[0].operator for item in of_one if item.rows), slug)
        name = one_line(shown, 60)
        seen.update(group.name for group in map(_worst, counts) if group is not None)
        families[family_of(shown)].append((name, _row(name, slug, counts)))
    return {
        "families": [
            {"name": family, "rows": [row for _, row in sorted(rows, key=_by_name)]}
            for family, rows in families.items()
            if rows
        ],
        "operators": len(parts),
        "key": [_in_key(group) for group in _WORST_FIRST if group.name in seen],
    }


def _by_name(row: tuple[str, Markup]) -> str:
    return row[0].lower()


def _in_key(group: Group) -> dict[str, str]:
    glyph, letter = GLYPHS[group.name]
    # As a cell of which a third is so, unless it is what every vector should be.
    sign = letter.upper() if group.name in _CALM else f"{letter}3"
    return {"name": group.name, "glyph": glyph, "sign": sign}


def _row(name: str, slug: str, counts: Sequence[Mapping[str, int]]) -> Markup:
    """An operator as markup, as short as can be: of sixteen runtimes there are four thousand cells.

    The name of a page is of letters that need no quotes, and HTML ends cells and rows by itself.
    """
    from markupsafe import Markup

    cells = Markup("").join(_cell(tuple(item.items())) for item in counts)
    return Markup("<tr><th scope=row><a href=operators/{}.html>{}</a>{}\n").format(
        slug, name, cells
    )


@lru_cache(maxsize=8192)
def _cell(counts: tuple[tuple[str, int], ...]) -> Markup:
    from markupsafe import Markup

    number = dict(counts)
    worst = _worst(number)
    if worst is None:
        return Markup('<td title="not run">')
    glyph, letter = GLYPHS[worst.name]
    share = number[worst.name] / sum(number.values())
    sign = letter.upper() if share == 1 else f"{letter}{int(share * _LEVELS)}"
    ordered = [group.name for group in _WORST_FIRST if number.get(group.name)]
    words = ", ".join(f"{number[name]:,} {name}" for name in ordered)
    # Names of groups, their letters, and numbers: nothing of it is a runtime's text.
    return Markup(f'<td class={sign} title="{words}">{glyph}')  # noqa: S704


def _worst(counts: Mapping[str, int]) -> Group | None:
    return next((group for group in _WORST_FIRST if counts.get(group.name)), None)
