"""The content of the first page: failures, judged runtimes, every operator, and changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.requirements import joined
from onnx_conformance.core.text import one_line, quantity

from ...results.changes import CHANGES, WORSE
from ...results.wording import verdict_and_message
from ..comparison import alike, transition
from ..facts.completeness import gaps, notes
from ..facts.provenance import provenance
from ..facts.tally import total_tally
from ..page.signs import legend_of
from .drawing import bars, cell_of
from .pages import about, cause_facts, moment, operator_slug
from .shared_causes import shared_causes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...results.causes import Cause
    from ...results.changes import Change, RunChanges, VectorChange
    from ...results.records import Results

# Causes shown for each runtime; its own page has the others.
CAUSES_SHOWN = 40
CHANGES_SHOWN = 12
# Vectors that only one run has are counted alone: their pages may not exist.
_TOLD: tuple[Change, ...] = (*WORSE, "changed", "fixed", "newly-supported")


def index_facts(
    columns: Sequence[Results],
    names: Sequence[str],
    failing: Sequence[Sequence[Cause]],
    changes: Sequence[RunChanges],
    parts: Sequence[tuple[str, Sequence[Results]]],
) -> dict[str, Any]:
    """The context of `site_index.html.j2`.

    `failing` are the causes of each column, `parts` the results of each operator.
    """
    requirements = joined(column.header.requirements for column in columns)
    shared = shared_causes([column.header.backend for column in columns], failing)
    causes = [
        cause_facts(item.cause, item.runtimes, requirements)
        for item in shared
        if item.rank < CAUSES_SHOWN
    ]
    corpus = columns[0].header.corpus
    return {
        "corpus": corpus,
        "runtimes": [
            {
                **about(column, name),
                "causes": len(of_one),
                "gaps": gaps(column),
                "notes": notes(column),
            }
            for column, name, of_one in zip(columns, names, failing, strict=True)
        ],
        "causes": causes,
        "total_causes": len(shared),
        "provenance": provenance(columns),
        "verdicts": sorted({cause["search"]["verdict"] for cause in causes}),
        "operators": _operators(columns, parts),
        "changes": [_changed(item) for item in changes],
        "legend": legend_of(columns),
        "lede": f"{quantity(len(columns), 'runtime')} on {quantity(len(_ids(columns)), 'vector')}",
    }


def _ids(columns: Sequence[Results]) -> set[str]:
    return {item for column in columns for item in column.header.planned}


def _operators(
    columns: Sequence[Results], parts: Sequence[tuple[str, Sequence[Results]]]
) -> list[dict[str, Any]]:
    """A line for each operator: a bar for each runtime."""
    numbers = {column.header.backend: number for number, column in enumerate(columns)}
    names = [one_line(column.header.backend, 80) for column in columns]
    lines = []
    for slug, of_one in parts:
        cells: list[dict[str, int]] = [{} for _ in columns]
        for item in of_one:
            cells[numbers[item.header.backend]] = total_tally(item).groups
        shown = next((item.rows[0].operator for item in of_one if item.rows), slug)
        lines.append(
            {
                "name": one_line(shown, 60),
                "page": f"operators/{slug}.html",
                "bars": bars(names, [cell_of(cell) for cell in cells]),
            }
        )
    return sorted(lines, key=lambda line: str(line["name"]))


def _told(item: RunChanges, change: Change) -> dict[str, Any]:
    """What changed in one way: a line for each cause, the worst first.

    What is fixed tells how it failed before.
    """
    groups = alike(item, item.of(change))
    return {
        "change": change,
        "vectors": sum(map(len, groups)),
        "worse": change in WORSE,
        "causes": [
            {
                "id": one_line(same[0].id),
                "page": f"operators/{operator_slug(same[0].id)}.html",
                "count": len(same),
                "words": transition(same[0]),
                "message": one_line(_message(same[0]), 200),
            }
            for same in groups[:CHANGES_SHOWN]
        ],
        "more": len(groups[CHANGES_SHOWN:]),
        "more_vectors": sum(map(len, groups[CHANGES_SHOWN:])),
    }


def _message(item: VectorChange) -> str:
    """What came of a vector, or before if it passes now; the verdicts stand beside it."""
    row = item.old if item.new is None or item.new.passed else item.new
    return verdict_and_message(row.verdict, row.phase, row.message)[1] if row is not None else ""


def _changed(item: RunChanges) -> dict[str, Any]:
    """Changes since an earlier run: how many, and by cause what became of vectors of both runs."""
    return {
        "name": one_line(item.new.header.backend, 80),
        "old": one_line(str(item.old.header.describe.get("version", "")), 60),
        "new": one_line(str(item.new.header.describe.get("version", "")), 60),
        "since": moment(item.old.header.started),
        "same_corpus": item.same_corpus,
        "counts": [(change, len(item.of(change))) for change in CHANGES if item.of(change)],
        "kinds": [_told(item, change) for change in _TOLD if item.of(change)],
        "same": item.same,
    }
