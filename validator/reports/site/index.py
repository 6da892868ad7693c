"""The content of the first page: runtimes, the map of operators, what is wrong, what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from onnx_conformance.core.corpus.requirements import joined
from onnx_conformance.core.text import one_line, quantity

from ...results.causes import Cause
from ...results.changes import CHANGES, WORSE, Change, RunChanges, VectorChange
from ...results.records import Results
from ...results.wording import verdict_and_message
from ..comparison import grouped, transition
from ..facts.completeness import gaps, notes
from ..facts.provenance import provenance
from ..page.signs import legend_of
from .history import history
from .operator_map import operator_map
from .pages import about, cause_facts, moment, operator_slug
from .shared_causes import SharedCause, shared_causes

# Causes to read first, and those that are there for the filters; the page of a runtime has all.
CAUSES_FIRST, CAUSES_SHOWN = 20, 80
CHANGES_SHOWN = 12
# Vectors that only one run has are counted alone: their pages may not exist.
_TOLD: tuple[Change, ...] = (*WORSE, "changed", "fixed", "newly-supported")


class Past(NamedTuple):
    """What was before.

    Attributes:
        runs: earlier runs of each runtime, by its name, the oldest first.
        changes: what changed since the latest of them, for each runtime that has any.
    """

    runs: Mapping[str, Sequence[Results]]
    changes: Sequence[RunChanges]


def index_facts(
    columns: Sequence[Results],
    names: Sequence[str],
    failing: Sequence[Sequence[Cause]],
    parts: Sequence[tuple[str, Sequence[Results]]],
    past: Past,
) -> dict[str, Any]:
    """The context of `site_index.html.j2`.

    `failing` are the causes of each column, `parts` the results of each operator.
    """
    requirements = joined(column.header.requirements for column in columns)
    shared = shared_causes([column.header.backend for column in columns], failing)
    causes = [cause_facts(item.cause, item.runtimes, requirements) for item in _shown(shared)]
    corpus = columns[0].header.corpus
    return {
        "corpus": corpus,
        "runtimes": [
            {
                **about(column, name),
                "causes": len(of_one),
                "gaps": gaps(column),
                "notes": notes(column),
                "history": history([*past.runs[column.header.backend], column]),
            }
            for column, name, of_one in zip(columns, names, failing, strict=True)
        ],
        "first": causes[:CAUSES_FIRST],
        "further": causes[CAUSES_FIRST:],
        "total_causes": len(shared),
        "provenance": provenance(columns),
        "verdicts": sorted({cause["search"]["verdict"] for cause in causes}),
        "map": operator_map(columns, parts),
        "changes": [changed(item) for item in past.changes],
        "legend": legend_of(columns),
        "lede": {
            "runtimes": quantity(len(columns), "runtime"),
            "vectors": quantity(len(_ids(columns)), "small model"),
        },
    }


def _shown(shared: Sequence[SharedCause]) -> list[SharedCause]:
    """The worst, and of the others those that are high up on the page of some runtime."""
    others = sorted(shared[CAUSES_FIRST:], key=lambda item: item.rank)
    kept = {id(item) for item in (*shared[:CAUSES_FIRST], *others[: CAUSES_SHOWN - CAUSES_FIRST])}
    return [item for item in shared if id(item) in kept]


def _ids(columns: Sequence[Results]) -> set[str]:
    return {item for column in columns for item in column.header.planned}


def _told(item: RunChanges, change: Change) -> dict[str, Any]:
    """What changed in one way: a line for each cause, the worst first.

    What is fixed tells how it failed before.
    """
    groups = grouped(item, item.of(change))
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
    """What came of a vector, or before if it passes now; the verdicts are beside it."""
    row = item.old if item.new is None or item.new.passed else item.new
    return verdict_and_message(row.verdict, row.phase, row.message)[1] if row is not None else ""


def changed(item: RunChanges) -> dict[str, Any]:
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
