"""What a worker sends is checked against its request."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import sample_results as sample

from onnx_conformance.core.corpus.corpus import Entry
from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.limits import RESULTS_LINE
from onnx_conformance.validator.results.file_format import row_line
from onnx_conformance.validator.running.cluster.batches import BatchDone
from onnx_conformance.validator.running.cluster.foreign_rows import rows_of

if TYPE_CHECKING:
    from onnx_conformance.validator.results.records import Row

ONE, TWO = "shape-15/one/float32", "shape-15/two/float32"
ENTRIES = {item: Entry(item, Kind.VALID, "nowhere", "a" * 64) for item in (ONE, TWO)}


def row(vector_id: str = ONE, **facts: Any) -> Row:  # noqa: ANN401  any field of Row
    return sample.row(vector_id, **{"digest": "a" * 32, **facts})


def taken(*lines: bytes) -> list[str]:
    done = BatchDone(b"".join(lines), "worker")
    return [item.id for item in rows_of(done, (ONE,), ENTRIES)]


def test_row_of_a_vector_that_was_asked_is_taken() -> None:
    assert [ONE] == taken(row_line(row()))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ((row_line(row(TWO)),), "was not asked, or came twice"),
        ((row_line(row()), row_line(row())), "was not asked, or came twice"),
        ((row_line(row(digest="b" * 32)),), "a verdict on another"),
        ((row_line(row(digest=None)),), "a verdict on another"),
        ((row_line(row(reused="2026-11-20")),), "that was found before"),
        ((row_line(row()).replace(b'"pass"', b'"splendid"'),), "no row: 'splendid'"),
        ((b'{"record":"footer","counts":{}}\n',), "is not a row"),
        ((b"[" * 100_000 + b"\n",), "no row: nested too deeply"),
        ((b"x" * (RESULTS_LINE + 1),), "a row of more than"),
    ],
)
def test_what_is_no_row_of_the_batch_is_refused(lines: tuple[bytes, ...], said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        taken(*lines)


@pytest.mark.parametrize("done", [None, b"rows", replace(BatchDone(b"", ""), rows="rows")])  # type: ignore[arg-type]
def test_what_is_no_result_of_a_batch_is_refused(done: object) -> None:
    with pytest.raises(BadInputError, match="a worker sent"):
        rows_of(done, (ONE,), ENTRIES)
