"""`python -m strength renew`: measure what has changed since the record, and write it anew."""

from __future__ import annotations

import multiprocessing
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.corpus import MANIFEST_FILE
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.files import write_whole
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.oracle.arith.rounding import decode_all

from .again import measure_again, remembered, theirs
from .assessing import Looking
from .evidence import entries_of
from .measuring import Effort, measure
from .memory import FILE as MEMORY
from .memory import code_of, read_memory, upstream_digests, write_memory
from .owed import FILE as DEBTS
from .owed import debts, still_owed, write_debts
from .page import page
from .record import FILE, digests, line_of, read_record, write_record
from .reporting import details, passed, row

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from .again import Again
    from .measuring import Measured
    from .memory import Memory
    from .owed import Debt
    from .record import Line

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
        forget: whether mutants are asked as if nothing were remembered of them.
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
    jobs: int,
    page_file: Path,
    *,
    everything: bool = False,
    names: Collection[str] = (),
) -> int:
    """Measure, and write record and page; the exit code is 1 where something fell or is weak.

    Args:
        renewal: what is measured, besides what changed since the record: `everything`, or `names`.
        jobs: processes.
        page_file: the page.
        everything: whether all operators are measured.
        names: operators that are.

    Raises BadInputError for a name that the vectors have not.
    """
    begun = time.monotonic()
    before, owed = read_record(), debts()
    now = digests(renewal.vectors / MANIFEST_FILE)
    upstream, tests = _upstream(renewal)
    memories = {name: item for name, item in read_memory().items() if name in now}
    stale = [
        name
        for name, digest in now.items()
        if everything or name in names or name not in before or before[name].digest != digest
    ]
    unknown = sorted(set(names) - set(now))
    if unknown:
        raise BadInputError(f"{renewal.vectors} has no vector of {', '.join(unknown)}")
    lines = {
        name: _with_suspects(line, memories.get(name))
        for name, line in before.items()
        if name in now
    }
    bad = 0
    stale.sort(key=lambda name: _work(before.get(name)))
    tasks = [
        _Task(
            name,
            now[name],
            upstream.get(name, ""),
            tests.get(name, ""),
            before.get(name),
            memories.get(name),
            renewal,
        )
        for name in stale
    ]
    for done, (name, line, text, memory) in enumerate(_measured(tasks, renewal, jobs), 1):
        print(f"[{done}/{len(stale)}] {text}", flush=True)
        if line is None:
            bad += 1
            continue
        known = lines.get(name)
        if known is not None and line.percent < known.percent - _LEAST_FALL and not renewal.lower:
            print(
                f"FELL    {name}: {line.percent:.1f} % of its mutants are killed, before it"
                f" was {known.percent:.1f} %; {renewal.details} says why (--lower takes it)"
            )
            bad += 1
            continue
        if line.percent < renewal.least and name not in owed:
            print(f"OWES    {name}: {line.percent:.1f} % of its mutants are killed")
            bad += 1
        lines[name] = line
        if memory is not None:
            memories[name] = memory
        _write(lines, owed, now, renewal.least, page_file)
        write_memory(memories)
    _write(lines, owed, now, renewal.least, page_file)
    print(f"{len(stale)} of {len(now)} operators measured in {time.monotonic() - begun:.0f} s")
    print(
        f"{FILE.name}, {MEMORY.name}, {DEBTS.name} and {page_file.name} are written;"
        f" details are in {renewal.details}"
    )
    return 1 if bad else 0


def _with_suspects(line: Line, memory: Memory | None) -> Line:
    """A line that counts suspicious requirements, and names them where they are remembered."""
    known = memory is not None and len(memory.suspicious) == line.suspicious
    return replace(line, suspects=memory.suspicious) if memory and known else line


def owe(vectors: Path, least: float, page_file: Path) -> int:
    """Measure nothing: what changed since it was measured is owed; the exit code is 0."""
    now = digests(vectors / MANIFEST_FILE)
    lines = {name: line for name, line in read_record().items() if now.get(name) == line.digest}
    _write(lines, debts(), now, least, page_file)
    print(f"{len(lines)} of {len(now)} operators are as they were measured; the others are owed")
    return 0


def _write(
    lines: Mapping[str, Line],
    owed: Mapping[str, Debt],
    now: Mapping[str, str],
    least: float,
    page_file: Path,
) -> None:
    """Write record, debts and page, so that whoever stops here loses nothing."""
    write_record(lines)
    left = still_owed(owed, lines, now, least)
    write_debts(left)
    write_whole(page_file, page(lines, left))


def _work(line: Line | None) -> tuple[bool, int]:
    """How much work an operator is likely to be: unknown ones were left for their work."""
    if line is None:
        return True, 0
    return False, line.vectors * (line.killed + line.living + line.alike)


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
        memory: what killed its mutants last.
        renewal: what is measured.
    """

    name: str
    digest: str
    upstream_digest: str
    tests: str
    before: Line | None
    memory: Memory | None
    renewal: Renewal


# What is found of an operator: its line and what is remembered, or nothing; and a text.
_Found = tuple[str, "Line | None", str, "Memory | None"]


def _measured(tasks: Sequence[_Task], renewal: Renewal, jobs: int) -> Iterator[_Found]:
    """Each operator in a process of its own, as many at a time as there are jobs."""
    if jobs < 2 or len(tasks) < 2:
        yield from map(_of_operator, tasks)
        return
    # What takes long to read or work out and never changes: the processes inherit it.
    for folder in (renewal.vectors, renewal.upstream):
        if folder is not None:
            entries_of(folder)
    installed_signatures()
    for name in ("float16", "bfloat16"):
        decode_all(name, [])
    with multiprocessing.get_context("fork").Pool(jobs, maxtasksperchild=4) as pool:
        yield from pool.imap_unordered(_of_operator, tasks, chunksize=1)


def _of_operator(task: _Task) -> _Found:
    """Nothing is kept of an operator where measuring it fails."""
    try:
        return _found(task)
    except Exception as error:
        return task.name, None, f"FAILED  {task.name}: {type(error).__name__}: {error}", None


def _found(task: _Task) -> _Found:
    name, renewal = task.name, task.renewal
    begun = time.process_time()
    measured, memory, how = _ours(task)
    measured, memory = _with_theirs(task, measured, memory)
    renewal.details.mkdir(parents=True, exist_ok=True)
    text = "\n".join(details(measured)) + "\n"
    write_whole(renewal.details / f"{name.replace(':', '.').lower()}.txt", text)
    line = replace(line_of(measured, task.digest), upstream_digest=task.upstream_digest)
    told = f"{row(measured)}; {time.process_time() - begun:.1f} s{how}"
    if measured.failures or not passed(measured, 0.0):
        # An oracle that does not pass its vectors measures nothing.
        return name, replace(line, killed=0), told, None
    return name, line, told, memory


def _ours(task: _Task) -> tuple[Measured, Memory, str]:
    """What our vectors make of the mutants, what is remembered of it, and how it was measured."""
    memory = None if task.renewal.forget else task.memory
    again, how = measured_by(
        task.name, task.renewal.vectors, memory, task.digest, Effort(1, task.renewal.samples)
    )
    found = again.memory
    if not how and task.memory is not None and task.memory.code == found.code:
        found = replace(found, upstream=task.memory.upstream, theirs=task.memory.theirs)
    return again.measured, found, how


def measured_by(
    name: str, vectors: Path, memory: Memory | None, digest: str, effort: Effort
) -> tuple[Again, str]:
    """What vectors make of the mutants of an operator, and how that was measured.

    Args:
        name: of the operator, with its domain.
        vectors: the folder that has them.
        memory: what is remembered, which is used where it is enough; None is nothing.
        digest: of what is measured: it says what those that live are asked again.
        effort: how much is done where nothing is remembered.
    """
    domain, _, operator = name.rpartition(":")
    code = code_of(domain, operator)
    if memory is not None and memory.code == code:
        again = measure_again(domain, operator, vectors, memory, int(digest, 16))
        if again is not None:
            return again, " by what is remembered"
    effort = replace(effort, looking=Looking.REQUIREMENTS)
    measured = measure(domain, operator, vectors, effort)
    return remembered(domain, operator, vectors, measured, code), ""


def _with_theirs(task: _Task, measured: Measured, memory: Memory) -> tuple[Measured, Memory]:
    """The same, with what ONNX's own node tests kill."""
    domain, _, operator = task.name.rpartition(":")
    before, upstream = task.before, task.renewal.upstream
    if upstream is None:
        return measured, memory
    if before is not None and before.upstream_digest == task.upstream_digest != "":
        # What ONNX's tests kill changes with the oracle, not with our vectors.
        vectors, killed = before.upstream_vectors, before.upstream_killed
    else:
        is_known = memory.upstream == task.tests and not task.renewal.forget
        found = theirs(domain, operator, upstream, memory.theirs if is_known else None)
        vectors, killed = found.vectors, found.killed
        memory = replace(memory, upstream=task.tests, theirs=found.kills)
    return replace(measured, upstream_vectors=vectors, upstream_killed=killed), memory
