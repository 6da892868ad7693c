"""What turns the gate red, as workflow commands that GitHub shows beside the lines of a change.

Source: GitHub's documentation, "Workflow commands for GitHub Actions", setting an error message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .baseline import GateOutcome

# GitHub shows ten errors of one step; what is beyond is in the job's summary.
MOST = 10
LONGEST = 500


def github(outcome: GateOutcome) -> Iterator[str]:
    """A workflow command for each finding, the last of them for those that are not shown."""
    shown = outcome.findings if len(outcome.findings) <= MOST else outcome.findings[: MOST - 1]
    for finding in shown:
        entry = finding.entry
        place = f"file={_property(entry.file)},line={entry.line}," if entry else ""
        title = _property(f"ONNX conformance: {finding.status.value}")
        yield f"::error {place}title={title}::{_text(one_line(finding.message, LONGEST))}"
    more = len(outcome.findings) - len(shown)
    if more:
        yield f"::error title=ONNX conformance::and {more} more: see the summary of the job"
    if outcome.lost.too_many:
        words = _text(one_line(outcome.lost.words, LONGEST))
        yield f"::error title=ONNX conformance%3A lost children::{words}"
    if outcome.missing:
        ids = f"{len(outcome.missing)} planned vectors have no verdict, such as"
        yield f"::error title=ONNX conformance::{ids} {_text(one_line(outcome.missing[0]))}"


def _text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _text(text).replace(":", "%3A").replace(",", "%2C")
