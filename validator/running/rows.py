"""Runs a plan: judges each observation and makes its row as soon as possible.

The row of an invalid vector waits for the verdict of its control, because a rejection proves
nothing if the backend also rejects the valid neighbour.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.corpus import Entry, model_of, read_metadata
from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.limits import LISTED_VALUES, MESSAGE
from onnx_conformance.core.text import cut, first_and_last, one_line
from onnx_conformance.core.values.limits import IEEE

from ..host.requests import Finished
from ..judging.judge import judge, settle
from ..judging.tolerance_rules import ONNX_MODE, rule_for
from ..judging.verdicts import LOST_VERDICTS, Judgement, Verdict
from ..profiles.needs import needs_of
from ..profiles.profile import Profile
from ..results.records import DIGITS, Row, make_row
from ..results.showing import input_texts, model_words
from .planning import RunPlan

if TYPE_CHECKING:
    from ..host.preparing import Expectation

_INCIDENTS = "incidents"


class RowJudge:
    """Turns the engine's results into rows, in an order that respects the controls."""

    def __init__(
        self,
        plan: RunPlan,
        verdicts: Mapping[str, str],
        tolerance: str = ONNX_MODE,
        accuracy: str = IEEE,
        profile: Profile | None = None,
    ) -> None:
        """Judge the vectors of a plan.

        Args:
            plan: what is run.
            verdicts: verdicts that are known already, from a run that is continued.
            tolerance: mode of `tolerance_rules.rule_for`.
            accuracy: profile of `tolerance_rules.rule_for`.
            profile: what the backend claims to support, or None.
        """
        self._profile = profile
        self._tolerance = tolerance
        self._accuracy = accuracy
        self._plan = plan
        self._controls = frozenset(plan.control_of.values())
        self._known = {
            control: Verdict(verdicts[control]) for control in self._controls if control in verdicts
        }
        self._spellings: dict[str, str] = {}
        self._waiting: dict[str, list[tuple[Finished[Expectation], Judgement]]] = defaultdict(list)

    def rows(
        self, finished: Finished[Expectation], judgement: Judgement | None = None
    ) -> Iterator[Row]:
        """The rows that can be written now that one more vector has finished.

        `judgement` is the result of `self.judgement` for it; None means to compute it here.
        """
        if judgement is None:
            judgement = self.judgement(finished)
        verdict = judgement.verdict
        control = self._plan.control_of.get(finished.id)
        if verdict is not Verdict.PASS or finished.carried.vector.kind != Kind.INVALID:
            yield self._row(finished, judgement)
        elif control is None or control in self._known:
            known = self._known.get(control) if control else None
            yield self._row(finished, settle(finished.carried.vector, judgement, known))
        else:
            self._waiting[control].append((finished, judgement))
        if finished.id in self._controls:
            self._known[finished.id] = verdict
            for other, rejected in self._waiting.pop(finished.id, ()):
                yield self._row(other, settle(other.carried.vector, rejected, verdict))

    def judgement(self, finished: Finished[Expectation]) -> Judgement:
        """The verdict, without regard to the control of an invalid vector.

        An unforeseen error concerns this vector only, and is reported as such: no verdict on the
        backend.
        """
        if finished.observation is None:
            return Judgement(Verdict.BAD_VECTOR, finished.problem)
        expectation = finished.carried
        try:
            found = judge(
                expectation.vector,
                expectation.data_sets,
                expectation.permitted,
                finished.observation,
                rule_for(expectation.vector, self._tolerance, self._accuracy),
            )
        except Exception as error:
            return Judgement(Verdict.BAD_VECTOR, _unforeseen(error))
        return _refusal(found) if self._is_broken_claim(finished, found) else found

    def _is_broken_claim(self, finished: Finished[Expectation], found: Judgement) -> bool:
        """Whether the backend itself says that it does not support what its profile claims."""
        if self._profile is None or found.verdict is not Verdict.UNSUPPORTED:
            return False
        sent = finished.attempt is not None  # else it is the harness' limit, and no answer
        return sent and self._profile.why_not(needs_of(finished.carried.vector)) is None

    def _row(self, finished: Finished[Expectation], judgement: Judgement) -> Row:
        entries, problem, row = self._plan.entries, judgement.message, None
        if judgement.verdict is not Verdict.BAD_VECTOR:
            try:
                row = _row(finished, _within_limits(judgement), entries[finished.id])
            except Exception as error:
                problem = _unforeseen(error)
        row = row or _bad_vector(finished.id, entries, problem, self._spellings)
        digest = entries[row.id].digest
        return row if digest is None else replace(row, digest=digest[:DIGITS])


def _refusal(found: Judgement) -> Judgement:
    """The judgement on what is claimed and not supported: a failure."""
    message = f"claimed by the profile, and unsupported: {found.message}"
    return replace(found, verdict=Verdict.REJECTED, message=message)


def _unforeseen(error: Exception) -> str:
    return (
        "cannot be judged, which says nothing of the backend:"
        f" {type(error).__name__}: {one_line(str(error), 300)}"
    )


def _within_limits(judgement: Judgement) -> Judgement:
    """The judgement with each text cut to the length that a row permits."""
    texts: dict[str, Any] = {
        name: cut(text, MESSAGE)
        for name in ("message", "expected", "got")
        if isinstance(text := getattr(judgement, name), str) and len(text) > MESSAGE
    }
    return replace(judgement, **texts) if texts else judgement


def _row(finished: Finished[Expectation], judgement: Judgement, entry: Entry) -> Row:
    expectation = finished.carried
    passed = judgement.verdict is Verdict.PASS
    if passed and not finished.incidents:
        return make_row(expectation.vector, judgement, finished.seconds)
    if judgement.verdict in LOST_VERDICTS and (last_words := first_and_last(finished.stderr)):
        judgement = replace(judgement, message=f"{judgement.message}; it said: {last_words}")
    details: dict[str, Any] = dict(judgement.details)
    if finished.incidents:
        details[_INCIDENTS] = list(finished.incidents)
    if not passed:
        if expectation.vector.purpose:
            details["purpose"] = expectation.vector.purpose
        if expectation.vector.accuracy is not None:
            details["accuracy"] = expectation.vector.accuracy["rule"]
        details["model"] = model_words(model_of(entry))
        details["inputs"] = [
            input_texts(data_set) for data_set in expectation.data_sets[:LISTED_VALUES]
        ]
    return make_row(
        expectation.vector,
        replace(judgement, details=details),
        finished.seconds,
        "" if passed else finished.stderr,
    )


def _bad_vector(
    vector_id: str, entries: Mapping[str, Entry], problem: str, spellings: dict[str, str]
) -> Row:
    """The row of a vector that cannot be used, with the readable facts of its data.json.

    Operator and version are taken from its id if possible: its files may say anything.
    `spellings` caches the operators that were looked up before.
    """
    entry = entries[vector_id]
    prefix = vector_id.split("/", 1)[0]
    operator, _, number = prefix.rpartition("-")
    version = int(number) if operator and number.isdecimal() else 0
    try:
        row = make_row(read_metadata(entry), Judgement(Verdict.BAD_VECTOR, problem), 0.0)
    except (BadInputError, OSError):
        row = Row(
            id=vector_id,
            verdict=Verdict.BAD_VECTOR,
            phase=None,
            message=problem,
            seconds=0.0,
            kind=entry.kind,
            operator=operator or prefix,
            expect=entry.kind.expect,
        )
    if entry.plain or not version:
        return row
    if operator not in spellings:
        spellings[operator] = _spelling(operator, entries)
    return replace(row, operator=spellings[operator], since_version=version)


def _spelling(operator: str, entries: Mapping[str, Entry]) -> str:
    """An operator as ONNX spells it, taken from its other vectors; ids are in lower case."""
    for entry in entries.values():
        if entry.id.split("/", 1)[0].rpartition("-")[0] == operator:
            with contextlib.suppress(BadInputError, OSError):
                found = (entry.facts or read_metadata(entry)).operator
                if found.lower() == operator:
                    return found
    return operator
