"""Operators side by side: an operator passes if every one of its vectors does.

All versions of an operator count as one. If a vector is unsupported, inconclusive or without a
verdict, its operator does not pass, and the cell says so: a short list of passes is worth more than
a long one with hidden gaps.
"""

from __future__ import annotations

from collections.abc import Sequence

from onnx_conformance.core.markdown import cell, code, table
from onnx_conformance.core.text import quantity

from ..judging.verdicts import Verdict
from ..results.records import Results
from .facts.completeness import gaps, notes
from .facts.tally import LATITUDE, PASS, Tally, shown_groups, tally_by_operator, total_tally
from .markdown import legend

_INTRODUCTION = (
    "An operator passes (✓) where all of its vectors pass, in every version. A vector that is"
    " unsupported is not a pass, and keeps its operator from passing (○ where nothing else did)."
)
_MANY_NODES = "(models of several nodes)"


def passes(tally: Tally) -> bool:
    """Whether an operator passes: each vector passed, perhaps with a permitted result."""
    return 0 < tally.total == tally.of(PASS) + tally.of(LATITUDE)


def render(results: Sequence[Results]) -> str:
    """The report as Markdown, one row for each operator, ending with a newline."""
    names = [item.header.backend for item in results]
    tallies = [tally_by_operator(item) for item in results]
    operators = sorted({operator for counted in tallies for operator in counted})
    corpus = results[0].header.corpus.get("version", "unversioned")
    parts = [
        "# Operators",
        f"Corpus {code(str(corpus))}. {_INTRODUCTION}",
        _totals(names, tallies),
        legend(shown_groups([total_tally(item) for item in results])),
        *_remarks(results),
        table(
            ["operator", *(cell(name) for name in names)],
            (
                [
                    cell(operator or _MANY_NODES),
                    *(_cell(counted.get(operator)) for counted in tallies),
                ]
                for operator in operators
            ),
            numbers=True,
        ),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _totals(names: Sequence[str], tallies: Sequence[dict[str, Tally]]) -> str:
    lines = []
    for name, counted in zip(names, tallies, strict=True):
        passing = sum(passes(tally) for tally in counted.values())
        untouched = sum(tally.of(PASS) + tally.of(LATITUDE) == 0 for tally in counted.values())
        partly = len(counted) - passing - untouched
        lines.append([cell(name), str(len(counted)), str(passing), str(partly), str(untouched)])
    heading = ["backend", "operators", "pass", "pass in part", "pass nowhere"]
    return table(heading, lines, numbers=True)


def _remarks(results: Sequence[Results]) -> list[str]:
    lines = []
    for item in results:
        name = code(item.header.backend)
        lines += [f"- {name}: {code(remark)}" for remark in notes(item)]
        lines += [f"- {name}: **incomplete:** {code(gap)}" for gap in gaps(item)]
    return ["\n".join(lines)] if lines else []


def _cell(tally: Tally | None) -> str:
    """`✓ 12`, or how many pass and the results of the others."""
    if tally is None:
        return "not selected"
    if passes(tally):
        return f"✓ {tally.total}"
    good = tally.of(PASS) + tally.of(LATITUDE)
    verdicts = sorted(tally.verdicts.items(), key=lambda item: (-item[1], item[0]))
    others = [f"{count} {name}" for name, count in verdicts if name != Verdict.PASS]
    symbol = "○" if good + tally.verdicts[Verdict.UNSUPPORTED] == tally.total else "✗"
    return f"{symbol} {good} of {quantity(tally.total, 'vector')}: {', '.join(others)}"
