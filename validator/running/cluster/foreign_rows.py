"""The rows of a worker are foreign input: checked as results files are, and against the batch.

A worker may be of another version, damaged or hostile: none of its rows counts that is not one of
the vectors that it was sent, each once, with the digest that the corpus has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.limits import RESULTS_LINE
from onnx_conformance.core.text import brief, one_line

from ...host.tally import Tally
from ...results.file_format import row_of_line
from ...results.records import DIGITS, Row
from .batches import BatchDone

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Entry


def rows_of(done: object, ids: Sequence[str], entries: Mapping[str, Entry]) -> list[Row]:
    """The rows in what a worker sent for a batch.

    Raises BadInputError for anything that is not what a worker of ours sends.
    """
    if type(done) is not BatchDone or type(done.rows) is not bytes or type(done.tally) is not Tally:
        raise BadInputError(f"a worker sent {brief(type(done).__name__)} for a batch")
    asked = set(ids)
    found = []
    for row in _rows(done.rows):
        if row.id not in asked:
            raise BadInputError(f"a verdict on {brief(row.id)}, which was not asked, or came twice")
        asked.discard(row.id)
        entry = entries[row.id]
        digest = None if entry.digest is None else entry.digest[:DIGITS]
        if row.digest != digest:
            raise BadInputError(f"a verdict on another '{row.id}' than was asked")
        if row.reused is not None:
            raise BadInputError(f"a verdict on '{row.id}' that was found before")
        found.append(row)
    return found


def _rows(lines: bytes) -> Iterator[Row]:
    for line in lines.splitlines():
        if len(line) > RESULTS_LINE:
            raise BadInputError(f"a row of more than {RESULTS_LINE:,} bytes")
        try:
            yield row_of_line(line)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadInputError(f"no row: {one_line(str(error), 300)}") from None
