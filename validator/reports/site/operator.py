"""What the page of an operator shows beside that of `report --html`: requirements and forms."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.requirements import joined, source_of, words_of
from onnx_conformance.core.text import one_line, visible

from ..facts.public_pages import public_page
from ..facts.tally import FAILING, group_named
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
    for name, cells in _lines(columns, lambda row: row.covers).items():
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
    # In the order of the spec, where it is known.
    order = {visible(name): number for number, name in enumerate(known.get(operator, {}))}
    requirements.sort(key=lambda item: order.get(str(item["name"]), len(order)))
    forms = [
        {"name": visible(name), "cells": cells}
        for name, cells in sorted(
            _lines(columns, lambda row: (row.form,) if row.form else ()).items()
        )
    ]
    return {
        "operator": one_line(operator, 80),
        "public_page": public_page(operator, known.get(operator, {})),
        "requirement_lines": requirements,
        "form_lines": forms,
    }


def _lines(
    columns: Sequence[Results], keys: Callable[[Row], tuple[str, ...]]
) -> dict[str, list[dict[str, Any]]]:
    """Key -> for each runtime the bar of the vectors that have it, and how many of them fail."""
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
