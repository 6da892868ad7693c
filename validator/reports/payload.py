"""The data for the page's script: an index of all vectors, and details by operator.

The details of twenty backends on twenty thousand vectors are about 60 MB of JSON. They are similar
to each other, so that they compress to a few MB; the script unpacks only the operator on
screen.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, TypeAlias

from onnx_conformance.core.corpus.requirements import Requirements, full_name
from onnx_conformance.core.corpus.vectors import Expect, Kind
from onnx_conformance.core.systems import quoted
from onnx_conformance.core.text import one_line, visible

from ..gate.marks import Mark, Marks
from ..judging.verdicts import Verdict
from ..results.changes import NO_VERDICT
from ..results.records import Results, Row
from ..results.rerun_command import reproducing_command
from ..results.wording import verdict_and_message
from .facts.overview import Overview, Place, verdict_codes
from .facts.public_pages import public_page
from .facts.tally import UNJUDGED, group_named

# The answers on an operator's vectors, each with its number.
_Numbers: TypeAlias = dict[tuple[object, ...], tuple[int, dict[str, Any]]]
# What is shown beside a vector, by id: see `html.render`.
Further: TypeAlias = Mapping[str, Mapping[str, Any]]

# One character for each verdict code in the index; a space is "not planned".
ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
NOT_PLANNED = " "

_PASS = Verdict.PASS
_ID = attrgetter("id")
_OUTCOME = attrgetter("verdict", "expect")
_STDERR_LIMIT = 600
_TEXT_LIMIT = 20_000


def packed(document: object) -> str:
    """JSON, compressed, as base64: `<` and `&` cannot occur, so it needs no escaping in HTML."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
    # A lone surrogate cannot be encoded: it becomes the JSON escape that it was read from.
    content = text.encode("utf-8", "backslashreplace")
    return base64.b64encode(gzip.compress(content, 6, mtime=0)).decode("ascii")


def index(results: Sequence[Results], view: Overview, requirements: Requirements) -> dict[str, Any]:
    """Every vector's id and its verdict on each backend: the data of the map and the search."""
    codes = verdict_codes(results)
    number = {code: position for position, code in enumerate(codes)}
    no_verdict = ALPHABET[number[NO_VERDICT, UNJUDGED.name]]
    verdicts = []
    for item in results:
        of_backend = dict.fromkeys(view.places, NOT_PLANNED)
        of_backend.update(dict.fromkeys(item.header.planned, no_verdict))
        letters = {
            (verdict, expect): ALPHABET[number[verdict, group_named(verdict, expect).name]]
            for verdict, expect in item.outcomes
        }
        found = map(letters.__getitem__, map(_OUTCOME, item.rows))
        of_backend.update(zip(map(_ID, item.rows), found, strict=True))
        verdicts.append("".join(of_backend.values()))
    types = {name: position for position, name in enumerate(view.types)}
    versions = {version: position for position, version in enumerate(view.versions)}
    return {
        "codes": [{"verdict": verdict, "group": group} for verdict, group in codes],
        "ids": list(view.places),
        "versionOf": [versions[place.version] for place in view.places.values()],
        "typeOf": [types[place.type] for place in view.places.values()],
        "verdicts": verdicts,
        **_searched(view),
        "backends": [one_line(item.header.backend, 80) for item in results],
        "commands": commands(results),
        "repros": repro_commands(results),
        "versions": [str(version) for version in view.versions],
        "documents": [
            public_page(name, requirements.get(name, {}), version.since_version)
            for version in view.versions
            for name in [full_name(requirements, version.operator)]
        ],
        "operators": [version.operator for version in view.versions],
        "types": list(view.types),
    }


def _searched(view: Overview) -> dict[str, Any]:
    """Form and requirements of each vector, by number: what the search of the page can ask for."""
    rows = [place.row for place in view.places.values()]
    forms = sorted({row.form for row in rows if row is not None and row.form})
    names = sorted({name for row in rows if row is not None for name in row.covers})
    form_of = {form: number for number, form in enumerate(forms)}
    name_of = {name: number for number, name in enumerate(names)}
    return {
        "forms": list(map(visible, forms)),
        "formOf": [form_of.get(row.form, -1) if row is not None else -1 for row in rows],
        "covered": list(map(visible, names)),
        "coversOf": [
            [name_of[name] for name in row.covers] if row is not None else [] for row in rows
        ],
    }


def chunks(
    results: Sequence[Results],
    view: Overview,
    marks: Mapping[str, Marks],
    further: Further,
) -> Iterable[dict[str, Any]]:
    """For each operator the details of its vectors, by id, and the answers to them.

    In the order in which operators come in `view.versions`. An answer stands once, however many
    backends gave it to however many vectors: their cells have its number. That halves what is to be
    compressed.
    """
    by_operator: dict[str, dict[str, Any]] = {item.operator: {} for item in view.versions}
    answers: dict[str, _Numbers] = {name: {} for name in by_operator}
    vectors = {place.id: _vector(place) for place in view.places.values()}
    numbers = {place.id: answers[place.version.operator] for place in view.places.values()}
    for place in view.places.values():
        by_operator[place.version.operator][place.id] = vectors[place.id]
    for vector_id in further.keys() & vectors.keys():
        vectors[vector_id].update(further[vector_id])
    for backend, item in enumerate(results):
        of_backend = marks.get(item.header.backend, {})
        for row in item.rows:
            if row.verdict == _PASS and _is_plain(row) and row.id not in of_backend:
                if row.expected:
                    _add_shared(vectors[row.id], row)
                continue  # nine rows in ten
            mark = of_backend.get(row.id)
            vector = vectors[row.id]
            _add_shared(vector, row)
            cell = _cell(row, mark)
            if cell:
                known = numbers[row.id]
                number, _ = known.setdefault(_key_of(cell), (len(known), cell))
                vector["cells"][backend] = number
    return [
        {"answers": [cell for _, cell in answers[name].values()], "vectors": of_one}
        for name, of_one in by_operator.items()
    ]


def _key_of(cell: Mapping[str, Any]) -> tuple[object, ...]:
    """What makes two answers the same; `facts` and `mark` are mappings of texts."""
    return tuple(
        (key, tuple(value.items()) if type(value) is dict else value) for key, value in cell.items()
    )


def _vector(place: Place) -> dict[str, Any]:
    """The facts that do not depend on the backend; empty ones are left out."""
    row = place.row
    if row is None:
        return {"cells": {}}
    facts = {
        "kind": row.kind if row.kind != Kind.VALID else "",
        "expect": row.expect if row.expect != Expect.OUTPUTS else "",
        "opset": row.opset,
        "types": " ".join(f"{key}={value}" for key, value in row.types.items()),
        "case": row.case,
        "form": row.form,
        "covers": list(row.covers),
        "documented": row.documented,
        "control": row.control,
    }
    return {**{key: value for key, value in facts.items() if value}, "cells": {}}


def _add_shared(vector: dict[str, Any], row: Row) -> None:
    """Add model, inputs and expectation: the same for every backend that reports them."""
    details = row.details
    for key in ("model", "purpose"):
        if key not in vector and details.get(key):
            vector[key] = _cut(str(details[key]))
    # Each is formatted once for a vector, not once for each of its backends.
    if "inputs" not in vector and (lines := input_lines(details.get("inputs"))):
        vector["inputs"] = lines
    if "expected" not in vector and (text := value_text(row.expected)):
        vector["expected"] = _cut(text)


_SHOWN_ELSEWHERE = frozenset({"model", "inputs", "purpose", "difference"})


def _is_plain(row: Row) -> bool:
    """Whether a row has nothing to add to a plain pass."""
    return not (row.phase or row.taken or row.got or row.stderr or row.details)


def repeats_message(row: Row) -> bool:
    """Whether `got` only says again what the message says: of a rejection it is a text."""
    return isinstance(row.got, str) and row.message != "" and row.message in row.got


def _cell(row: Row, mark: Mark | None) -> dict[str, Any]:
    # In this order; what is empty is left out, and costs nothing: a large site has half a million.
    facts: dict[str, Any] = {}
    if row.phase:
        facts["phase"] = row.phase
    if row.message and (message := _message(row.verdict, row.phase, row.message)):
        facts["message"] = message
    if row.taken:
        facts["taken"] = row.taken
    if row.got and not repeats_message(row) and (got := _shortened(value_text(row.got))):
        facts["got"] = got
    if row.details and (difference := _shortened(value_text(row.details.get("difference")))):
        facts["difference"] = difference
    if row.stderr:
        facts["stderr"] = _cut(row.stderr[-_STDERR_LIMIT:])
    if (row.details or row.reused) and (others := _other_facts(row)):
        facts["facts"] = others
    if mark is not None and (marked := mark_facts(mark)):
        facts["mark"] = marked
    return facts


@lru_cache(maxsize=8192)
def _message(verdict: str, phase: str | None, message: str) -> str:
    return _cut(verdict_and_message(verdict, phase, message)[1])


def _other_facts(row: Row) -> dict[str, str]:
    """The facts of a runtime's row that the page does not show by name, as text."""
    facts = {}
    for key, value in row.details.items():
        if key in _SHOWN_ELSEWHERE:
            continue
        if type(value) is int:
            facts[_key(key)] = str(value)  # most are; a large site has a quarter of a million
        elif value not in (None, "", [], {}):
            facts[_key(key)] = _shortened(value_text(value))
    if row.reused:
        facts["reused"] = f"the verdict was found {visible(row.reused)}"
    return facts


_key = lru_cache(maxsize=1024)(visible)


def mark_facts(mark: Mark | None) -> dict[str, str]:
    """The gate's mark as the page shows it; empty if there is none."""
    if mark is None:
        return {}
    facts = {
        "outcome": mark.outcome,
        "reason": visible(mark.reason),
        "where": visible(mark.where),
        "link": safe_link(mark.link),
    }
    return {key: value for key, value in facts.items() if value}


def commands(results: Sequence[Results]) -> list[str]:
    """For each backend the command that runs one vector alone, with `%ID%` in its place."""
    return [reproducing_command(item.header, "%ID%") for item in results]


def repro_commands(results: Sequence[Results]) -> list[str]:
    """For each backend the command that reproduces one failure, with `%ID%` in its place."""
    return [
        f"onnx-validate repro {quoted('%ID%', always=True)} --backend"
        f" {quoted(one_line(str(item.header.extra.get('backend', item.header.backend))))} --issue"
        for item in results
    ]


def safe_link(url: object) -> str:
    """The address if it is that of a web page, else an empty text: not e.g. `javascript:`."""
    text = visible(str(url or ""))
    return text if text.startswith(("https://", "http://")) else ""


def input_lines(value: object) -> list[str]:
    """One line for each input, data set by data set."""
    if not isinstance(value, list):
        return [_cut(visible(str(value)))] if value else []
    lines = []
    several = len(value) > 1 and all(isinstance(item, list) for item in value)
    for number, item in enumerate(value):
        if isinstance(item, list):
            prefix = f"data set {number}, " if several else ""
            lines += [_cut(visible(f"{prefix}{line}")) for line in item]
        else:
            lines.append(_cut(visible(str(item))))
    return lines


def value_text(value: object) -> str:
    """Expected or got values as lines of text: `shape: int64 [3] = 3, 4, 5`."""
    if value in (None, "", [], {}):
        return ""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, list):
        return "\n".join(value_text(item) for item in value)
    if isinstance(value, dict) and {"type", "shape"} <= value.keys():
        return _tensor_text(value)
    return visible(_json(value))


def _tensor_text(value: Mapping[str, Any]) -> str:
    start = f"{value['name']}: " if value.get("name") else ""
    text = f"{start}{value['type']} {_json(value['shape'])}"
    elements = value.get("values")
    if isinstance(elements, list):
        shown = ", ".join(item if isinstance(item, str) else _json(item) for item in elements)
        total = value.get("elements")
        more = f", … {total:,} elements" if isinstance(total, int) else ""
        text += f" = {shown}{more}" if shown else ", empty"
    return visible(text)


_INT = {int}


def _json(value: object) -> str:
    """A value as JSON; numbers and shapes by a short cut: a large site has half a million."""
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return repr(value)
    if type(value) is list and set(map(type, value)) <= _INT:
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    return _shortened(visible(text))


def _shortened(text: str) -> str:
    return text if len(text) <= _TEXT_LIMIT else text[:_TEXT_LIMIT] + "\n… (cut)"
