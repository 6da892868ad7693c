"""Failures by case as a page shows them, for readers without scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from onnx_conformance.core.corpus.requirements import Requirements, source_of, words_of
from onnx_conformance.core.text import one_line, visible

from ...gate.marks import Marks
from ...results.records import Results, Row
from ...results.rerun_command import reproducing_command
from ...results.wording import verdict_and_message, verdict_words
from .. import payload
from ..facts.failing_cases import BackendFailure, FailingCase, failing_cases, put_together
from ..facts.tally import FAILING
from .signs import GLYPHS

# Entries written out for readers without scripts; the others are counted, and in the data.
CASES_SHOWN = 300
_ANSWERS_SHOWN = 6
# Other cases of an entry, and other vectors of an answer: there may be a thousand on a page. The
# map and the search lead to the rest.
_CASES_NAMED = 20
_IDS_SHOWN = 5
_NAMED_IN_LINE = 3


def cases_shown(
    results: Sequence[Results], requirements: Requirements, marks: Mapping[str, Marks]
) -> dict[str, Any]:
    """The failures of a page: cases that fail alike are one entry, the worst come first."""
    cases = failing_cases(results, marks)
    entries = put_together(cases, results)
    return {
        "cases": [_case(results, requirements, entry, marks) for entry in entries[:CASES_SHOWN]],
        "cases_total": len(cases),
        "cases_left": sum(1 + len(entry.also) for entry in entries[CASES_SHOWN:]),
        "failing_total": sum(len(failure.rows) for case in cases for failure in case.failures),
    }


def _case(
    results: Sequence[Results],
    requirements: Requirements,
    case: FailingCase,
    marks: Mapping[str, Marks],
) -> dict[str, Any]:
    glyph, letter = GLYPHS[case.worst.name]
    example = case.failures[0].rows[0]
    answers = _answers(results, case, example, marks)
    return {
        "operator": case.operator,
        "versions": [version.since_version for version in case.versions],
        "case": case.case,
        "also": [visible(name) for name in case.also[:_CASES_NAMED]],
        "more_cases": max(0, len(case.also) - _CASES_NAMED),
        "glyph": glyph,
        "letter": letter.upper(),
        "worst": case.worst.name,
        "requirements": [
            requirement_facts(requirements, case.operator, item) for item in case.covers
        ],
        "who": _who(results, case),
        "backends": answers[:_ANSWERS_SHOWN],
        "more_backends": sum(len(answer["names"]) for answer in answers[_ANSWERS_SHOWN:]),
        "example": example.id,
        "model": visible(str(example.details.get("model") or "")),
        "inputs": payload.input_lines(example.details.get("inputs")),
    }


def _who(results: Sequence[Results], case: FailingCase) -> list[str]:
    """Where a case fails, for its line: by name where that is short."""
    if len(case.failures) > _NAMED_IN_LINE:
        vectors = len({row.id for failure in case.failures for row in failure.rows})
        return [
            f"{len(case.failures)} backends",
            f"{vectors} {'vector' if vectors == 1 else 'vectors'}",
        ]
    return [
        f"{_name(results, failure)} {len(failure.rows)}"
        f"{' known' if failure.known == len(failure.rows) else ''}"
        for failure in case.failures
    ]


def _name(results: Sequence[Results], failure: BackendFailure) -> str:
    return one_line(results[failure.backend].header.backend, 80)


def requirement_facts(requirements: Requirements, operator: str, name: str) -> dict[str, Any]:
    """A requirement as a page shows it: in words, with its source and its address."""
    words = words_of(requirements, operator, name)
    return {
        "id": visible(name),
        "text": visible(str(words.get("text", ""))),
        "source": visible(source_of(words, " · ")),
        "url": payload.safe_link(words.get("url")),
    }


def _answers(
    results: Sequence[Results], case: FailingCase, example: Row, marks: Mapping[str, Marks]
) -> list[dict[str, Any]]:
    """What came of a case, each answer once: backends that say the same of the same are together.

    Of each backend the vector is shown that is shown of the first, if it fails there too.
    """
    found: dict[tuple[object, ...], dict[str, Any]] = {}
    for failure in case.failures:
        row = next((item for item in failure.rows if item.id == example.id), failure.rows[0])
        answer = _answer(results, failure, row, marks)
        said = ("verdict", "message", "got", "difference", "known", "mark", "id", "all_ids")
        same = found.setdefault(tuple(str(answer[key]) for key in said), answer)
        if same is not answer:
            same["names"] += answer["names"]
    for answer in found.values():
        del answer["all_ids"]
    return list(found.values())


def _answer(
    results: Sequence[Results], failure: BackendFailure, row: Row, marks: Mapping[str, Marks]
) -> dict[str, Any]:
    header = results[failure.backend].header
    others = [item.id for item in failure.rows if item is not row]
    repeated = payload.repeats_message(row)
    mark = marks.get(header.backend, {}).get(row.id)
    return {
        "names": [_name(results, failure)],
        "groups": [
            {
                "letter": GLYPHS[group.name][1].upper(),
                "glyph": GLYPHS[group.name][0],
                "name": group.name,
                "n": failure.groups[group.name],
            }
            for group in FAILING
            if group.name in failure.groups
        ],
        "known": failure.known,
        "vectors": len(failure.rows),
        "verdict": verdict_words(row.verdict, row.phase),
        "message": verdict_and_message(row.verdict, row.phase, row.message)[1],
        "expected": "" if repeated else payload.value_text(row.expected),
        "got": "" if repeated else payload.value_text(row.got),
        "difference": payload.value_text(row.details.get("difference")),
        "mark": mark and {"where": "", "link": "", "reason": "", **payload.mark_facts(mark)},
        "id": row.id,
        "command": reproducing_command(header, row.id),
        "all_ids": others,
        "ids": others[:_IDS_SHOWN],
        "more_ids": max(0, len(others) - _IDS_SHOWN),
    }
