"""Puts every mutant before both corpora, in several processes."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.errors import ConformanceError
from onnx_conformance.validator.judging.verdicts import Verdict

from .assessing import convicts, open_trial, own_verdicts, verdicts
from .backend import Backend
from .confirming import real_verdicts
from .registry import all_mutants, touched_operators
from .strategies import INNOCENT, INNOCENTS, PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.sharedctypes import Synchronized

    from onnx_conformance.core.corpus.corpus import Corpus

    from .assessing import Trial

OPERATORS = ("Shape", "Size", "Reshape")
# Every so many mutants, one runs the whole corpus as a child process.
SAMPLE = 60
# Every so many vectors, one is run by the correct backends that are not the plain one, as children.
VECTOR_SAMPLE = 6


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
        """A correct backend on the whole corpus in process; the plain one as a child, too."""
        ids = list(self.corpus.entries)
        if name != PLAIN:
            ids = ids[::VECTOR_SAMPLE]
        return self._checked(name, INNOCENTS[name], INNOCENT + name, ids)

    def mutant(self, name: str, *, whole: bool) -> Finding:
        """A mutant on both corpora, confirmed as a child on the first vector that convicts it."""
        mutant = all_mutants()[name]
        ids = list(self.corpus.entries) if whole or mutant.stateful else []
        return self._checked(name, mutant.backend, name, ids)

    def _checked(
        self, name: str, make: Callable[[], Backend], served: str, ids: Sequence[str]
    ) -> Finding:
        """The finding on one backend; as a child it runs `ids`, or else what convicts it first."""
        expected = verdicts(self.ours, make())
        touched = touched_operators(type(make()))
        ours = _conviction(expected, self.ours, touched)
        theirs = _conviction(verdicts(self.theirs, make()), self.theirs, touched)
        ids = ids or ([ours.first] if ours.first else [])
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
    turn = context.Value("i", 0)  # whoever is free takes the next name
    connections: list[Connection] = []
    processes = []
    for _ in range(jobs):
        receiving, sending = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(court, names, turn, sending))
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


def _work(
    court: Court, names: Sequence[str], turn: Synchronized[int], connection: Connection
) -> None:
    """Take names until there is none left, and send what is found."""
    positions = {name: position for position, name in enumerate(all_mutants())}
    try:
        while True:
            with turn.get_lock():
                position = turn.value
                turn.value += 1
            if position >= len(names):
                break
            name = names[position]
            if name in positions:
                connection.send(court.mutant(name, whole=positions[name] % SAMPLE == 0))
            else:
                connection.send(court.innocent(name.removeprefix(INNOCENT)))
    except Exception as error:
        connection.send(error)
    finally:
        connection.close()


def _conviction(found: dict[str, Verdict], trial: Trial, touched: frozenset[str]) -> Conviction:
    """What convicts; the first vector is one of the operators that the bug is in, if there is."""
    against = [item for item, verdict in found.items() if convicts(verdict)]
    errors = tuple(item for item, verdict in found.items() if verdict is Verdict.ERROR)
    if not against:
        return Conviction(errors=errors)
    own = {
        exhibit.id for exhibit in trial.exhibits if exhibit.expectation.vector.operator in touched
    }
    first = next((item for item in against if item in own), against[0])
    return Conviction(first, found[first].value, len(against), errors)
