"""The results file: one JSON object per line, written as soon as verdicts are known.

    {"record": "header", ...}     the runtime, the corpus, and the ids that were planned
    {"record": "row", ...}        one for each vector, in the order in which they finished
    {"record": "footer", ...}     the counts; absent if a run was interrupted

results.schema.json says the same for other programs.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import IO, Any, cast

from onnx_conformance.core.corpus.requirements import sound
from onnx_conformance.core.corpus.vectors import Expect, Kind, Phase
from onnx_conformance.core.documents import (
    INTEGER,
    LIST,
    NUMBER,
    OBJECT,
    OBJECTS,
    TEXT,
    TEXT_MAP,
    TEXT_OR_NULL,
    TEXTS,
    VECTOR_ID,
    VECTOR_IDS,
    check,
    parsed,
)
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.limits import RESULTS_LINE
from onnx_conformance.core.text import brief, one_line

from ..judging.verdicts import Verdict
from .records import DIGITS, FooterFacts, Header, Results, Row
from .stored_rows import RowsFile, RowTable

RESULTS_FORMAT = 1
_DIGEST = re.compile(rf"[0-9a-f]{{{DIGITS}}}")
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def header_record(header: Header) -> dict[str, Any]:
    """The line of a header, as JSON values."""
    return {"record": "header", "format": RESULTS_FORMAT, **vars(header)}


def row_record(row: Row) -> dict[str, Any]:
    """The line of a row, as JSON values; most have no digest and are not reused."""
    record: dict[str, Any] = {"record": "row"}
    record.update((name, getattr(row, name)) for name in _WRITTEN)
    for name in _IF_KNOWN:
        if (value := getattr(row, name)) is not None:
            record[name] = value
    return record


_IF_KNOWN = ("digest", "reused")
_WRITTEN = tuple(item.name for item in fields(Row) if item.name not in _IF_KNOWN)


def row_line(row: Row) -> bytes:
    """The line of a row, as a worker of a cluster sends it."""
    return _ENCODER.encode(row_record(row)).encode("ascii") + b"\n"


def row_of_line(line: bytes) -> Row:
    """The row in a line of unknown origin.

    Raises ValueError, KeyError or TypeError where it is none.
    """
    document = parsed(line)
    if document.pop("record", None) != "row":
        raise ValueError("is not a row")
    return _row(document)


class ResultsWriter:
    """Writes a results file line by line; each line is flushed before the next begins."""

    def __init__(self, stream: IO[str], counts: Mapping[str, int] | None = None) -> None:
        """Write to an open text stream; the caller closes it.

        `counts` are the verdicts that the file holds already, if a run is continued.
        """
        self._stream = stream
        self._counts: Counter[str] = Counter(counts or {})

    def header(self, header: Header) -> None:
        """Write the header; once, before everything else."""
        self._stream.writelines(_header_pieces(header))
        self._stream.flush()

    def row(self, row: Row) -> None:
        """Write one verdict."""
        self._counts[row.verdict] += 1
        self._line(row_record(row))

    def footer(self, **facts: Any) -> FooterFacts:  # noqa: ANN401  JSON
        """Write the counts and all other facts known at the end; return it as it is read again."""
        document = {"counts": dict(sorted(self._counts.items())), **facts}
        self._line({"record": "footer", **document})
        return _footer(_as_json(document))

    def _line(self, document: Mapping[str, Any]) -> None:
        self._stream.write(_ENCODER.encode(document) + "\n")
        self._stream.flush()


def _header_pieces(header: Header) -> Iterator[str]:
    """The line of a header, of which half a million ids in one text would take 150 MB."""
    before = "{"
    for key, value in header_record(header).items():
        yield f"{before}{_ENCODER.encode(key)}:"
        if key == "planned":
            yield from _list_pieces(value)
        else:
            yield _ENCODER.encode(value)
        before = ","
    yield "}\n"


def _list_pieces(items: Sequence[str]) -> Iterator[str]:
    """A list as JSON, a thousand of its items at a time."""
    yield "["
    for first in range(0, len(items), _PIECE):
        yield ("," if first else "") + _ENCODER.encode(items[first : first + _PIECE])[1:-1]
    yield "]"


_PIECE = 1000


def header_as_read(header: Header) -> Header:
    """The header that `read_results` returns for this one; it shares the ids with it."""
    document = _as_json({**header_record(header), "planned": ()})
    del document["record"]
    return replace(_header(document), planned=tuple(header.planned))


def rows_file(path: Path) -> RowsFile:
    """The file of which rows that were read or written are read again; OSError if it is gone."""
    return RowsFile(path, _facts)


def _facts(line: bytes) -> Mapping[str, Any]:
    """The values of a row; errors as of `_row`."""
    document = parsed(line)
    _check_row(document)
    return {"expected": None, "got": None, "stderr": "", "details": {}, **document}


def _as_json(document: Mapping[str, Any]) -> dict[str, Any]:
    """A record with the values that JSON has, as after writing and reading it."""
    result: dict[str, Any] = parsed(_ENCODER.encode(document).encode())
    return result


def read_results(path: Path) -> Results:
    """Read a results file, also one of an interrupted run.

    Raises BadInputError naming file and line. A half-written last line, left by a power cut, is
    dropped: its vector then has no verdict, which `Results.missing` shows. If one vector has two
    rows, the later one counts, as after a resumed run.
    """
    header: Header | None = None
    table: RowTable | None = None
    footer: FooterFacts | None = None
    try:
        with path.open("rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise BadInputError(f"{path}: is no plain file")
            file, place = rows_file(path), 0
            for number, line in enumerate(_lines(stream, path), 1):
                try:
                    document = parsed(line)
                    record = document.pop("record")
                    _require_one_run(f"{path}:{number}", record, header, footer)
                    if record == "header":
                        header = _header(document)
                        table = RowTable(file, header.planned)
                    elif record == "row":
                        table = table or RowTable(file)
                        table.add(_row(document), place)
                    elif record == "footer":
                        footer = _footer(document)
                    else:
                        raise BadInputError(f"{path}:{number}: unknown record {brief(record)}")
                except (ValueError, KeyError, TypeError, AttributeError) as error:
                    if not line.endswith(b"\n"):
                        break
                    raise BadInputError(
                        f"{path}:{number}: is not a results record: {one_line(str(error), 300)}"
                    ) from None
                place += len(line)
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror or error}") from None
    if header is None:
        raise BadInputError(f"{path}: has no header; is it a results file?")
    return Results(header, table.rows if table else (), footer)


def _lines(stream: IO[bytes], path: Path) -> Iterator[bytes]:
    while line := stream.readline(RESULTS_LINE + 1):
        if len(line) > RESULTS_LINE:
            raise BadInputError(f"{path}: has a line of more than {RESULTS_LINE:,} bytes")
        yield line


def _require_one_run(
    place: str, record: object, header: Header | None, footer: FooterFacts | None
) -> None:
    """Raise BadInputError for a record after the footer, and for a second header.

    Neither a run nor `--resume` writes one: files were joined, and rows of one hide others.
    """
    second = record == "header" and header is not None
    if footer is None and not second:
        return
    what = "a second header" if record == "header" else "a record after the footer"
    raise BadInputError(
        f"{place}: {what}: no run writes that; where results files were put together into one, give"
        " them one by one instead"
    )


# Reports rely on these types: a file with other types is not a results file.
_ROW = {
    "id": VECTOR_ID,
    "message": TEXT,
    "seconds": NUMBER,
    "operator": TEXT,
    "since_version": INTEGER,
    "opset": INTEGER,
    "types": TEXT_MAP,
    "case": TEXT,
    "form": TEXT,
    "covers": TEXTS,
    "documented": TEXT_OR_NULL,
    "control": TEXT_OR_NULL,
    "taken": TEXT_OR_NULL,
    "stderr": TEXT,
    "digest": TEXT_OR_NULL,
    "reused": TEXT_OR_NULL,
    "details": OBJECT,
}
_DETAILS = {
    "model": TEXT,
    "inputs": LIST,
    "difference": TEXT,
    "purpose": TEXT,
    "incidents": TEXTS,
    "reruns": TEXTS,
    "in_company": TEXT_MAP,
}
_HEADER = {
    "backend": TEXT,
    "describe": OBJECT,
    "corpus": OBJECT,
    "planned": VECTOR_IDS,
    "requirements": OBJECT,
    "command": TEXT,
    "started": TEXT,
    "extra": OBJECT,
}
_DESCRIBE = {"name": TEXT, "version": TEXT, "judges": TEXT, "adapts": OBJECTS, "details": TEXT_MAP}
_CORPUS = {"version": TEXT, "digest": TEXT_OR_NULL, "root": TEXT}
_EXTRA = {
    "backend": TEXT,
    "arguments": TEXTS,
    "platform": TEXT,
    "tolerance": TEXT,
    "accuracy": TEXT,
    "shard": TEXT_OR_NULL,
    "selected": INTEGER,
    "controls_added": TEXTS,
    "cluster": OBJECT,
    "identity": TEXT_MAP,
    "profile": OBJECT,
    "files": TEXTS,
    "missing_shards": TEXTS,
}
_FOOTER = {
    "counts": OBJECT,
    "notes": OBJECT,
    "unusable": TEXT,
    "lost_children": OBJECT,
    "resumed": OBJECT,
}
_RESUMED = {"earlier": INTEGER, "judged": INTEGER, "at": TEXT}
_LOST = {"count": INTEGER, "limit": INTEGER, "example": TEXT}


_WORDS = {"verdict": Verdict, "phase": Phase, "kind": Kind, "expect": Expect}


def _row(document: dict[str, Any]) -> Row:
    """The row in a line.

    Raises ValueError for a word that this version does not know, TypeError for a wrong type.
    """
    _check_row(document)
    for key, words in _WORDS.items():
        if key in document and (document[key] is not None or key != "phase"):
            document[key] = words(document[key])
    document["covers"] = tuple(document.get("covers", ()))
    digest = document.get("digest")
    if digest is not None and not _DIGEST.fullmatch(digest):
        raise ValueError(f"{brief(digest)} is no digest: {DIGITS} digits of base 16")
    return Row(**document)


def _check_row(document: dict[str, Any]) -> None:
    """Raise TypeError if a row has a value of another type than reports rely on."""
    check(document, _ROW)
    if document.get("details"):
        check(document["details"], _DETAILS)


def _header(document: dict[str, Any]) -> Header:
    found = document.pop("format", None)
    if found != RESULTS_FORMAT:
        raise ValueError(f"results format {found!r}; this version reads {RESULTS_FORMAT}")
    check(document, _HEADER)
    check(document["describe"], _DESCRIBE)
    check(document["corpus"], _CORPUS)
    # Reports ask for these by name.
    document["corpus"] = {
        "version": "unversioned",
        "digest": None,
        "root": "",
        **document["corpus"],
    }
    check(document.get("extra", {}), _EXTRA)
    if "requirements" in document:
        document["requirements"] = sound(document["requirements"])
    document["planned"] = tuple(document["planned"])
    return Header(**document)


def _footer(document: dict[str, Any]) -> FooterFacts:
    check(document, _FOOTER)
    check(document.get("lost_children", {}), _LOST)
    check(document.get("resumed", {}), _RESUMED)
    return cast("FooterFacts", document)
