"""The map of a page: a row for each operator version, a strip of tiles for each backend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.text import visible

from ...results.records import Results
from ..facts.overview import Overview, Tile
from ..facts.tally import FAILING, GROUPS, OperatorVersion
from .signs import GLYPHS

if TYPE_CHECKING:
    from markupsafe import Markup


_NO_TILE = ("", "n")
_GROUP_NAMES = tuple(group.name for group in GROUPS)
_FAILING_NAMES = tuple(group.name for group in FAILING)


def map_rows(results: Sequence[Results], view: Overview) -> list[dict[str, Any]]:
    """A row for each operator version, with the counts if there is only one backend."""
    from markupsafe import Markup

    rows = []
    for _, versions in groupby(view.versions, key=lambda version: version.operator):
        for number, version in enumerate(versions):
            cells = [_map_cell(view, backend, version) for backend in range(len(results))]
            counts = view.counts.get((0, version), Counter())
            rows.append(
                {
                    "name": str(version),
                    "first": number == 0,
                    "cells": Markup("").join(map(drawn_cell, cells)),
                    "counts": counts if len(results) == 1 else None,
                    "total": counts.total(),
                }
            )
    return rows


def _map_cell(view: Overview, backend: int, version: OperatorVersion) -> dict[str, Any]:
    counts = view.counts.get((backend, version))
    if counts is None:
        return {"tiles": "", "label": "not planned", "failing": 0}
    return strip([view.tiles.get((backend, version, name)) for name in view.types], counts)


def strip(tiles: Iterable[Tile | None], counts: Mapping[str, int]) -> dict[str, Any]:
    """A cell of a map: its tiles as markup, and all their counts in words."""
    number_of = counts.get
    words = ", ".join(f"{number_of(name):,} {name}" for name in _GROUP_NAMES if number_of(name))
    return {
        "tiles": _drawn(tuple(tiles)),
        "label": words,
        "failing": sum(number_of(name, 0) for name in _FAILING_NAMES),
    }


def drawn_cell(cell: Mapping[str, Any]) -> Markup:
    """A cell of a map as markup; `worst` is the vector that its number leads to, if it has one.

    Not by the template, and as short as can be (no quotes where HTML needs none, the word "fail"
    from the style sheet): a large site has a hundred thousand cells.
    """
    from markupsafe import Markup, escape

    if not cell["tiles"]:
        return Markup(f'<td aria-label="{cell["label"]}"></td>')  # noqa: S704  our own words
    failing = str(cell["failing"] or "")
    if failing and cell.get("worst"):
        link = escape(visible(cell["worst"]))
        failing = f'<a href="#vector/{link}">{failing}</a>'
    number = f"<b>{failing}</b>" if failing else ""
    tiles = f'<span role=img title="{cell["label"]}">{cell["tiles"]}</span>'
    return Markup(f"<td>{tiles}{number}</td>")  # noqa: S704  numbers and names of groups


@lru_cache(maxsize=4096)
def _drawn(tiles: tuple[Tile | None, ...]) -> Markup:
    """Tiles as markup, equal neighbours joined; signs and letters are our own."""
    from markupsafe import Markup

    runs = []
    for tile, alike in groupby(tiles):
        length = len(list(alike))
        glyph, letter = _NO_TILE if tile is None else GLYPHS[tile.group.name]
        letter = letter.upper() if tile is not None and tile.whole else letter
        classes = letter if length == 1 else f'"{letter} w{length}"'
        runs.append(f"<i class={classes}>{glyph * length}</i>")
    return Markup("".join(runs))  # noqa: S704
