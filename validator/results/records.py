"""The results file: one JSON object per line, written as verdicts come.

    {"record": "header", ...}     who was judged, on what, and the ids that were planned
    {"record": "row", ...}        one for each vector, in the order in which they finished
    {"record": "footer", ...}     the counts; absent where a run was cut short

Every report is made from such files alone, so a row carries what a reader needs: the vector's
metadata, the verdict and, on a failure, what was expected, what came and the model in words.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

from onnx_conformance.core.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from onnx_conformance.core.corpus.vectors import Vector

    from ..judging.verdicts import Judgement

RESULTS_FORMAT = 1
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True)
class Header:
    """What is known before the first vector runs.

    Attributes:
        backend: name of the column, e.g. `onnxruntime` or `tract (freeze)`.
        describe: what the harness said of itself: name, version, adapts, variant ...
        corpus: {"version", "digest", "root"} of the vectors.
        planned: ids of the vectors that get a verdict.
        requirements: {operator: {id: {text, document, part}}} behind the planned vectors.
        command: the command line, for reproducing.
        started: local time in ISO 8601.
        extra: selection, shard and the like. Reports read these keys:
            backend: what `--backend` was given, where it is not the column's name;
            arguments: further words that a run of one vector alone needs, as a list
                (`["--vectors", "build/vectors"]`);
            shard: "K/N" where the run took one part of the selection; `planned` then lists the
                vectors of that part only, and `selected` says how many all parts have together.
    """

    backend: str
    describe: Mapping[str, Any]
    corpus: Mapping[str, Any]
    planned: tuple[str, ...]
    requirements: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""
    started: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """The verdict on one vector, and what a report needs to explain it.

    Keys of `details` that reports show by name: `model` (the model as text), `inputs` (a list of
    one-line descriptions), `difference` (the first difference), `max_ulp`, `used` and `met` (the
    largest used fraction of the limits, the tightest profile met; where outputs with limits came),
    `accuracy` (where the limits come from, on a failure), `purpose` (what goes
    wrong in a runtime that fails this), `retried` (how often it was run again). Others are shown
    as they are. `expected` and `got` are text, or lists of {"name", "type", "shape", "values"}.
    """

    id: str
    verdict: str
    phase: str | None
    message: str
    seconds: float
    kind: str = "valid"
    operator: str = ""
    since_version: int = 0
    opset: int = 0
    types: Mapping[str, str] = field(default_factory=dict)
    case: str = ""
    form: str = ""
    covers: tuple[str, ...] = ()
    documented: str | None = None
    expect: str = "outputs"
    control: str | None = None
    taken: str | None = None
    expected: Any = None
    got: Any = None
    stderr: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Results:
    """A results file as read: `complete` is False where a planned vector has no row."""

    header: Header
    rows: tuple[Row, ...]
    footer: Mapping[str, Any] | None

    @property
    def missing(self) -> tuple[str, ...]:
        """Planned vectors without a verdict."""
        seen = {row.id for row in self.rows}
        return tuple(item for item in self.header.planned if item not in seen)

    @property
    def counts(self) -> Counter[str]:
        """How many vectors got each verdict."""
        return Counter(row.verdict for row in self.rows)


def make_row(vector: Vector, judgement: Judgement, seconds: float, stderr: str = "") -> Row:
    """The row of a judged vector."""
    return Row(
        id=vector.id,
        verdict=judgement.verdict.value,
        phase=judgement.phase,
        message=judgement.message,
        seconds=round(seconds, 6),
        kind=vector.kind,
        operator=vector.operator,
        since_version=vector.since_version,
        opset=vector.opset,
        types=vector.types,
        case=vector.case,
        form=vector.form,
        covers=vector.covers,
        documented=vector.documented,
        expect=vector.expect,
        control=vector.control,
        taken=judgement.taken,
        expected=judgement.expected,
        got=judgement.got,
        stderr=stderr,
        details=judgement.details,
    )


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
        self._line({"record": "header", "format": RESULTS_FORMAT, **vars(header)})

    def row(self, row: Row) -> None:
        """Write one verdict."""
        self._counts[row.verdict] += 1
        self._line({"record": "row", **vars(row)})

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
    footer: dict[str, Any] | None = None
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
                        footer = document
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


_REPEATED = ("id", "verdict", "phase", "message", "kind", "operator", "case", "form", "expect")


def _row(document: dict[str, Any], pool: dict[Any, Any]) -> Row:
    """A row whose texts are shared with the rows before it: most say the same as their neighbours.

    This halves what 100,000 rows take in memory.
    """
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
