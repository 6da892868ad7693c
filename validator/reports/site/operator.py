"""Additions of a site to the page of an operator (`report --html`): requirements and forms.

Both are shown as bars, and as axes of the map beside the axis of element types that all pages have.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.requirements import joined, source_of, words_of
from onnx_conformance.core.text import one_line, visible

from ..facts.overview import tile_of_counts
from ..facts.public_pages import public_page
from ..facts.tally import FAILING, group_named
from ..html import strip
from ..payload import safe_link
from .drawing import bar_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...results.records import Results, Row

_FAILING = tuple(group.name for group in FAILING)


def operator_facts(columns: Sequence[Results]) -> dict[str, Any]:
    """Lines of bars, a bar for each runtime: by requirement and by form."""
    known = joined(column.header.requirements for column in columns)
    operator = next((row.operator for column in columns for row in column.rows), "")
    requirements: list[dict[str, Any]] = []
    for name, cells in _lines(columns, _covers).items():
        words = words_of(known, operator, name)
        requirements.append(
            {
                "name": visible(name),
                "text": visible(str(words.get("text", ""))),
                "source": visible(source_of(words, " · ")),
                "url": safe_link(words.get("url")),
                "cells": cells,
            }
        )
    # In the order of the spec, if it is known.
    order = {visible(name): number for number, name in enumerate(known.get(operator, {}))}
    requirements.sort(key=lambda item: order.get(str(item["name"]), len(order)))
    forms = [
        {"name": visible(name), "cells": cells}
        for name, cells in sorted(_lines(columns, _forms).items())
    ]
    versions = sorted({row.since_version for column in columns for row in column.rows})
    by_requirement = _axis(columns, versions, _covers)
    by_requirement.sort(key=lambda line: order.get(str(line["name"]), len(order)))
    by_form = _axis(columns, versions, _forms)
    by_form.sort(key=lambda line: str(line["name"]))
    return {
        "operator": one_line(operator, 80),
        "versions": versions,
        "axes": [
            {"name": "requirement", "lines": by_requirement},
            {"name": "form", "lines": by_form},
        ],
        "public_page": public_page(operator, known.get(operator, {})),
        "requirement_lines": requirements,
        "form_lines": forms,
    }


def _covers(row: Row) -> tuple[str, ...]:
    return row.covers


def _forms(row: Row) -> tuple[str, ...]:
    return (row.form,) if row.form else ()


def _axis(
    columns: Sequence[Results], versions: Sequence[int], keys: Callable[[Row], tuple[str, ...]]
) -> list[dict[str, Any]]:
    """A line of the map for each key: for each runtime a tile for each version of the operator."""
    counts: defaultdict[str, list[dict[int, Counter[str]]]] = defaultdict(
        lambda: [{} for _ in columns]
    )
    worst: dict[tuple[str, int], str] = {}
    for number, column in enumerate(columns):
        for row in column.rows:
            group = group_named(row.verdict, row.expect).name
            for key in keys(row):
                counts[key][number].setdefault(row.since_version, Counter())[group] += 1
                if group in _FAILING:
                    worst.setdefault((key, number), row.id)
    return [
        {
            "name": visible(key),
            "cells": [
                {
                    **strip(
                        [
                            tile_of_counts(found[version]) if version in found else None
                            for version in versions
                        ],
                        sum(found.values(), Counter()),
                    ),
                    "worst": worst.get((key, number), ""),
                }
                if found
                else {"runs": [], "label": "not run", "failing": 0, "worst": ""}
                for number, found in enumerate(of_columns)
            ],
        }
        for key, of_columns in counts.items()
    ]


def _lines(
    columns: Sequence[Results], keys: Callable[[Row], tuple[str, ...]]
) -> dict[str, list[dict[str, Any]]]:
    """Key -> for each runtime the bar of the vectors with that key, and how many of them fail."""
    counts: defaultdict[str, list[Counter[str]]] = defaultdict(lambda: [Counter() for _ in columns])
    for number, column in enumerate(columns):
        found = Counter((row.verdict, row.expect, keys(row)) for row in column.rows)
        for (verdict, expect, names), count in found.items():
            for name in names:
                counts[name][number][group_named(verdict, expect).name] += count
    return {
        key: [
            {"bar": bar_of(cell), "failing": sum(cell[name] for name in _FAILING)} for cell in cells
        ]
        for key, cells in counts.items()
    }
