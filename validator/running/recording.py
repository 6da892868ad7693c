"""The results file of a running run: begun, continued after an interruption, finished."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from onnx_conformance.core.errors import BadInputError, UsageError, cannot_write
from onnx_conformance.core.files import lock, require_plain_file
from onnx_conformance.core.limits import RESULTS_LINE
from onnx_conformance.core.text import brief

from ..judging.verdicts import Verdict
from ..results.file_format import ResultsWriter, header_as_read, read_results, rows_file
from ..results.records import FooterFacts, Header, Results, Row
from ..results.stored_rows import RowTable
from .reuse.replacing import Claim, must_be_kept, name_beside


class Recording:
    """Writes the rows of a run.

    The file is opened by `begin`, after the backend has started: a backend that cannot start does
    not destroy the results of an earlier run.

    Attributes:
        path: of the file.
        earlier: its content before, if a run is continued.
        kept: where the file of a run that was cut short is kept; None if there was none.
        judged: how many vectors this run gave a verdict; damaged ones are not counted.
        taken: how many verdicts it took over from earlier runs.
    """

    def __init__(
        self,
        path: Path,
        earlier: Results | None = None,
        *,
        keep: bool = False,
        renew: bool = False,
    ) -> None:
        """Record to a file.

        With `keep`, the present one is kept beside it; with `renew`, until `release`: verdicts are
        taken over from it.
        """
        self.path = path
        self.earlier = earlier
        self.kept: Path | None = None
        self.judged = 0
        self.taken = 0
        self._keep = keep
        self._renew = renew
        self._old: Path | None = None
        self._stream: IO[str] | None = None
        self._writer: ResultsWriter | None = None
        self._failed = False
        self._header = earlier.header if earlier else None
        self._footer: FooterFacts | None = None
        self._table: RowTable | None = None

    @property
    def done(self) -> dict[str, str]:
        """Verdicts that the file has already, by id.

        A vector that was damaged is run again: its verdict is none on the backend.
        """
        rows = self.earlier.rows if self.earlier else ()
        return {row.id: row.verdict for row in rows if row.verdict is not Verdict.BAD_VECTOR}

    @property
    def results(self) -> Results:
        """What `read_results` would make of the file: reading it again would take a tenth of a run.

        Raises BadInputError before `begin`: there is no header yet.
        """
        if self._header is None:
            raise BadInputError(f"{self.path}: has no header; is it a results file?")
        earlier = self.earlier.rows if self.earlier else ()
        return Results(self._header, self._table.rows if self._table else earlier, self._footer)

    def begin(self, header: Header) -> None:
        """Open the file: with a header, or after the last row of the run that is continued.

        Raises UsageError if the run to continue is of another backend, BadInputError if another run
        is writing to the file, and otherwise the errors of `core.files.write_whole`.
        """
        if self.earlier is None:
            # Before the file is opened: a header that cannot be written must not destroy the old
            # file.
            self._header = header_as_read(header)
        else:
            _check_same_backend(self.earlier.header, header)
        with self._writing():
            if self.earlier is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._stream = self._alone("a")  # "w" would empty the file of another run
                if self._keep or self._renew:
                    self._stream.close()
                    self._old = name_beside(self.path)
                    self.path.rename(self._old)
                    self.kept = self._old if self._keep else None
                    self._stream = self._alone("a")
                self._stream.truncate(0)
                ResultsWriter(self._stream).header(header)
            else:
                self._stream = self._alone("r+")
                end, whole = _end_of_rows(self.path)
                self._stream.truncate(end)
                self._stream.seek(0, os.SEEK_END)
                self._stream.write("" if whole else "\n")
                self._stream.flush()
            file = rows_file(self.path)
        planned = (self.earlier.header if self.earlier else header).planned
        self._table = RowTable(file, planned)
        if self.earlier is not None:
            self._table.add_rows(self.earlier.rows)
        self._writer = ResultsWriter(self._stream, Counter(self.done.values()))

    def _alone(self, mode: str) -> IO[str]:
        """The open file, which no other run is writing to."""
        stream = self.path.open(mode, encoding="utf-8", newline="\n")
        if not lock(stream.fileno()):
            stream.close()
            raise BadInputError(
                f"{self.path}: another run is writing to it; give each run a file of its own"
            )
        return stream

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Raise a full disk as an error for a person; earlier rows stay in the file."""
        try:
            yield
        except OSError as error:
            self._failed = True
            raise cannot_write(self.path, error) from None

    def row(self, row: Row) -> None:
        """Write one verdict."""
        if self._writer is not None and self._stream is not None and self._table is not None:
            with self._writing():
                place = os.fstat(self._stream.fileno()).st_size
                self._writer.row(row)
            self._table.add(row, place)
            self.judged += row.verdict is not Verdict.BAD_VECTOR

    def reused(self, row: Row) -> None:
        """Write a verdict that is taken over from an earlier run."""
        judged = self.judged
        self.row(row)
        self.taken += 1
        self.judged = judged

    def release(self) -> None:
        """Delete the file that verdicts were taken over from, unless it is kept."""
        if self._old is not None and self.kept is None:
            with self._writing():
                self._old.unlink(missing_ok=True)
        self._old = None

    def finish(self, **facts: Any) -> None:  # noqa: ANN401  JSON
        """Write the footer."""
        if self._writer is not None:
            with self._writing():
                self._footer = self._writer.footer(**facts)

    def close(self) -> None:
        """Close the file; all its lines are complete."""
        if self._stream is not None and self._failed:
            with contextlib.suppress(OSError):  # a failure here was reported before
                self._stream.close()
        elif self._stream is not None:
            with self._writing():
                self._stream.close()


@contextlib.contextmanager
def recording(
    path: Path | None, *, resume: bool, claim: Claim | None = None, reused: Sequence[Path] = ()
) -> Iterator[Recording]:
    """A recording to `path`, or to a temporary file that is deleted afterwards.

    Args:
        path: the file, or None.
        resume: whether to continue what is in it.
        claim: the run that wants to write it; None replaces whatever is there.
        reused: files of which verdicts are taken over, this one perhaps among them.

    Raises UsageError if there is nothing to resume, or if the file holds verdicts that this run may
    not replace, BadInputError if `path` is not a results file.
    """
    if path is None:
        if resume:
            raise UsageError("--resume needs --results FILE: the file that is continued")
        with (
            _temporary_folder() as folder,
            contextlib.closing(Recording(Path(folder) / "results.jsonl")) as taken,
        ):
            yield taken
        return
    require_plain_file(path)
    earlier = read_results(path) if resume and _has_begun(path) else None
    keep = not resume and claim is not None and must_be_kept(path, claim)
    renew = earlier is None and os.path.realpath(path) in map(os.path.realpath, reused)
    with contextlib.closing(Recording(path, earlier, keep=keep, renew=renew)) as taken:
        yield taken


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="onnx-validate-", ignore_cleanup_errors=True)
    except OSError as error:
        raise cannot_write(error.filename or "the folder for temporary files", error) from None


_HEADER_BEGINS = b'{"record":"header"'


def _has_begun(path: Path) -> bool:
    """Whether there is anything to resume: not if the run was killed within its header."""
    try:
        with path.open("rb") as stream:
            first = stream.readline(RESULTS_LINE)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror or error}") from None
    begun = first.startswith(_HEADER_BEGINS) or _HEADER_BEGINS.startswith(first)
    return first.endswith(b"\n") or not begun


def _check_same_backend(earlier: Header, header: Header) -> None:
    for key in _IDENTITY:
        before, now = earlier.describe.get(key), header.describe.get(key)
        if before != now:
            raise UsageError(
                f"the results to resume are of a backend whose {key} is {brief(before)}; this one"
                f" says {brief(now)}{_INSTEAD}"
            )


# What a harness says of itself that makes it another one.
_IDENTITY = ("name", "version", "model", "max_opset", "judges", "adapts", "details")
_INSTEAD = "; run without --resume, into another file"


def check_same_run(
    earlier: Results,
    backend: str,
    corpus_digest: str | None,
    ids: Sequence[str],
    extra: Mapping[str, Any],
) -> None:
    """Raise UsageError unless an interrupted run can be continued by this one.

    `extra` are further facts of this run's header: the value of `--backend`, the tolerance and the
    accuracy must be as before. Whether it is the same backend is known only after it has started:
    see `Recording.begin`.
    """
    header = earlier.header
    options = {
        key: (header.extra.get(key, extra.get(key)), extra.get(key))
        for key in ("backend", "tolerance", "accuracy")
    }
    options["python"] = _python(header.extra), _python(extra)
    for key, (before, now) in options.items():
        if before != now:
            raise UsageError(
                f"the results to resume were made with --{key} {brief(before)}, not"
                f" {brief(now)}{_INSTEAD}"
            )
    if header.backend != backend:
        raise UsageError(
            f"the results to resume are of backend '{header.backend}', not '{backend}'{_INSTEAD}"
        )
    if header.corpus.get("digest") != corpus_digest:
        raise UsageError(
            "the results to resume are of another corpus: its manifest has another"
            f" digest{_INSTEAD}"
        )
    before, now = (facts.get("profile", {}).get("claims") for facts in (header.extra, extra))
    if before != now:
        raise UsageError(
            "the results to resume were judged by another profile of what the runtime claims; give"
            " the same, or run without --resume"
        )
    if set(header.planned) != set(ids):
        raise UsageError(
            f"the results to resume planned {len(header.planned)} vectors and this run plans"
            f" {len(ids)}, not the same ones; give the same selection, or run without --resume,"
            " into another file"
        )


def _python(extra: Mapping[str, Any]) -> str | None:
    """The interpreter that a run was given; None if it was given none."""
    words = list(extra.get("arguments", ()))
    return words[words.index("--python") + 1] if "--python" in words[:-1] else None


def _end_of_rows(path: Path) -> tuple[int, bool]:
    """Offset after the last complete row, and whether its line has an end.

    Everything after it, such as a footer or half a line, is cut off. The rows before it are those
    that `read_results` returns.
    """
    offset, end, whole = 0, 0, True
    with path.open("rb") as stream:
        for line in stream:
            offset += len(line)
            try:
                record = json.loads(line)["record"]
            except (ValueError, KeyError, TypeError, RecursionError):
                break
            if record in ("header", "row"):
                end, whole = offset, line.endswith(b"\n")
    return end, whole
