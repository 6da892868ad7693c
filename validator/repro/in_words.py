"""A vector in words: purpose, inputs, required outputs, model, and verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import Expect
from onnx_conformance.core.text import one_line, visible
from onnx_conformance.core.values.describing import text
from onnx_conformance.core.values.limits import limit_values
from onnx_conformance.core.values.tensors import NamedValue
from onnx_conformance.core.witnesses.alone import ALONE, argued, read_alone
from onnx_conformance.core.witnesses.ledger import ledger_here

from ..results.records import Results, Row
from ..results.showing import model_words

if TYPE_CHECKING:
    from .subject import Subject

_WIDTH = 9
LONGEST_STDERR = 2_000


def vector_lines(subject: Subject) -> Iterator[str]:
    """The content of a vector's files."""
    vector = subject.vector
    types = ", ".join(f"{name}: {kind}" for name, kind in vector.types.items())
    facts = [f"{vector.operator}-{vector.since_version}", f"{vector.kind.value} vector"]
    facts += [f"opset {vector.opset}", f"form {vector.form}", types]
    yield vector.id
    yield _line("about", "; ".join(item for item in facts if item))
    if vector.documented:
        yield _line("ONNX", f"its own name of this case is {vector.documented}")
    if vector.purpose:
        yield _line("purpose", vector.purpose)
    for sentence in subject.requirements:
        yield _line("requires", sentence)
    several = len(subject.data_sets) > 1
    for number, data_set in enumerate(subject.data_sets):
        place = f"data set {number}, " if several else ""
        for item in data_set.inputs:
            yield _line("input", f"{place}{item.name}: {text(item.value)}")
    yield from _expected(subject)
    yield from _witnesses(subject)
    yield "model"
    yield from (f"  {line}".rstrip() for line in visible(model_words(subject.model)).splitlines())


def _expected(subject: Subject) -> Iterator[str]:
    vector = subject.vector
    if vector.expect is Expect.REJECTION:
        phase = f" at {vector.reject.value}, or later" if vector.reject else ""
        yield _line("expected", f"a rejection{phase}")
        if vector.control:
            yield _line("control", f"{vector.control} must pass for the rejection to count")
        return
    if vector.expect is Expect.ANY:
        for item in vector.permitted:
            values = subject.permitted.get(item.taken)
            what = "a rejection" if values is None else _values(subject, values)
            yield _line("permits", f"'{item.taken}': {what} ({item.reason})")
        return
    several = len(subject.data_sets) > 1
    for number, data_set in enumerate(subject.data_sets):
        place = f"data set {number}, " if several else ""
        yield _line("expected", place + _values(subject, data_set.outputs))


def _witnesses(subject: Subject) -> Iterator[str]:
    """Who agrees; nothing of a vector that is not of the corpus of the ledger."""
    found = ledger_here().of(subject.vector.id, subject.digest)
    if found is None:
        return
    yield _line("agreement", str(found))
    if not found.engines and subject.vector.expect is not Expect.ANY:
        argument = argued(read_alone(ALONE), [subject.vector.id]).get(subject.vector.id)
        words = "not argued yet" if argument is None else argument.words
        yield _line("", words)


def _values(subject: Subject, values: Sequence[NamedValue]) -> str:
    return "; ".join(_value(subject, item) for item in values) or "no outputs"


def _value(subject: Subject, item: NamedValue) -> str:
    words = f"{item.name}: {text(item.value)}"
    low, high = limit_values(item.value, subject.accuracy)
    if (low, high) != (item.value, item.value):
        words += f", from {text(low)} to {text(high)} ({subject.accuracy})"
    return words


def verdict_lines(vector_id: str, columns: Iterable[Results]) -> Iterator[str]:
    """What each backend did with the vector, with everything that its row keeps about it."""
    for results in columns:
        version = str(results.header.describe.get("version", ""))
        backend = one_line(f"{results.header.backend} {version}".strip(), 100)
        row = next((item for item in results.rows if item.id == vector_id), None)
        if row is None:
            yield _line("verdict", f"{backend}: none; it was not run")
        else:
            yield from row_lines(row, backend)


def row_lines(row: Row, backend: str) -> Iterator[str]:
    """One verdict with all its details."""
    remark = one_line(row.message) or (f"took '{row.taken}'" if row.taken else "")
    phase = f" at {row.phase}" if row.phase else ""
    yield _line("verdict", f"{backend}: {row.verdict}{phase}" + (f": {remark}" if remark else ""))
    for key in ("difference", "notes", "incidents", "accuracy", "reruns"):
        value = row.details.get(key)
        if value:
            yield _line(key, str(value))
    if row.stderr.strip():
        yield "stderr"
        kept = row.stderr[-LONGEST_STDERR:].strip()
        yield from (f"  {line}".rstrip() for line in visible(kept).splitlines())


def _line(name: str, words: str) -> str:
    return f"{name:<{_WIDTH}} {one_line(words)}"
