"""Measures what has changed since the record, and writes record, history, allowances and page."""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from onnx_conformance.core.corpus.listing.model import MANIFEST_FILE
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.files import write_whole

from ..guarding import guarded_once
from ..names import slug_of, split_name
from ..records.allowances import FILE as ALLOWANCES
from ..records.allowances import Allowance, allowances, still_allowed, write_allowances
from ..records.history import FILE as HISTORY
from ..records.history import History, code_of, read_history, upstream_digests, write_history
from ..records.page import page
from ..records.record import FILE, Line, digests, line_of, read_record, write_record
from ..reports.operators import details, passed, row
from ..trying.measuring import Effort, Measured, measure
from ..trying.status import Looking
from .incremental import Renewed, measure_incrementally, remembered, theirs
from .questions import read_before
from .seconds import FILE as SECONDS
from .seconds import Seconds

if TYPE_CHECKING:
    from .clustered import OnCluster

_LEAST_FALL = 0.05


@dataclass(frozen=True)
class Renewal:
    """What is measured, and where it is written.

    Attributes:
        vectors: the corpus.
        upstream: ONNX's own node tests, or None.
        details: the folder for what was found of each operator.
        samples: calls beyond the corpus.
        least: what an operator must reach, in percent.
        lower: whether an operator may fall below what the record has.
        forget: whether mutants are tried as if there were no history of them.
    """

    vectors: Path
    upstream: Path | None
    details: Path
    samples: int
    least: float
    lower: bool = False
    forget: bool = False


def renew(
    renewal: Renewal,
    jobs: int | OnCluster,
    page_file: Path,
    *,
    everything: bool = False,
    names: Collection[str] = (),
) -> int:
    """Measure, and write record and page; the exit code is 1 where something fell or is weak.

    Args:
        renewal: what is measured, besides what changed since the record: `everything`, or `names`.
        jobs: processes, or the cluster whose workers measure.
        page_file: the page.
        everything: whether all operators are measured.
        names: operators that are.

    Raises BadInputError for a name that the vectors have not.
    """
    begun = time.monotonic()
    before, allowed = read_record(), allowances()
    now = digests(renewal.vectors / MANIFEST_FILE)
    upstream, tests = _upstream(renewal)
    histories = {name: item for name, item in read_history().items() if name in now}
    stale = [
        name
        for name, digest in now.items()
        if everything or name in names or name not in before or before[name].digest != digest
    ]
    unknown = sorted(set(names) - set(now))
    if unknown:
        raise BadInputError(f"{renewal.vectors} has no vector of {', '.join(unknown)}")
    lines = {name: line for name, line in before.items() if name in now}
    bad = 0
    seconds = Seconds(renewal.details / SECONDS)
    if isinstance(jobs, int):
        stale.sort(key=lambda name: _work(before.get(name)))
    else:
        works = {name: _work(before.get(name)) for name in stale}
        stale.sort(key=lambda name: seconds.expected(name, works), reverse=True)
    tasks = [
        _Task(
            name,
            now[name],
            upstream.get(name, ""),
            tests.get(name, ""),
            before.get(name),
            histories.get(name),
            renewal,
        )
        for name in stale
    ]
    found = _measured(tasks, renewal, jobs)
    for done, (name, line, text, history, told, took) in enumerate(found, 1):
        _say(f"[{done}/{len(stale)}] {text}")
        if line is None:
            bad += 1
            continue
        renewal.details.mkdir(parents=True, exist_ok=True)
        write_whole(renewal.details / f"{slug_of(*split_name(name))}.txt", told)
        seconds.add(name, took)
        known = lines.get(name)
        if known is not None and line.percent < known.percent - _LEAST_FALL and not renewal.lower:
            _say(
                f"FELL    {name}: {line.percent:.1f} % of its mutants are killed, before it"
                f" was {known.percent:.1f} %; {renewal.details} says why (--lower takes it)"
            )
            bad += 1
            continue
        if line.percent < renewal.least and name not in allowed:
            _say(f"WEAK    {name}: {line.percent:.1f} % of its mutants are killed")
            bad += 1
        lines[name] = line
        if history is not None:
            histories[name] = history
        _write(lines, allowed, now, renewal.least, page_file)
        write_history(histories)
    _write(lines, allowed, now, renewal.least, page_file)
    _say(f"{len(stale)} of {len(now)} operators measured in {time.monotonic() - begun:.0f} s")
    _say(
        f"{FILE.name}, {HISTORY.name}, {ALLOWANCES.name} and {page_file.name} are written;"
        f" details are in {renewal.details}"
    )
    return 1 if bad else 0


def _say(text: str) -> None:
    """What was found so far, at once: a renewal takes long."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def mark_unmeasured(vectors: Path, least: float, page_file: Path) -> int:
    """Measure nothing, and list what changed as unmeasured; the exit code is 0."""
    now = digests(vectors / MANIFEST_FILE)
    lines = {name: line for name, line in read_record().items() if now.get(name) == line.digest}
    _write(lines, allowances(), now, least, page_file)
    _say(
        f"{len(lines)} of {len(now)} operators are as they were measured; the others are listed in"
        f" {ALLOWANCES.name}"
    )
    return 0


def _write(
    lines: Mapping[str, Line],
    allowed: Mapping[str, Allowance],
    now: Mapping[str, str],
    least: float,
    page_file: Path,
) -> None:
    """Write record, allowances and page, so that whoever stops here loses nothing."""
    write_record(lines)
    left = still_allowed(allowed, lines, now, least)
    write_allowances(left)
    write_whole(page_file, page(lines, left))


def _work(line: Line | None) -> tuple[bool, int]:
    """How much work an operator is likely to be: unknown ones were left for their work."""
    if line is None:
        return True, 0
    return False, line.vectors * (line.killed + line.survived + line.equivalent)


def _upstream(renewal: Renewal) -> tuple[dict[str, str], dict[str, str]]:
    """By operator, digests of what ONNX's own node tests' kills depend on, and of the tests."""
    if renewal.upstream is None:
        return {}, {}
    manifest = renewal.upstream / MANIFEST_FILE
    return digests(manifest), upstream_digests(manifest)


@dataclass(frozen=True)
class _Task:
    """An operator that is to be measured.

    Attributes:
        name: of it.
        digest: of what it depends on.
        upstream_digest: of what ONNX's own node tests' kills depend on.
        tests: the digest of these tests.
        before: what was measured last.
        history: what killed its mutants last.
        renewal: what is measured.
    """

    name: str
    digest: str
    upstream_digest: str
    tests: str
    before: Line | None
    history: History | None
    renewal: Renewal


class _Found(NamedTuple):
    """What is found of an operator: its line and what is remembered, or nothing; and texts.

    Attributes:
        name: of it.
        line: what is recorded.
        text: what is said.
        history: what is remembered.
        details: what is written of each of its mutants.
        seconds: of the processor that it took.
    """

    name: str
    line: Line | None
    text: str
    history: History | None = None
    details: str = ""
    seconds: float = 0.0


def _measured(tasks: Sequence[_Task], renewal: Renewal, jobs: int | OnCluster) -> Iterator[_Found]:
    """Each operator in a process of its own, as many at a time as there are jobs or workers."""
    folders = tuple(item for item in (renewal.vectors, renewal.upstream) if item is not None)
    if not isinstance(jobs, int):
        for task, answer in jobs.results(_of_operator, tasks, folders):
            failed = f"FAILED  {task.name}: {answer.problem}"
            yield _Found(task.name, None, failed) if answer.problem else answer.result
        return
    if jobs < 2 or len(tasks) < 2:
        yield from map(_of_operator, tasks)
        return
    read_before(folders)
    with multiprocessing.get_context("fork").Pool(jobs, maxtasksperchild=4) as pool:
        yield from pool.imap_unordered(_of_operator, tasks, chunksize=1)


def _of_operator(task: _Task) -> _Found:
    """Nothing is kept of an operator where measuring it fails."""
    try:
        return _found(task)
    except Exception as error:
        return _Found(task.name, None, f"FAILED  {task.name}: {type(error).__name__}: {error}")


def _found(task: _Task) -> _Found:
    name = task.name
    begun, worked = time.monotonic(), _processor()
    measured, history, how = _ours(task)
    measured, history = _with_theirs(task, measured, history)
    line = replace(line_of(measured, task.digest), upstream_digest=task.upstream_digest)
    told = f"{row(measured)}; {time.monotonic() - begun:.1f} s{how}"
    text, took = "\n".join(details(measured)) + "\n", _processor() - worked
    if measured.failures or not passed(measured, 0.0):
        # An oracle that does not pass its vectors measures nothing.
        return _Found(name, replace(line, killed=0), told, None, text, took)
    return _Found(name, line, told, history, text, took)


def _processor() -> float:
    """Seconds of the processor, of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _ours(task: _Task) -> tuple[Measured, History, str]:
    """What our vectors make of the mutants, what is remembered of it, and how it was measured."""
    history = None if task.renewal.forget else task.history
    renewed, how = measured_by(
        task.name, task.renewal.vectors, history, task.digest, Effort(1, task.renewal.samples)
    )
    found = renewed.history
    if not how and task.history is not None and task.history.code == found.code:
        found = replace(found, upstream=task.history.upstream, theirs=task.history.theirs)
    return renewed.measured, found, how


def measured_by(
    name: str, vectors: Path, history: History | None, digest: str, effort: Effort
) -> tuple[Renewed, str]:
    """What vectors make of the mutants of an operator, and how that was measured.

    Args:
        name: of the operator, with its domain.
        vectors: the folder that has them.
        history: what is remembered, which is used where it is enough; None is nothing.
        digest: of what is measured: it says on what survivors are tried once more.
        effort: how much is done where nothing is remembered.
    """
    domain, operator = split_name(name)
    code = code_of(domain, operator)
    if history is not None and history.code == code:
        turn = int(digest, 16)
        # A mutant may end the process: then each is tried in one of its own, from nothing.
        renewed = guarded_once(
            lambda: measure_incrementally(domain, operator, vectors, history, turn)
        )
        if renewed is not None:
            return renewed, " by its history"
    effort = replace(effort, looking=Looking.REQUIREMENTS)
    measured = measure(domain, operator, vectors, effort)
    return remembered(domain, operator, vectors, measured, code), ""


def _with_theirs(task: _Task, measured: Measured, history: History) -> tuple[Measured, History]:
    """The same, with what ONNX's own node tests kill."""
    domain, operator = split_name(task.name)
    before, upstream = task.before, task.renewal.upstream
    if upstream is None:
        return measured, history
    if before is not None and before.upstream_digest == task.upstream_digest != "":
        # What ONNX's tests kill changes with the oracle, not with our vectors.
        vectors, killed = before.upstream_vectors, before.upstream_killed
    else:
        is_known = history.upstream == task.tests and not task.renewal.forget
        found = theirs(domain, operator, upstream, history.theirs if is_known else None)
        vectors, killed = found.vectors, found.killed
        history = replace(history, upstream=task.tests, theirs=found.kills)
    return replace(measured, upstream_vectors=vectors, upstream_killed=killed), history
