"""The signs of verdicts on pages: a glyph and a letter for each group, and the legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
    shown_groups,
    total_tally,
)

# Glyphs of the map: every monospaced font has them, so that tiles keep their width. Letters are the
# classes of the style sheet: a capital if all vectors of a tile are in the group.
GLYPHS = {
    PASS.name: ("·", "p"),
    FAIL.name: ("×", "f"),  # noqa: RUF001  the sign that is meant
    CRASHED.name: ("!", "c"),
    UNJUDGED.name: ("¬", "j"),
    INCONCLUSIVE.name: ("?", "i"),
    UNSUPPORTED.name: ("–", "u"),  # noqa: RUF001  the sign that is meant
    LATITUDE.name: ("~", "l"),
    ACCEPTED.name: ("o", "a"),
}


def legend_of(results: Sequence[Results]) -> list[dict[str, Any]]:
    """The columns that are shown, with their symbols and meanings."""
    return [
        {
            "name": group.name,
            "glyph": GLYPHS[group.name][0],
            "letter": GLYPHS[group.name][1],
            "whole": GLYPHS[group.name][1].upper(),
            "meaning": group.meaning,
        }
        for group in shown_groups([total_tally(item) for item in results])
    ]
