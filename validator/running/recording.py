"""The results file of a run in progress: begun, continued after an interruption, finished."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from onnx_conformance.core.errors import BadInputError, UsageError

from ..results.records import ResultsWriter, read_results

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..results.records import Header, Results, Row


class Recording:
    """Where the rows of a run go.

    The file is opened by `begin`, when the backend has been seen alive: a backend that cannot be
    started does not cost the results of an earlier run.
    """

    def __init__(self, path: Path, earlier: Results | None = None) -> None:
        """Record to a file; `earlier` is what it holds already and is to be continued."""
        self.path = path
        self.earlier = earlier
        self._stream: IO[str] | None = None
        self._writer: ResultsWriter | None = None

    @property
    def done(self) -> dict[str, str]:
        """Verdicts that are there already, by id."""
        return {row.id: row.verdict for row in self.earlier.rows} if self.earlier else {}

    def begin(self, header: Header) -> None:
        """Open the file: with a header, or behind the last row of what is continued."""
        try:
            if self.earlier is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._stream = self.path.open("w", encoding="utf-8")
            else:
                self._stream = self.path.open("r+", encoding="utf-8", newline="\n")
                self._stream.truncate(_end_of_rows(self.path))
                self._stream.seek(0, 2)
        except OSError as error:
            raise BadInputError(
                f"{self.path}: cannot be written: {error.strerror or error}"
            ) from None
        self._writer = ResultsWriter(self._stream, Counter(self.done.values()))
        if self.earlier is None:
            self._writer.header(header)

    def row(self, row: Row) -> None:
        """Write one verdict."""
        if self._writer is not None:
            self._writer.row(row)

    def finish(self, **facts: Any) -> None:  # noqa: ANN401  JSON
        """Write the footer."""
        if self._writer is not None:
            self._writer.footer(**facts)

    def close(self) -> None:
        """Close the file, whole lines in it."""
        if self._stream is not None:
            self._stream.close()


@contextlib.contextmanager
def recording(path: Path | None, *, resume: bool) -> Iterator[Recording]:
    """A recording to `path`, or to a file that is thrown away afterwards.

    Raises UsageError where there is nothing to resume by, BadInputError where `path` is no
    results file.
    """
    if path is None:
        if resume:
            raise UsageError("--resume needs --results FILE: the file that is continued")
        with tempfile.TemporaryDirectory(prefix="onnx-validate-") as folder:
            taken = Recording(Path(folder) / "results.jsonl")
            try:
                yield taken
            finally:
                taken.close()
        return
    earlier = read_results(path) if resume and path.exists() else None
    taken = Recording(path, earlier)
    try:
        yield taken
    finally:
        taken.close()


def check_same_run(
    earlier: Results, backend: str, corpus_digest: str | None, ids: Sequence[str]
) -> None:
    """Raise UsageError unless an interrupted run can be continued by this one."""
    header = earlier.header
    if header.backend != backend:
        raise UsageError(
            f"the results to resume are of backend '{header.backend}', not '{backend}'"
        )
    if header.corpus.get("digest") != corpus_digest:
        raise UsageError(
            "the results to resume are of another corpus: its manifest has another digest;"
            " run without --resume"
        )
    if set(header.planned) != set(ids):
        raise UsageError(
            f"the results to resume planned {len(header.planned)} vectors and this run plans"
            f" {len(ids)}, not the same ones; give the same selection, or run without --resume"
        )


def _end_of_rows(path: Path) -> int:
    """Offset behind the last whole row: a footer or half a line that follows is cut off."""
    offset = end = 0
    with path.open("rb") as stream:
        for line in stream:
            offset += len(line)
            try:
                record = json.loads(line)["record"] if line.endswith(b"\n") else "half a line"
            except (ValueError, KeyError, TypeError):
                break
            if record not in ("header", "row"):
                break
            end = offset
    return end
