"""Measures runtimes that are wrong around the operators: which operators' vectors catch each."""

from __future__ import annotations

import math
import multiprocessing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .evidence import Evidence
from .optimizers import innocents, ints, optimizers
from .surroundings import all_faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
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


#: The subjects of whole models, which optimizers are put before: they need more than one node.
SUBJECTS = ("Graphs", "IR")
# A vector whose inputs ask for so many elements takes seconds, and comes last.
_MANY = 2**20


def measure_optimizers(
    vectors: Path, faults: Iterable[Fault] | None = None
) -> Iterator[Convictions]:
    """Put runtimes of `optimizers` before whole models; those that are right come first.

    Args:
        vectors: the folder that has them.
        faults: other runtimes.
    """
    evidence = {name: Evidence(vectors, "", name) for name in SUBJECTS}
    ordered = {
        name: sorted(item.exhibits, key=lambda identity: (_is_costly(item, identity), identity))
        for name, item in evidence.items()
    }
    if not any(ordered.values()):
        return
    for fault in [*innocents(), *optimizers()] if faults is None else faults:
        firsts = ((name, _first(evidence[name], ordered[name], fault)) for name in SUBJECTS)
        yield Convictions(fault.name, fault.summary, tuple(item for item in firsts if item[1]))


def _is_costly(evidence: Evidence, identity: str) -> bool:
    values = (item.value for run in evidence.exhibits[identity].data_sets for item in run.inputs)
    return any(math.prod(ints(value)) > _MANY for value in values)


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
