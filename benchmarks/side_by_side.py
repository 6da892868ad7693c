"""Times commands beside each other, so that another load on the machine meets all of them alike."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Times(NamedTuple):
    """Seconds on the clock, and of the processors in all processes together."""

    wall: float
    processor: float


def best_times(
    commands: Mapping[str, Sequence[str]], rounds: int, exit_codes: Sequence[int] = (0,)
) -> dict[str, Times]:
    """The smaller of each over alternating rounds of whole processes.

    SystemExit for a command that ends with another code.
    """
    best: dict[str, Times] = {}
    for _ in range(rounds):
        for name, command in commands.items():
            before = _processor_seconds()
            started = time.perf_counter()
            finished = subprocess.run(command, check=False, capture_output=True, text=True)
            wall = time.perf_counter() - started
            found = Times(wall, _processor_seconds() - before)
            if finished.returncode not in exit_codes:
                raise SystemExit(f"{name} ended with {finished.returncode}: {finished.stderr}")
            best[name] = Times(*map(min, found, best.get(name, found)))
    return best


def _processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
