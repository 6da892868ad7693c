"""The content of a runtime's page: causes, operators as bars, accuracy as dots, versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from onnx_conformance.core.text import one_line, visible

from ...results.causes import Cause
from ...results.changes import RunChanges
from ...results.records import Results
from ..facts.completeness import gaps, notes
from ..facts.profiles_met import accuracy_by_operator, words
from ..facts.tally import UNSUPPORTED, as_seen, tally_by_version, total_tally
from ..page.signs import legend_of
from .drawing import bar_of, dot_plot
from .history import history
from .index import changed
from .pages import about, cause_facts, moment, operator_slug

_REASONS_SHOWN = 12


def runtime_facts(
    column: Results,
    name: str,
    failing: Sequence[Cause],
    earlier: Sequence[Results],
    changes: RunChanges | None,
) -> dict[str, Any]:
    """The context of `site_runtime.html.j2`.

    `failing` are the causes of its failures, `earlier` older runs of the same runtime, `changes`
    what changed since the latest of them.
    """
    requirements = column.header.requirements
    runtime = column.header.backend
    causes = [cause_facts(item, {runtime: len(item.rows)}, requirements) for item in failing]
    return {
        "about": about(column, name),
        "gaps": gaps(column),
        "notes": notes(column),
        "causes": causes,
        "verdicts": sorted({cause["search"]["verdict"] for cause in causes}),
        "changes": changed(changes) if changes is not None else None,
        "history": history([*earlier, column]),
        "versions": [
            {
                "name": str(version),
                "page": f"../operators/{operator_slug(str(version).lower())}.html",
                "bar": bar_of(tally.groups),
            }
            for version, tally in tally_by_version(column).items()
        ],
        "unsupported": _unsupported(column),
        "plot": _plot(column),
        "growth": _growth([*earlier, column]),
        "legend": legend_of([column]),
    }


def _unsupported(column: Results) -> list[tuple[str, int]]:
    """Why vectors were unsupported, most frequent reason first."""
    unsupported = frozenset(UNSUPPORTED.verdicts)
    messages = Counter(row.message for row in column.rows if row.verdict in unsupported)
    reasons: Counter[str] = Counter()
    for message, count in messages.items():
        reasons[one_line(message.split(" | ")[0], 160) or "no reason given"] += count
    return reasons.most_common(_REASONS_SHOWN)


def _plot(column: Results) -> dict[str, Any] | None:
    """The largest used fraction of the limits, by operator; None if nothing has limits."""
    found = {visible(name): item for name, item in accuracy_by_operator(column).items()}
    used = {name: item.used for name, item in found.items() if item.used is not None}
    return dot_plot(used, {name: words(found[name]) for name in used}) if used else None


def _growth(runs: Sequence[Results]) -> list[dict[str, Any]]:
    """The counts of each version that was judged; empty if there is only one run."""
    if len(runs) == 1:
        return []
    return [
        {
            "version": one_line(str(run.header.describe.get("version", "")), 60),
            "started": moment(run.header.started),
            "bar": bar_of(total_tally(as_seen(run)).groups),
        }
        for run in runs
    ]
