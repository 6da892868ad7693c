"""Additions of a site to the page of an operator (`report --html`): requirements and forms.

Both are axes of the map beside the axis of element types that all pages have; requirements are
listed in words as well, with bars.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from onnx_conformance.core.corpus.requirements import Requirements, full_name, joined
from onnx_conformance.core.text import one_line, visible

from ...results.records import Results, Row
from ...results.rerun_command import reproducing_command
from ..facts.overview import tile_of_counts
from ..facts.public_pages import public_page
from ..facts.tally import group_named, rows_to_look_at
from ..page.cases import requirement_facts
from ..page.map import drawn_cell, strip
from .drawing import bars, cell_of

# Of the map, in pixels: the room of a window of 1,400, a tile, the number beside its row, the
# space between two runtimes, and a character of a name.
_SCREEN, _TILE, _COUNT, _GAP, _CHARACTER = 1270, 12, 36, 28, 8
# With more runtimes a requirement has bars of those alone on which it fails.
_BARS_OF_ALL = 10


def operator_facts(columns: Sequence[Results]) -> dict[str, Any]:
    """The requirements with bars, and the map by requirement and by form."""
    known = joined(column.header.requirements for column in columns)
    operator = next((row.operator for column in columns for row in column.rows), "")
    named = full_name(known, operator)
    names = [one_line(column.header.backend, 80) for column in columns]
    counts = [_counted(column) for column in columns]
    versions = sorted({row.since_version for column in columns for row in column.rows})
    failing = [rows_to_look_at(column) for column in columns]
    # In the order of the spec, if it is known.
    order = {visible(name): number for number, name in enumerate(known.get(named, {}))}
    by_requirement = _axis(failing, counts, _covers)
    by_requirement.sort(key=lambda line: order.get(visible(line.key), len(order)))
    by_form = sorted(_axis(failing, counts, _forms), key=lambda line: visible(line.key))
    return {
        "operator": one_line(operator, 80),
        "versions": versions,
        "commands": [
            (name, reproducing_command(column.header, "ID"))
            for name, column in zip(names, columns, strict=True)
        ],
        "axes": [
            {"name": "requirement", "bands": _bands(names, versions, by_requirement)},
            {"name": "form", "bands": _bands(names, versions, by_form)},
        ],
        "public_page": public_page(named, known.get(named, {})),
        "requirement_lines": [
            _requirement(known, operator, line, names) for line in by_requirement
        ],
    }


def _requirement(
    known: Requirements, operator: str, line: _Line, names: Sequence[str]
) -> dict[str, Any]:
    """A requirement in words, with a bar for each runtime."""
    found = requirement_facts(known, operator, line.key)
    # What does not fail on any of many runtimes is in the map alone.
    cells = [cell_of(place.total) for place in line.places]
    drawn = bars(names, cells, calm_together=len(names) > _BARS_OF_ALL)
    return {**found, "name": found["id"], "bars": drawn}


class _Alike(NamedTuple):
    """What the bars and the axes of the map tell of a vector: many vectors have it in common."""

    covers: tuple[str, ...]
    form: str
    since_version: int
    group: str


_alike = attrgetter("covers", "form", "since_version", "verdict", "expect")


def _counted(column: Results) -> Counter[_Alike]:
    """How many of a runtime's vectors are alike, in the order in which such come first."""
    counts: Counter[_Alike] = Counter()
    found = Counter(map(_alike, column.rows))
    for (covers, form, version, verdict, expect), count in found.items():
        counts[_Alike(covers, form, version, group_named(verdict, expect).name)] += count
    return counts


def _covers(item: _Alike | Row) -> tuple[str, ...]:
    return item.covers


def _forms(item: _Alike | Row) -> tuple[str, ...]:
    return (item.form,) if item.form else ()


class _Place(NamedTuple):
    """What a runtime's vectors of one key came to."""

    #: Version of the operator -> group of verdicts -> how many.
    of_versions: dict[int, dict[str, int]]
    #: One that fails, or an empty text.
    worst: str

    @property
    def total(self) -> dict[str, int]:
        """Group of verdicts -> how many, over all versions."""
        found: dict[str, int] = {}
        for counts in self.of_versions.values():
            for name, count in counts.items():
                found[name] = found.get(name, 0) + count
        return found


class _Line(NamedTuple):
    """A line of the map, with a place for each runtime."""

    #: A requirement or a form.
    key: str
    places: list[_Place]


def _axis(
    failing: Sequence[Sequence[Row]],
    counted: Sequence[Counter[_Alike]],
    keys: Callable[[_Alike | Row], tuple[str, ...]],
) -> list[_Line]:
    """A line of the map for each key."""
    found: defaultdict[str, list[dict[int, dict[str, int]]]] = defaultdict(
        lambda: [{} for _ in failing]
    )
    worst: dict[tuple[str, int], str] = {}
    for number, (rows, counts) in enumerate(zip(failing, counted, strict=True)):
        for item, count in counts.items():
            for key in keys(item):
                of_version = found[key][number].setdefault(item.since_version, {})
                of_version[item.group] = of_version.get(item.group, 0) + count
        for row in rows:
            for key in keys(row):
                worst.setdefault((key, number), row.id)
    return [
        _Line(
            key,
            [
                _Place(of_versions, worst.get((key, number), ""))
                for number, of_versions in enumerate(of_columns)
            ],
        )
        for key, of_columns in found.items()
    ]


def _bands(
    names: Sequence[str], versions: Sequence[int], lines: Sequence[_Line]
) -> list[dict[str, Any]]:
    """The map in tables below each other, each of as many columns as a screen is wide.

    Runtimes that come to the same on every line are one column with all their names.
    """
    from markupsafe import Markup

    alike: list[list[int]] = []
    for number in range(len(names)):
        places = [line.places[number] for line in lines]
        for of in alike:
            if places == [line.places[of[0]] for line in lines]:
                of.append(number)
                break
        else:
            alike.append([number])
    label = max((len(visible(line.key)) for line in lines), default=0)
    room = _SCREEN - _CHARACTER * label
    widths = [
        max(*(_CHARACTER * len(names[number]) for number in of), _TILE * len(versions) + _COUNT)
        + _GAP
        for of in alike
    ]
    count = min(len(alike), math.ceil(sum(widths) / max(room, *widths)))
    size = math.ceil(len(alike) / max(count, 1))
    return [
        {
            "backends": [[names[number] for number in of] for of in alike[start : start + size]],
            "lines": [
                {
                    "name": visible(line.key),
                    "cells": Markup("").join(
                        drawn_cell(_cell(line.places[of[0]], versions))
                        for of in alike[start : start + size]
                    ),
                }
                for line in lines
            ],
        }
        for start in range(0, len(alike), size)
    ]


def _cell(place: _Place, versions: Sequence[int]) -> dict[str, Any]:
    """What a runtime's vectors of one key are drawn as."""
    of_versions, worst = place
    if not of_versions:
        return {"tiles": "", "label": "not run", "failing": 0, "worst": ""}
    tiles = (
        tile_of_counts(of_versions[version]) if version in of_versions else None
        for version in versions
    )
    return {**strip(tiles, place.total), "worst": worst}
