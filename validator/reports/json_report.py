"""The report as JSON, for programs: `report.schema.json` beside this package describes it.

Results files are written during a run; this document is made afterwards, and has every backend, the
counts and the commands that reproduce each failure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from onnx_conformance.core.corpus.requirements import joined

from ..gate.marks import Marks
from ..results.merging import accuracy_of, natural_order
from ..results.records import Results, Row
from ..results.rerun_command import reproducing_command
from .facts.completeness import gaps, notes
from .facts.profiles_met import accuracy_by_operator
from .facts.tally import ACCEPTED, GROUPS, Tally, group_of, tally_by_version, total_tally

REPORT_FORMAT = 1
# Messages of runtimes may contain anything; with escapes the JSON is valid in every encoding.
_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, allow_nan=False)

_OF_VECTOR = (
    "kind",
    "operator",
    "since_version",
    "opset",
    "types",
    "case",
    "form",
    "covers",
    "documented",
    "expect",
    "control",
)
_OF_VERDICT = ("phase", "message", "taken", "expected", "got", "stderr", "reused", "details")

# What results files have; `accepted` is a word of pages.
_GROUPS = tuple(group for group in GROUPS if group is not ACCEPTED)


def render(results: Sequence[Results], marks: Mapping[str, Marks] | None = None) -> str:
    """The document as text that ends with a newline; the arguments are those of `parts`."""
    return "".join(parts(results, marks))


def parts(results: Sequence[Results], marks: Mapping[str, Marks] | None = None) -> Iterator[str]:
    """The document vector by vector: as a whole it may be larger than the results.

    Args:
        results: one for each backend.
        marks: the gate's marks by backend, if there was a gate.
    """
    yield f'{_ENCODER.encode(_facts(results))[:-1]},"vectors":['
    between = ""
    for vector in _vectors(results, marks or {}):
        yield between + _ENCODER.encode(vector)
        between = ","
    yield "]}\n"


def _facts(results: Sequence[Results]) -> dict[str, Any]:
    """The document without its vectors."""
    requirements = joined(item.header.requirements for item in results)
    return {
        "format": REPORT_FORMAT,
        "corpus": {
            "version": results[0].header.corpus.get("version", "unversioned"),
            "digest": results[0].header.corpus.get("digest"),
        },
        "groups": {group.name: group.meaning for group in _GROUPS},
        "backends": [_backend(item) for item in results],
        "requirements": requirements,
    }


def _backend(results: Results) -> dict[str, Any]:
    header = results.header
    by_version = tally_by_version(results)
    return {
        "name": header.backend,
        "describe": dict(header.describe),
        "command": header.command,
        "started": header.started,
        "files": list(header.extra.get("files", ())),
        "planned": len(header.planned),
        "complete": not gaps(results),
        "gaps": gaps(results),
        "notes": notes(results),
        "missing": list(results.missing),
        "missing_shards": list(header.extra.get("missing_shards", ())),
        "counts": _counts(total_tally(results)),
        "judged_by": accuracy_of(header),
        "accuracy": [
            {
                "operator": operator,
                "vectors": item.vectors,
                "unmeasured": item.unmeasured,
                "met": item.met,
                "used": item.used,
                "worst": item.worst,
            }
            for operator, item in accuracy_by_operator(results).items()
        ],
        "operator_versions": [
            {
                "operator": version.operator,
                "since_version": version.since_version,
                **_counts(item),
            }
            for version, item in by_version.items()
        ],
    }


def _counts(tally: Tally) -> dict[str, Any]:
    return {
        "total": tally.total,
        "groups": {group.name: tally.of(group) for group in _GROUPS},
        "verdicts": dict(sorted(tally.verdicts.items())),
    }


def _vectors(results: Sequence[Results], marks: Mapping[str, Marks]) -> Iterator[dict[str, Any]]:
    rows: dict[str, list[tuple[Results, Row]]] = {}
    for item in results:
        for row in item.rows:
            rows.setdefault(row.id, []).append((item, row))
    for vector_id in sorted(rows, key=natural_order):
        vector = _vector(rows[vector_id][0][1])
        for item, row in rows[vector_id]:
            verdict = _verdict(item, row)
            mark = marks.get(item.header.backend, {}).get(vector_id)
            if mark is not None:
                verdict["baseline"] = {key: value for key, value in vars(mark).items() if value}
            vector["verdicts"][item.header.backend] = verdict
        yield vector


def _vector(row: Row) -> dict[str, Any]:
    facts = {key: getattr(row, key) for key in _OF_VECTOR}
    return {"id": row.id, **facts, "covers": list(row.covers), "verdicts": {}}


def _verdict(results: Results, row: Row) -> dict[str, Any]:
    """The verdict; keys that are empty for a passing vector are left out."""
    group = group_of(row)
    verdict: dict[str, Any] = {
        "verdict": row.verdict,
        "group": group.name,
        "seconds": row.seconds,
    }
    for key in _OF_VERDICT:
        value = getattr(row, key)
        if value not in (None, "", {}):
            verdict[key] = value
    if not row.passed:
        verdict["command"] = reproducing_command(results.header, row.id)
    return verdict
