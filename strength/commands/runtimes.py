"""`python -m strength runtimes`: put wrong runtimes before the vectors."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..mutants.equivalents import RUNTIMES, arguments_for
from ..runtimes.measuring import Noticed, measure_all
from ..runtimes.registry import CORRECT
from .options import add_jobs, add_operators, add_vectors

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_operators(parser, "try the vectors of this one alone; may be given again")
    add_vectors(parser)
    add_jobs(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Measure; exit code 1 where a wrong runtime survives, or a right one is judged wrong."""
    begun = time.monotonic()
    argued = arguments_for("", RUNTIMES)
    found = []
    for item in measure_all(arguments.vectors, arguments.jobs, arguments.operator):
        found.append(item)
        print("\n          ".join(_told(item, argued.get(item.runtime.name, ""))), flush=True)
    wrong = [item for item in found if item.runtime.area != CORRECT]
    survived = [item for item in wrong if not item.vector and item.runtime.name not in argued]
    accused = [item for item in found if item.runtime.area == CORRECT and item.vector]
    held_out = [item for item in wrong if item.runtime.held_out]
    print(
        f"{sum(bool(item.vector) for item in wrong)} of {len(wrong)} wrong runtimes noticed,"
        f" {sum(bool(item.vector) for item in held_out)} of the {len(held_out)} held out;"
        f" {len(survived)} survived, {_unnoticed(wrong) - len(survived)} argued;"
        f" {len(found) - len(wrong)} correct ones,"
        f" {len(accused)} judged wrong; {time.monotonic() - begun:.0f} s"
    )
    return 1 if survived or accused else 0


def _unnoticed(wrong: Sequence[Noticed]) -> int:
    return sum(not item.vector for item in wrong)


def _told(item: Noticed, argument: str) -> tuple[str, ...]:
    runtime = item.runtime
    if runtime.area == CORRECT:
        word = "WRONG   " if item.vector else "correct "
        return (f"{word} {runtime.name} {item.vector}".rstrip(),)
    if item.vector:
        return (f"noticed  {runtime.name}", item.vector)
    if argument:
        return (f"argued   {runtime.name}", argument)
    return (f"SURVIVED {runtime.name}", runtime.summary)
