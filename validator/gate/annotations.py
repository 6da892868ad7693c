"""Causes of a red gate as workflow commands: GitHub shows them beside the lines of a change.

Source: GitHub's documentation, "Workflow commands for GitHub Actions", setting an error message.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode
from onnx_conformance.core.text import one_line

from ..results.cause_words import cause_lines
from ..results.causes import Cause
from ..results.records import Results
from .findings import GateFinding
from .newer import newer_causes, newer_headline
from .status import Status

if TYPE_CHECKING:
    from .baseline import GateOutcome

# GitHub shows ten errors of one step; the job's summary lists the others.
MOST = 10
LONGEST = 500
_TITLE = "ONNX conformance: "


def github(outcome: GateOutcome, results: Results) -> Iterator[str]:
    """A workflow command for each cause of failures and for each finding about an entry.

    If there are more than GitHub shows, causes and entries share the places, and the last command
    tells how many more there are. If the runtime has another version than the baseline was made
    with, that comes first: as a warning, of which GitHub shows ten besides the errors, or as a
    notice if the gate is green.
    """
    if outcome.other is not None:
        listed = outcome.other.listed
        place = f"file={_property(listed.file)},line={listed.line}"
        title = _property(f"{_TITLE}another version")
        kind = "notice" if outcome.exit_code == ExitCode.OK else "warning"
        yield f"::{kind} {place},title={title}::{_text(one_line(outcome.of_other, LONGEST))}"
    for release, passing, failing, found in newer_causes(outcome, results):
        words = newer_headline(release, passing, len(failing), len(found))
        yield f"::notice title=ONNX conformance::{_text(one_line(words, LONGEST))}"
    for alarm in outcome.alarms:
        yield f"::error title=ONNX conformance::{_text(one_line(alarm, LONGEST))}"
    causes = [
        f"::error title={_property(_TITLE + Status.UNEXPECTED.value)}::{_words(cause, results)}"
        for cause in outcome.unlisted(results)
    ]
    entries = [_of_entry(item) for item in outcome.of_entries]
    shown = causes + entries
    most = MOST - len(outcome.alarms)
    if len(shown) > most:
        # Neither kind may push the other out.
        of_entries = min(len(entries), max(most // 2, most - 1 - len(causes)))
        shown = causes[: most - 1 - of_entries] + entries[:of_entries]
    yield from shown
    more = len(causes) + len(entries) - len(shown)
    if more:
        yield f"::error title=ONNX conformance::and {more} more: see the summary of the job"
    if outcome.lost.too_many:
        words = _text(one_line(outcome.lost.words, LONGEST))
        yield f"::error title=ONNX conformance%3A lost children::{words}"
    if outcome.missing:
        ids = f"{len(outcome.missing)} planned vectors have no verdict, such as"
        yield f"::error title=ONNX conformance::{ids} {_text(one_line(outcome.missing[0]))}"


def _words(cause: Cause, results: Results) -> str:
    return _text(one_line(" ".join(cause_lines(cause, results.header.requirements)), LONGEST))


def _of_entry(finding: GateFinding) -> str:
    """The command for a finding, at the line of the baseline if it is about one."""
    entry = finding.entry
    place = f"file={_property(entry.file)},line={entry.line}," if entry else ""
    title = _property(_TITLE + finding.status.value)
    return f"::error {place}title={title}::{_text(one_line(finding.message, LONGEST))}"


def _text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _text(text).replace(":", "%3A").replace(",", "%2C")
