"""`python -m strength sizes`: put faults of size before the vectors that are about sizes."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import IncompleteError
from onnx_conformance.core.files import write_whole

from ..names import split_name
from ..records.allowances import allowances
from ..records.page import page
from ..records.record import read_record
from ..records.sizes import (
    SizesLine,
    digest_of,
    missing,
    read_sizes,
    without_argument,
    write_sizes,
)
from ..sizes.arguments import read_arguments, unneeded
from ..sizes.measuring import measure
from ..vectors import entries_of, entries_of_sizes, operators_of
from .options import add_jobs, add_operators, add_page, add_vectors

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_operators(parser, "measure this one alone, though it did not change; may be given again")
    add_vectors(parser)
    add_jobs(parser)
    parser.add_argument(
        "--all", action="store_true", help="measure what did not change since the record, too"
    )
    parser.add_argument(
        "--write", action="store_true", help="write the record and the page of totals"
    )
    add_page(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Measure; exit code 1 where a fault is neither noticed nor argued, or a vector is wrong."""
    begun = time.monotonic()
    folder, known = arguments.vectors, read_sizes()
    tasks = list(_tasks(folder, known, arguments.operator, everything=arguments.all))
    if not tasks and not known:
        raise IncompleteError(f"{folder} has no vector of the family sizes")
    lines, accused = dict(known), 0
    if not arguments.operator:
        present = {name for name in known if _entries(folder, name)}
        lines = {name: line for name, line in known.items() if name in present}
    for task, line in _measured(tasks, arguments.jobs):
        lines[task.name] = line
        print(f"{task.name}: {len(line.found.noticed)} of {len(line.found.asked)}")
        for wrong in line.found.accused:
            accused += 1
            print(f"  a right runtime is judged wrong by {wrong}")
    said = read_arguments()
    asked = set(arguments.operator) or set(lines)
    open_pairs = [pair for pair in without_argument(lines, said) if pair[0] in asked]
    for name, fault in open_pairs:
        word = "SURVIVED" if fault in lines[name].found.survived else "TOO SMALL"
        print(f"{word} {name}: {fault}")
    needless = unneeded(said, missing(lines)) if not arguments.operator else []
    for name, because in needless:
        print(f"argued, and noticed: {name}: {because}")
    noticed = sum(len(line.found.noticed) for line in lines.values())
    total = sum(len(line.found.asked) for line in lines.values())
    print(
        f"{noticed:,} of {total:,} faults of size noticed in {len(lines)} operators;"
        f" {len(open_pairs)} neither noticed nor argued; {accused} right runtimes judged wrong;"
        f" {len(tasks)} operators measured, {time.monotonic() - begun:.0f} s"
    )
    if arguments.write:
        write_sizes(lines)
        write_whole(arguments.page, page(read_record(), allowances()))
    return 1 if open_pairs or accused or needless else 0


@dataclass(frozen=True)
class _Task:
    """An operator that is to be measured.

    Attributes:
        name: the operator.
        folder: the vectors.
        digest: of what the measurement depends on.
        known: for each fault the vector that noticed it last.
    """

    name: str
    folder: Path
    digest: str
    known: Mapping[str, str]


def _entries(folder: Path, name: str) -> int:
    return len(entries_of_sizes(folder, *split_name(name)))


def _tasks(
    folder: Path, known: Mapping[str, SizesLine], names: list[str], *, everything: bool
) -> Iterator[_Task]:
    for name in names or operators_of(folder):
        entries = entries_of_sizes(folder, *split_name(name))
        digest = digest_of(entries)
        line = known.get(name)
        if not entries or (line and line.digest == digest and not everything and not names):
            continue
        yield _Task(name, folder, digest, line.found.noticed if line else {})


def _measured(tasks: list[_Task], jobs: int) -> Iterator[tuple[_Task, SizesLine]]:
    if jobs < 2 or len(tasks) < 2:
        for task in tasks:
            yield task, _line(task)
        return
    entries_of(tasks[0].folder)
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        yield from zip(tasks, pool.imap(_line, tasks), strict=True)


def _line(task: _Task) -> SizesLine:
    return SizesLine(task.digest, measure(task.folder, *split_name(task.name), task.known))
