"""The results file: one JSON object per line, written as verdicts come.

    {"record": "header", ...}     who was judged, on what, and the ids that were planned
    {"record": "row", ...}        one for each vector, in the order in which they finished
    {"record": "footer", ...}     the counts; absent where a run was cut short

results.schema.json says the same for other programs.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import IO, TYPE_CHECKING, Any, cast

from onnx_conformance.core.corpus.vectors import Expect, Kind, Phase
from onnx_conformance.core.errors import BadInputError

from ..judging.verdicts import Verdict
from .records import FooterFacts, Header, Results, Row

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

RESULTS_FORMAT = 1
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def header_record(header: Header) -> dict[str, Any]:
    """The line of a header, as JSON values."""
    return {
        "record": "header",
        "format": RESULTS_FORMAT,
        "backend": header.backend,
        "describe": header.describe,
        "corpus": header.corpus,
        "planned": header.planned,
        "requirements": header.requirements,
        "command": header.command,
        "started": header.started,
        "extra": header.extra,
    }


def row_record(row: Row) -> dict[str, Any]:
    """The line of a row, as JSON values."""
    return {
        "record": "row",
        "id": row.id,
        "verdict": row.verdict,
        "phase": row.phase,
        "message": row.message,
        "seconds": row.seconds,
        "kind": row.kind,
        "operator": row.operator,
        "since_version": row.since_version,
        "opset": row.opset,
        "types": row.types,
        "case": row.case,
        "form": row.form,
        "covers": row.covers,
        "documented": row.documented,
        "expect": row.expect,
        "control": row.control,
        "taken": row.taken,
        "expected": row.expected,
        "got": row.got,
        "stderr": row.stderr,
        "details": row.details,
    }


class ResultsWriter:
    """Writes a results file line by line, each whole and flushed before the next begins."""

    def __init__(self, stream: IO[str], counts: Mapping[str, int] | None = None) -> None:
        """Write to an open text stream; the caller closes it.

        `counts` are the verdicts that it holds already, where a run is continued.
        """
        self._stream = stream
        self._counts: Counter[str] = Counter(counts or {})

    def header(self, header: Header) -> None:
        """Write the header; it comes first, once."""
        self._line(header_record(header))

    def row(self, row: Row) -> None:
        """Write one verdict."""
        self._counts[row.verdict] += 1
        self._line(row_record(row))

    def footer(self, **facts: Any) -> None:  # noqa: ANN401  JSON
        """Write the counts and whatever else is known at the end."""
        self._line({"record": "footer", "counts": dict(sorted(self._counts.items())), **facts})

    def _line(self, document: Mapping[str, Any]) -> None:
        self._stream.write(_ENCODER.encode(document) + "\n")
        self._stream.flush()


def read_results(path: Path) -> Results:
    """Read a results file, also one whose run was cut short.

    Raises BadInputError naming file and line. A half-written last line, as a power cut leaves
    it, is dropped: its vector then has no verdict, which `Results.missing` shows. Of two rows for
    one vector the later counts, as after a run that was resumed.
    """
    header: Header | None = None
    rows: dict[str, Row] = {}
    footer: FooterFacts | None = None
    pool: dict[Any, Any] = {}
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                try:
                    document = json.loads(line)
                    record = document.pop("record")
                    if record == "header":
                        header = _header(document, pool)
                    elif record == "row":
                        row = _row(document, pool)
                        rows[row.id] = row
                    elif record == "footer":
                        footer = cast("FooterFacts", document)
                    else:
                        raise BadInputError(f"{path}:{number}: unknown record {record!r}")
                except (ValueError, KeyError, TypeError, AttributeError) as error:
                    if not stream.read(1):
                        break
                    raise BadInputError(
                        f"{path}:{number}: is not a results record: {error!r}"
                    ) from None
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error}") from None
    if header is None:
        raise BadInputError(f"{path}: has no header; is it a results file?")
    return Results(header, tuple(rows.values()), footer)


# Most rows say the same as their neighbours: shared texts halve what 100,000 rows take in memory.
_REPEATED = ("id", "message", "operator", "case", "form")
_WORDS = {"verdict": Verdict, "phase": Phase, "kind": Kind, "expect": Expect}


def _row(document: dict[str, Any], pool: dict[Any, Any]) -> Row:
    """A row whose texts are shared with the rows before it.

    Raises ValueError for a word that this version does not know.
    """
    for key, words in _WORDS.items():
        if document.get(key) is not None:
            document[key] = words(document[key])
    for key in _REPEATED:
        text = document.get(key)
        if type(text) is str:
            document[key] = pool.setdefault(text, text)
    covers = tuple(document.get("covers", ()))
    document["covers"] = pool.setdefault(covers, covers)
    types = document.get("types")
    if types:
        document["types"] = pool.setdefault(tuple(types.items()), types)
    if not document.get("details"):
        document["details"] = pool.setdefault(dict, {})
    return Row(**document)


def _header(document: dict[str, Any], pool: dict[Any, Any]) -> Header:
    found = document.pop("format", None)
    if found != RESULTS_FORMAT:
        raise ValueError(f"results format {found!r}; this version reads {RESULTS_FORMAT}")
    document["planned"] = tuple(pool.setdefault(item, item) for item in document["planned"])
    return Header(**document)
