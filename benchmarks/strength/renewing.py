"""`python -m strength renew`: measure what has changed since the record, and write it anew."""

from __future__ import annotations

import multiprocessing
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.corpus import MANIFEST_FILE
from onnx_conformance.core.files import write_whole
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.oracle.arith.rounding import decode_all

from .assessing import Looking
from .evidence import entries_of
from .measuring import Effort, measure
from .owed import FILE as DEBTS
from .owed import debts, still_owed, write_debts
from .page import page
from .record import FILE, digests, line_of, read_record, write_record
from .reporting import details, passed, row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

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
    """

    vectors: Path
    upstream: Path | None
    details: Path
    samples: int
    least: float
    lower: bool = False


def renew(renewal: Renewal, jobs: int, page_file: Path, *, everything: bool = False) -> int:
    """Measure, and write record and page; the exit code is 1 where something fell or is weak."""
    begun = time.monotonic()
    before, owed = read_record(), debts()
    now = digests(renewal.vectors / MANIFEST_FILE)
    theirs = {} if renewal.upstream is None else digests(renewal.upstream / MANIFEST_FILE)
    stale = [
        name
        for name, digest in now.items()
        if everything or name not in before or before[name].digest != digest
    ]
    lines = {name: line for name, line in before.items() if name in now}
    bad = 0
    stale.sort(key=lambda name: _work(before.get(name)))
    tasks = [
        _Task(name, now[name], theirs.get(name, ""), before.get(name), renewal) for name in stale
    ]
    for done, (name, line, text) in enumerate(_measured(tasks, renewal, jobs), 1):
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
        _write(lines, owed, now, renewal.least, page_file)
    _write(lines, owed, now, renewal.least, page_file)
    print(f"{len(stale)} of {len(now)} operators measured in {time.monotonic() - begun:.0f} s")
    print(
        f"{FILE.name}, {DEBTS.name} and {page_file.name} are written;"
        f" details are in {renewal.details}"
    )
    return 1 if bad else 0


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


@dataclass(frozen=True)
class _Task:
    """An operator that is to be measured: digests of what it and ONNX's tests of it depend on."""

    name: str
    digest: str
    upstream_digest: str
    before: Line | None
    renewal: Renewal


def _measured(
    tasks: Sequence[_Task], renewal: Renewal, jobs: int
) -> Iterator[tuple[str, Line | None, str]]:
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


def _of_operator(task: _Task) -> tuple[str, Line | None, str]:
    """The operator, what is kept of it, and a text; nothing is kept where measuring it fails."""
    try:
        return _found(task)
    except Exception as error:
        return task.name, None, f"FAILED  {task.name}: {type(error).__name__}: {error}"


def _found(task: _Task) -> tuple[str, Line, str]:
    name, renewal, before = task.name, task.renewal, task.before
    domain, _, operator = name.rpartition(":")
    begun = time.process_time()
    effort = Effort(1, renewal.samples, Looking.REQUIREMENTS)
    if before is None or not before.upstream_digest == task.upstream_digest != "":
        measured = measure(domain, operator, renewal.vectors, effort, renewal.upstream)
    else:
        # What ONNX's tests kill changes with the oracle, not with our vectors.
        measured = replace(
            measure(domain, operator, renewal.vectors, effort),
            upstream_vectors=before.upstream_vectors,
            upstream_killed=before.upstream_killed,
        )
    renewal.details.mkdir(parents=True, exist_ok=True)
    text = "\n".join(details(measured)) + "\n"
    write_whole(renewal.details / f"{name.replace(':', '.').lower()}.txt", text)
    line = replace(line_of(measured, task.digest), upstream_digest=task.upstream_digest)
    if measured.failures or not passed(measured, 0.0):
        line = replace(line, killed=0)  # an oracle that does not pass its vectors measures nothing
    return name, line, f"{row(measured)}; {time.process_time() - begun:.1f} s"
