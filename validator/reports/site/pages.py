"""Shared by the pages: file names, lines of causes, descriptions of runtimes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

from onnx_conformance.core.corpus.requirements import Requirements
from onnx_conformance.core.text import listed, one_line, visible

from ...results.cause_words import against, others_in_words
from ...results.causes import Cause, causes_of
from ...results.records import Results, Row
from ...results.wording import verdict_and_message
from ..facts.tally import FAILING, failing_rows, group_of, total_tally
from ..page.signs import GLYPHS
from .drawing import bar_of

_UNSAFE = re.compile(r"[^a-z0-9._-]+")
# File systems cut names at 255 bytes; an ending, a number and a digest come behind these.
_LONGEST_NAME = 150
# `badges/a.json` is a file of the runtime `a`, `badges/a.json/` would be a folder of another.
_ENDINGS = (".json", ".html")
# The rest is behind a link, or in what `report` prints.
_IDS_SHOWN = 3
_RUNTIMES_SHOWN = 4
_OPERATORS_SHOWN = 4
# What a runtime does wrong, for a sentence whose subject is an operator of it.
_DOES = {
    "wrong-value": "returns a wrong value",
    "wrong-shape": "returns a wrong shape",
    "wrong-type": "returns a wrong type",
    "wrong-count": "returns a wrong number of outputs",
    "accepted-invalid": "takes what must be refused",
    "rejected": "is refused where it is valid",
    "crashed": "crashes",
    "timed-out": "does not end in time",
    "protocol-error": "breaks the protocol",
    "error": "is not judged: the harness failed",
    "bad-vector": "is not judged: its vector is damaged",
}


def operator_slug(vector_id: str) -> str:
    """The name of an operator's page, from the id of one of its vectors: `add`."""
    return _slug_of(vector_id.partition("/")[0])


@lru_cache(maxsize=4096)
def _slug_of(version: str) -> str:
    return file_name(version.rpartition("-")[0] or version)


def file_name(text: str) -> str:
    """A text as a file name that every system accepts and that stays in its folder.

    It is shortened where it is long, and then told apart from others by a digest of the text.
    """
    name = _UNSAFE.sub("-", text.lower()).strip("-.") or "unnamed"
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[:_LONGEST_NAME]}-{short_digest(text)}"


def short_digest(text: str) -> str:
    """Eight digits that tell a text apart from others like it."""
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:8]


def runtime_names(columns: Sequence[Results]) -> list[str]:
    """A file name for each column, no two the same, and none that is another's with an ending."""
    names: list[str] = []
    for column in columns:
        base = file_name(column.header.backend)
        if base.endswith(_ENDINGS):
            base = base.replace(".", "-")
        name, number = base, 2
        while name in names:
            name, number = f"{base}-{number}", number + 1
        names.append(name)
    return names


def moment(started: str) -> str:
    """When a run began, for readers: `2026-11-23 03:51 UTC`; as it is if it is no such time."""
    if len(started) == len("2026-11-23T03:51:58+00:00") and started.endswith("+00:00"):
        return f"{one_line(started[:10])} {one_line(started[11:16])} UTC"
    return one_line(started, 25)


def about(column: Results, name: str) -> dict[str, Any]:
    """A runtime in a line: its name, version, machine, date and counts."""
    header = column.header
    details = header.describe.get("details") or {}
    total = total_tally(column)
    return {
        "name": one_line(header.backend, 80),
        "page": f"runtimes/{name}.html",
        "version": one_line(str(header.describe.get("version", "")), 60),
        "details": [
            f"{one_line(str(key), 40)}: {one_line(str(value), 120)}"
            for key, value in (details.items() if isinstance(details, dict) else ())
        ],
        "started": moment(header.started),
        "platform": one_line(str(header.extra.get("platform", "")), 120),
        "command": one_line(header.command, 1000),
        "bar": bar_of(total.groups),
        "counts": total.groups,
        "total": total.total,
        "failing": sum(total.of(group) for group in FAILING),
    }


def cause_facts(
    cause: Cause, runtimes: Mapping[str, int], requirements: Requirements
) -> dict[str, Any]:
    """A cause as a line of a page, with the values by which it can be filtered.

    `runtimes` are those that fail, with how many vectors of it fail on each.
    """
    row = cause.example
    verdict, message = verdict_and_message(row.verdict, row.phase, row.message)
    glyph, letter = GLYPHS[group_of(row).name]
    broken = against(row, requirements)
    operators = [one_line(name, 60) for name in cause.operators]
    return {
        "runtimes": listed([one_line(name, 80) for name in runtimes], _RUNTIMES_SHOWN),
        "on_each": ", ".join(
            f"{one_line(name, 80)} ({count:,})" for name, count in runtimes.items()
        ),
        "glyph": glyph,
        "letter": letter.upper(),
        "verdict": verdict,
        "does": _DOES.get(row.verdict, verdict),
        "who": listed(operators, _OPERATORS_SHOWN, "more operators"),
        "message": one_line(message, 300) or "no message",
        "requirement": visible(broken),
        "count": len(cause.rows),
        "id": visible(row.id),
        "page": f"operators/{operator_slug(row.id)}.html",
        # Its ids are below it, as links.
        "others": others_in_words(cause).rpartition(": ")[0] or others_in_words(cause),
        "operators": list(cause.operators),
        "ids": [(visible(item.id), operator_slug(item.id)) for item in cause.rows[:_IDS_SHOWN]],
        "more": max(0, len(cause.rows) - _IDS_SHOWN),
        "rest": _search_for(cause, list(runtimes)),
        "search": _search(cause, runtimes),
    }


def _search_for(cause: Cause, runtimes: Sequence[str]) -> str:
    """The search for all vectors of a cause on its operator's page; empty if it has several."""
    pages = {operator_slug(row.id) for row in cause.rows}
    if len(pages) > 1:
        return ""
    verdict = cause.verdict.value
    wanted = {"verdict": verdict if verdict in GLYPHS else f"={verdict}"}
    if len(runtimes) == 1:
        wanted["runtime"] = one_line(runtimes[0], 80)
    return f"operators/{pages.pop()}.html?{urlencode(wanted)}#vectors"


def _search(cause: Cause, runtimes: Iterable[str]) -> Mapping[str, str]:
    """The values of the filters; several words are separated by blanks, runtimes by line ends."""

    def words(values: set[str]) -> str:
        return f" {' '.join(sorted(values))} ".lower()

    rows: Sequence[Row] = cause.rows
    return {
        "runtime": "\n".join(one_line(name, 80) for name in runtimes),
        "verdict": cause.verdict.value,
        "operator": words({row.operator for row in rows}),
        "requirement": words({item for row in rows for item in row.covers}),
        "form": words({row.form for row in rows if row.form}),
        "type": words({item for row in rows for item in row.types.values()}),
    }


def failing_causes(column: Results) -> tuple[Cause, ...]:
    """The causes of the failures on one runtime, worst first."""
    return causes_of(failing_rows(column), column.rows)
