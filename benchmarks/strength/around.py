"""Measures runtimes that are wrong around the operators: which operators' vectors catch each."""

from __future__ import annotations

import multiprocessing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .evidence import Evidence
from .surroundings import all_faults

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from .surroundings import Fault


@dataclass(frozen=True)
class Convictions:
    """What became of one runtime.

    Attributes:
        name, summary: of it.
        first: by operator, the first vector that catches it.
    """

    name: str
    summary: str
    first: tuple[tuple[str, str], ...]


def measure_around(operators: Sequence[str], vectors: Path, jobs: int) -> Iterator[Convictions]:
    """Put every runtime of `surroundings` before the vectors of some operators.

    Args:
        operators: as `--operator` names them.
        vectors: the folder that has them.
        jobs: processes, each with operators of its own.
    """
    faults = list(all_faults())
    tasks = [(name, vectors) for name in operators]
    if jobs > 1 and len(tasks) > 1:
        with multiprocessing.get_context("fork").Pool(jobs) as pool:
            found = pool.starmap(_of_operator, tasks, chunksize=1)
    else:
        found = [_of_operator(*task) for task in tasks]
    for index, fault in enumerate(faults):
        pairs = zip(operators, found, strict=True)
        convicted = tuple((name, firsts[index]) for name, firsts in pairs if firsts[index])
        yield Convictions(fault.name, fault.summary, convicted)


def _of_operator(name: str, vectors: Path) -> list[str]:
    """For each runtime the first vector of an operator that catches it, or nothing."""
    domain, _, operator = name.rpartition(":")
    evidence = Evidence(vectors, domain, operator)
    # What is around an operator shows in the forms, so these come first.
    ordered = sorted(
        evidence.exhibits,
        key=lambda item: (evidence.exhibits[item].vector.form == "static", item),
    )
    return [_first(evidence, ordered, fault) for fault in all_faults()]


def _first(evidence: Evidence, ordered: Sequence[str], fault: Fault) -> str:
    return next((item for item in ordered if evidence.convicts(item, fault)), "")
