"""Makes operator versions beside a run, in processes of their own, while it judges.

Processes and not threads, since making takes the whole of a processor; processes of our own and not
a pool, since a pool can neither be ended in the middle of an operator, nor ends when its parent is
killed.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.abandoned import TEMPORARY, remove_abandoned
from onnx_conformance.core.corpus.cache import CACHE_VARIABLE, is_whole
from onnx_conformance.core.corpus.corpus import ELSEWHERE
from onnx_conformance.core.errors import (
    BadInputError,
    CannotWriteError,
    ConformanceError,
    ExitCode,
    cannot_write,
)
from onnx_conformance.core.files import lock
from onnx_conformance.core.text import quantity

if TYPE_CHECKING:
    from .source import PublishedVectors

_MODULE = f"{__package__}.maker"
_PAUSE = 0.02  # seconds between two looks at what was made
# What a vector takes on average: all 39,686 are 15 MB of archives, made in 137 s of a processor.
_BYTES, _SECONDS = 400, 0.0035


class Supplying:
    """The supply of the published corpus: see `sources.Supply`."""

    def __init__(self, source: PublishedVectors, operator_versions: Sequence[str]) -> None:
        """Make these operator versions, in this order, once it is started."""
        self._source = source
        self._due = {item: source.archive(item) for item in operator_versions}
        self._jobs = deque(_by_operator(operator_versions).items())
        self._threads: list[threading.Thread] = []
        # Shared with the threads:
        self._lock = threading.Lock()
        self._processes: list[subprocess.Popen[str]] = []
        self._ended = False
        self._error: ConformanceError | None = None
        self._differing: list[str] = []

    def start(self) -> None:
        """Start the processes; BadInputError if nothing can be made or kept here."""
        try:
            self._source.require_onnx()
        except ImportError as error:
            raise BadInputError(_lacks(str(error))) from None
        self._announce()
        cache = self._source.cache
        try:
            cache.mkdir(parents=True, exist_ok=True)
            remove_abandoned(cache)
            if not os.access(cache, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(cache))
        except OSError as error:
            known = cannot_write(error.filename or cache, error)
            raise type(known)(
                f"{known}; name another folder for vectors in ${CACHE_VARIABLE}"
            ) from None
        for _ in range(min(self._source.jobs, len(self._jobs))):
            thread = threading.Thread(target=self._work, daemon=True)
            thread.start()
            self._threads.append(thread)

    def is_there(self, operator_version: str, place: str) -> bool:
        """Whether an operator version is made, and with it the vector; see `sources.Supply`."""
        del place
        archive = self._due.get(operator_version)
        if archive is None or is_whole(archive):
            return True
        self._raise()
        return False

    def wait(self) -> None:
        """Wait until everything is made; see `sources.Supply`."""
        for thread in self._threads:
            while thread.is_alive():
                thread.join(_PAUSE)
        self._raise()

    def close(self) -> None:
        """End the processes; whole archives stay."""
        with self._lock:
            self._ended = True
            for process in self._processes:
                process.kill()
        for thread in self._threads:
            thread.join()

    def _raise(self) -> None:
        """Raise what went wrong so far."""
        with self._lock:
            error, differing = self._error, list(self._differing)
        if error is not None:
            raise error
        if differing:
            raise BadInputError(self._source.refusal(differing))

    def _announce(self) -> None:
        total = sum(self._source.lock.count(name) for name in self._due)
        first, *others = self._due
        what = f"{len(self._due)} operator versions" if others else first
        delivered = self._source.delivered
        why = f" (those that are installed are of corpus {delivered.corpus})" if delivered else ""
        corpus = self._source.lock.manifest["corpus"]
        self._source.messages.write(
            f"writing {total:,} vectors of {what}, corpus {corpus}, to {self._source.cache}: about"
            f" {_cost(total, self._source.jobs)}; this is done"
            f" once{why}; delete that folder whenever you like, or name another in"
            f" ${CACHE_VARIABLE}\n"
        )
        self._source.messages.flush()

    # --- in a thread for each process --------------------------------------------------------

    def _work(self) -> None:
        """Have one process make one operator after the other."""
        process: subprocess.Popen[str] | None = None
        try:
            while (job := self._next()) is not None:
                operator, operator_versions = job
                with _alone(self._source.cache, operator) as alone:
                    left = self._source.missing(operator_versions) if alone else ()
                    if left:
                        process = process or self._process()
                        self._note(self._asked(process, operator, left))
                if not alone:  # another run makes it: the next one, and then look again
                    self._put_back(job)
        except OSError as error:
            self._fail(BadInputError(f"vectors cannot be made: {error}"))
        finally:
            if process is not None:
                process.communicate()

    def _next(self) -> tuple[str, list[str]] | None:
        with self._lock:
            over = self._ended or self._error is not None or not self._jobs
            return None if over else self._jobs.popleft()

    def _put_back(self, job: tuple[str, list[str]]) -> None:
        with self._lock:
            self._jobs.append(job)
        time.sleep(_PAUSE)

    def _process(self) -> subprocess.Popen[str]:
        source = self._source
        facts = {
            "root": str(source.root),
            "cache": str(source.cache),
            "specs": str(source.specs),
        }
        process = subprocess.Popen(
            [sys.executable, "-m", _MODULE, json.dumps(facts)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            # Ctrl-C is for the run, which ends it.
            start_new_session=True,
        )
        with self._lock:
            self._processes.append(process)
            if self._ended:
                process.kill()
        return process

    @staticmethod
    def _asked(
        process: subprocess.Popen[str], operator: str, operator_versions: Sequence[str]
    ) -> Mapping[str, Any]:
        """The answer of a process about one operator."""
        assert process.stdin is not None  # noqa: S101  pipes were asked for
        assert process.stdout is not None  # noqa: S101  as above
        process.stdin.write(
            json.dumps({"operator": operator, "versions": operator_versions}) + "\n"
        )
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            how = process.wait()
            return {"error": f"{operator} cannot be made: its process ended with {how}", "code": 3}
        reply: Mapping[str, Any] = json.loads(line)
        return reply

    def _note(self, reply: Mapping[str, Any]) -> None:
        if "lacks" in reply:
            self._fail(BadInputError(_lacks(reply["lacks"])))
        elif "error" in reply:
            kind = CannotWriteError if reply["code"] == ExitCode.CANNOT_WRITE else BadInputError
            self._fail(kind(reply["error"]))
        else:
            with self._lock:
                self._differing += reply["differing"]

    def _fail(self, error: ConformanceError) -> None:
        with self._lock:
            if not self._ended:
                self._error = self._error or error


@contextlib.contextmanager
def _alone(cache: Path, operator: str) -> Iterator[bool]:
    """Whether no other run makes an operator in this cache; none does while the block runs."""
    path = cache / f"{TEMPORARY}{operator}"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
    alone = lock(descriptor)
    try:
        yield alone
    finally:
        if alone:
            with contextlib.suppress(OSError):
                path.unlink()
        os.close(descriptor)


def _cost(vectors: int, processes: int) -> str:
    """What making vectors takes, in words: `15 MB and 69 s with 2 processes`."""
    size = max(1, round(vectors * _BYTES / 1e6))
    seconds = max(1, round(vectors * _SECONDS / processes))
    return f"{size} MB and {seconds} s with {quantity(processes, 'process', 'processes')}"


def _lacks(what: str) -> str:
    return f"the corpus cannot be written here: {what}; {ELSEWHERE}"


def _by_operator(operator_versions: Sequence[str]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for item in operator_versions:
        grouped.setdefault(item.rpartition("-")[0], []).append(item)
    return grouped
