"""Measures operators in child processes, and hands over what is found of each as it comes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from onnx_conformance.core.errors import IncompleteError

from ..guarding import Progress, guarded_each
from .measuring import Arranged, measure


def measure_each(names: Sequence[tuple[str, str]], folder: Path, jobs: int) -> Iterator[Arranged]:
    """Put the mutants of operators before their vectors, each operator in a child process.

    A mutant that ends the process is noticed, as a runtime is that does; the operator is begun anew
    without it. What is found comes as soon as it is there, in whatever order.
    """
    ended: dict[int, set[int]] = {}
    left = list(range(len(names)))

    def work(task: int, progress: Progress) -> Arranged | None:
        return measure(*names[task], folder, frozenset(ended.get(task, ())), progress)

    def died(task: int, place: tuple[int, int]) -> None:
        if place[1] in ended.setdefault(task, set()):
            raise IncompleteError(f"{names[task]} ends its process, whatever is asked")
        ended[task].add(place[1])

    while left:
        again = []
        for number, found in guarded_each(work, left, jobs, died):
            if found is None:
                again.append(left[number])
            else:
                yield found
        left = again
