"""The gate's outcome on a terminal: what is red, grouped, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator

from onnx_conformance.core.text import one_line, quantity, shortened

from ..results.cause_words import cause_lines
from ..results.records import Results
from ..results.rerun_command import reproducing_command
from .baseline import GateOutcome, in_words
from .newer import WHAT_TO_DO, newer_causes, newer_headline

MOST = 20
_LONGEST = 400


def gate_lines(outcome: GateOutcome, results: Results, most: int | None = MOST) -> Iterator[str]:
    """What is red: failures by cause, wrong entries, and at the end the counts.

    Args:
        outcome: the gate's answer.
        results: the results that it is about.
        most: the largest number of causes, and of entries, to show; the rest is counted. None gives
            every vector a line.
    """
    yield from (one_line(sentence, _LONGEST) for sentence in (*outcome.said_first, *outcome.alarms))
    of_entries, causes = outcome.of_entries, outcome.unlisted(results)
    for cause in causes[:most]:
        for line in cause_lines(cause, results.header.requirements, every=most is None):
            yield line if most is None else shortened(line, _LONGEST)
    left = causes[len(causes) if most is None else most :]
    if left:
        failures = quantity(sum(len(cause.rows) for cause in left), "unexpected failure")
        yield f"and {quantity(len(left), 'more cause')} of {failures}; --verbose lists all"
    for finding in of_entries[:most]:
        yield one_line(finding.message, _LONGEST)
    rest = len(of_entries[:most])
    if rest < len(of_entries):
        yield f"and {quantity(len(of_entries) - rest, 'more finding')}; --verbose lists all"
    if causes:
        first = causes[0].example.id
        yield f"run one alone: {reproducing_command(results.header, first)}"
    if outcome.lost.too_many:
        yield one_line(outcome.lost.words, _LONGEST)
    yield from _newer_lines(outcome, results, most)
    for sentence in outcome.shortfalls:
        yield one_line(sentence, _LONGEST)
    yield in_words(outcome)


def _newer_lines(outcome: GateOutcome, results: Results, most: int | None) -> Iterator[str]:
    """What fails among vectors that are newer than the baseline, by release and cause."""
    for release, passing, failing, causes in newer_causes(outcome, results):
        yield newer_headline(release, passing, len(failing), len(causes))
        for cause in causes[:most]:
            for line in cause_lines(cause, results.header.requirements, every=most is None):
                yield f"  {line if most is None else shortened(line, _LONGEST)}"
        if most is not None and len(causes) > most:
            yield f"  and {quantity(len(causes) - most, 'more cause')}; --verbose lists all"
    if outcome.failing_newer:
        yield f"  {WHAT_TO_DO}"
