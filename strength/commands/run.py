"""`python -m strength run`: put the mutants of operators before their vectors."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.cluster.options import add_cluster
from onnx_conformance.core.corpus.listing.model import MANIFEST_FILE
from onnx_conformance.core.errors import ClusterError, IncompleteError
from onnx_conformance.validator.judging.verdicts import Verdict

from ..names import split_name
from ..records.history import History, read_history
from ..records.record import as_json, digests
from ..renewing.questions import read_before
from ..renewing.renewal import measured_by
from ..reports.operators import lines, passed, row, suspects
from ..trying.confirming import real_verdict
from ..trying.measuring import Effort, Measured, measure
from ..trying.status import Looking, Status
from ..vectors import operators_of
from .options import (
    add_jobs,
    add_least,
    add_operators,
    add_samples,
    add_vectors,
    cluster_of,
)

if TYPE_CHECKING:
    import argparse

    from ..renewing.clustered import OnCluster


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_operators(
        parser,
        "an operator, e.g. Add or ai.onnx.ml:Scaler; may be given again"
        " (default: every one that has vectors)",
    )
    add_vectors(parser)
    parser.add_argument(
        "--upstream", type=Path, metavar="DIR", help="ONNX's own node tests, imported"
    )
    add_jobs(parser)
    add_cluster(parser, "measure operators")
    add_samples(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--cases", action="store_true", help="say which cases kill nothing more")
    which.add_argument(
        "--incremental",
        action="store_true",
        help="try on each mutant first what killed it when the record was written: seconds, as"
        " long as the oracle stays the same",
    )
    parser.add_argument("--killed", action="store_true", help="list the killed mutants, too")
    add_least(parser)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything that was found")
    parser.add_argument(
        "--confirm",
        type=int,
        default=0,
        metavar="N",
        help="run every Nth killed mutant as a child process before the whole validator, too",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Measure; exit code 1 where less is killed than is demanded."""
    names = arguments.operator or operators_of(arguments.vectors)
    if not names:
        raise IncompleteError(f"{arguments.vectors} has no vector of an operator with an oracle")
    begun = time.monotonic()
    measured = _all_measured(names, arguments)
    unconfirmed = 0
    for result in measured:
        for text in lines(result, killed=arguments.killed, cases=arguments.cases):
            print(text)
        unconfirmed += _unconfirmed(result, arguments)
    if len(measured) > 1:
        print()
        for result in measured:
            print(row(result))
    print(f"{time.monotonic() - begun:.1f} s")
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps([as_json(item) for item in measured], indent=1))
    good = all(passed(item, arguments.least) for item in measured)
    return 0 if good and not unconfirmed else 1


@dataclass(frozen=True)
class _Task:
    """An operator, with what is remembered of it: its history and digest, if that is wanted."""

    name: str
    vectors: Path
    upstream: Path | None
    effort: Effort
    history: History | None
    digest: str


def _all_measured(names: Sequence[str], arguments: argparse.Namespace) -> list[Measured]:
    """What is found of each operator, in their order."""
    cluster = cluster_of(arguments)
    looking = Looking.CASES if arguments.cases else Looking.FIRST
    effort = Effort(1 if cluster else arguments.jobs, arguments.samples, looking)
    known = digests(arguments.vectors / MANIFEST_FILE) if arguments.incremental else {}
    histories = read_history() if known else {}
    vectors, upstream = arguments.vectors.resolve(), arguments.upstream
    upstream = upstream and upstream.resolve()
    tasks = [
        _Task(name, vectors, upstream, effort, histories.get(name), known.get(name, ""))
        for name in names
    ]
    found: dict[str, Measured] = {}
    for name, measured, told in _measured(tasks, cluster):
        found[name] = measured
        for text in told:
            print(text)
    return [found[name] for name in names]


def _measured(
    tasks: Sequence[_Task], cluster: OnCluster | None
) -> Iterator[tuple[str, Measured, Sequence[str]]]:
    if cluster is None:
        read_before(())  # as workers do: what is worked out once is no work of any call
        for task in tasks:
            yield (task.name, *_of_operator(task))
        return
    folders = tuple(item for item in (tasks[0].vectors, tasks[0].upstream) if item is not None)
    for task, answer in cluster.results(_of_operator, tasks, folders):
        if answer.problem:
            raise ClusterError(f"{task.name} could not be measured: {answer.problem}")
        yield (task.name, *answer.result)


def _of_operator(task: _Task) -> tuple[Measured, Sequence[str]]:
    """What is found of an operator, and what is to be said of it."""
    if not task.digest:
        return measure(*split_name(task.name), task.vectors, task.effort, task.upstream), ()
    found, how = measured_by(task.name, task.vectors, task.history, task.digest, task.effort)
    said = f"{task.name} is measured{how or ' from nothing'}"
    return found.measured, (said, *suspects(found.measured))


def _unconfirmed(measured: Measured, arguments: argparse.Namespace) -> int:
    """How many of the sampled mutants the whole validator lets pass where the judge did not."""
    if not arguments.confirm:
        return 0
    killed = [item for item in measured.findings if item.status is Status.KILLED]
    sampled = [item for item in killed if "/" in item.by][:: arguments.confirm]
    wrong = 0
    for item in sampled:
        verdict = real_verdict(arguments.vectors, measured.name, item.name, item.by)
        if verdict is Verdict.PASS:
            print(f"unconfirmed {item.name}: as a child process it passes {item.by}")
            wrong += 1
    print(f"{len(sampled) - wrong} kills confirmed by child processes")
    return wrong
