"""Puts every mutant before both corpora, in several processes."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.validator.corpus import open_corpus
from onnx_conformance.validator.errors import ConformanceError
from onnx_conformance.validator.verdicts import Verdict

from .assessing import convicts, open_trial, own_verdicts, verdicts
from .backend import Backend
from .confirming import real_verdicts
from .registry import all_mutants
from .strategies import INNOCENTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.connection import Connection

    from onnx_conformance.validator.corpus import Corpus

    from .assessing import Trial

OPERATORS = ("Shape", "Size", "Reshape")
# Every so many mutants, one runs the whole corpus as a child process.
SAMPLE = 40


@dataclass(frozen=True)
class Conviction:
    """What one corpus finds of one mutant.

    Attributes:
        first: id of the first vector that convicts it, or an empty text.
        verdict: on that vector.
        count: of the vectors that convict it.
        errors: vectors at which the mutant fails in a way that nobody meant.
    """

    first: str = ""
    verdict: str = ""
    count: int = 0
    errors: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding:
    """What became of one mutant, or of one correct backend.

    Attributes:
        name: of it.
        ours, theirs: what this corpus and ONNX's own cases find.
        real: how many vectors the validator ran on it as a child process.
        differences: vectors on which the child's verdict was not the one found in process.
    """

    name: str
    ours: Conviction = field(default_factory=Conviction)
    theirs: Conviction = field(default_factory=Conviction)
    real: int = 0
    differences: tuple[str, ...] = ()


def write_upstream(folder: Path) -> subprocess.Popen[bytes]:
    """Start writing ONNX's own cases of the three operators into a folder."""
    names = [item for operator in OPERATORS for item in ("--operator", operator)]
    program = Path(sys.executable).with_name("onnx-vectors")
    return subprocess.Popen(
        [str(program), "import", "onnx", *names, "--output", str(folder)], stdout=subprocess.DEVNULL
    )


@dataclass(frozen=True)
class Court:
    """Both corpora, open."""

    corpus: Corpus
    ours: Trial
    theirs: Trial

    def innocent(self, name: str) -> Finding:
        """A correct backend on the whole corpus, in process and as a child."""
        backend = INNOCENTS[name]
        return self._checked(name, backend(), f"innocent:{name}", whole=True)

    def mutant(self, name: str, *, whole: bool) -> Finding:
        """A mutant on both corpora, confirmed as a child on the first vector that convicts it."""
        mutant = all_mutants()[name]
        return self._checked(name, mutant.backend(), name, whole=whole or mutant.stateful)

    def _checked(self, name: str, backend: Backend, served: str, *, whole: bool) -> Finding:
        expected = verdicts(self.ours, backend)
        ours = _conviction(expected)
        theirs = _conviction(verdicts(self.theirs, type(backend)()))
        ids = list(self.corpus.entries) if whole else [ours.first] if ours.first else []
        real = real_verdicts(served, self.corpus, ids) if ids else {}
        differences = tuple(
            f"{item}: {verdict.value} as a child, {expected.get(item, Verdict.PASS).value} here"
            for item, verdict in real.items()
            if verdict is not expected.get(item, Verdict.PASS)
        )
        return Finding(name, ours, theirs, len(real), differences)


def open_court(vectors: Path, upstream: Path, writer: subprocess.Popen[bytes]) -> Court:
    """Open both corpora; ConformanceError where the plain innocent does not pass one."""
    corpus = open_corpus(vectors)
    ours = open_trial(corpus, Backend())
    if writer.wait() != 0:
        raise ConformanceError("`onnx-vectors import onnx` failed: see above")
    theirs = open_trial(open_corpus(upstream), Backend())
    for trial in (ours, theirs):
        for vector_id, verdict in own_verdicts(trial).items():
            raise ConformanceError(
                f"the correct backend is convicted: '{vector_id}' is {verdict.value};"
                " either the vector is wrong or benchmarks/mutants/backend.py is"
            )
    return Court(corpus, ours, theirs)


def findings(court: Court, names: Sequence[str], jobs: int) -> Iterator[Finding]:
    """What becomes of the innocents (`innocent:NAME`) and mutants, as it comes."""
    context = multiprocessing.get_context("fork")  # the corpora are shared, not sent
    connections: list[Connection] = []
    processes = []
    for job in range(jobs):
        receiving, sending = context.Pipe(duplex=False)
        process = context.Process(
            target=_work, args=(court, names[job::jobs], sending), daemon=False
        )
        process.start()
        sending.close()
        connections.append(receiving)
        processes.append(process)
    while connections:
        for ready in wait(connections):
            try:
                found = ready.recv()  # type: ignore[union-attr]
            except EOFError:
                connections.remove(ready)  # type: ignore[arg-type]
                continue
            if isinstance(found, Exception):
                raise found
            yield found
    for process in processes:
        process.join()


def _work(court: Court, names: Sequence[str], connection: Connection) -> None:
    try:
        for name in names:
            if name.startswith("innocent:"):
                connection.send(court.innocent(name.partition(":")[2]))
            else:
                position = list(all_mutants()).index(name)
                connection.send(court.mutant(name, whole=position % SAMPLE == 0))
    except Exception as error:
        connection.send(error)
    finally:
        connection.close()


def _conviction(found: dict[str, Verdict]) -> Conviction:
    against = [item for item, verdict in found.items() if convicts(verdict)]
    errors = tuple(item for item, verdict in found.items() if verdict is Verdict.ERROR)
    if not against:
        return Conviction(errors=errors)
    return Conviction(against[0], found[against[0]].value, len(against), errors)
