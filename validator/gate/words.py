"""What the gate says on a terminal: what is red, like beside like, and how to go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.text import one_line, quantity

from ..results.rerun_command import reproducing_command
from .baseline import Status, in_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..judging.verdicts import Verdict
    from ..results.records import Results
    from .baseline import GateFinding, GateOutcome

MOST = 20
_LONGEST = 400


def gate_lines(outcome: GateOutcome, results: Results, most: int = MOST) -> Iterator[str]:
    """The findings, one line for all of a case that got the same verdict, and the counts last.

    Args:
        outcome: the gate's answer.
        results: what it is about.
        most: how many lines at most; what is left out is counted.
    """
    verdicts = {row.id: row.verdict for row in results.rows}
    groups = _alike(outcome.findings, verdicts)
    for same in groups[:most]:
        yield one_line(same[0].message, _LONGEST)
        if len(same) > 1:
            yield f"    and {len(same) - 1:,} more with this verdict in this case"
    rest = groups[most:]
    if rest:
        left = quantity(sum(len(same) for same in rest), "more finding")
        yield f"and {left}; --verbose lists all"
    unlisted = [item.ids[0] for item in outcome.findings if item.status is Status.UNEXPECTED]
    if unlisted:
        yield f"run one alone: {reproducing_command(results.header, unlisted[0])}"
    if outcome.lost.too_many:
        yield one_line(outcome.lost.words, _LONGEST)
    for sentence in outcome.shortfalls:
        yield one_line(sentence, _LONGEST)
    yield in_words(outcome)


def _alike(
    findings: Sequence[GateFinding], verdicts: Mapping[str, Verdict]
) -> list[list[GateFinding]]:
    """Findings about single vectors, by case and verdict; those about an entry by themselves."""
    groups: dict[object, list[GateFinding]] = {}
    for finding in findings:
        vector_id = finding.ids[0]
        key: object = finding
        if finding.status is Status.UNEXPECTED:
            key = (vector_id.rpartition("/")[0], verdicts.get(vector_id))
        groups.setdefault(key, []).append(finding)
    return list(groups.values())
