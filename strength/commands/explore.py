"""`python -m strength explore`: put drawn calls before mutants that the corpus leaves alive."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..mutants.equivalents import arguments_for, key_of
from ..mutants.mutant import Mutant, all_mutants
from ..names import split_name
from ..records.history import History, code_of, read_history
from ..trying.explored import explored
from ..trying.measuring import Effort, measure
from ..trying.own_oracle import OwnOracle
from ..trying.status import Status
from .options import add_jobs, add_operators, add_vectors

if TYPE_CHECKING:
    import argparse


_SEED = 0x7F3A


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_operators(parser, "an operator (default: every one with a survivor); may be given again")
    parser.add_argument("--count", type=int, default=400, metavar="N", help="calls of each")
    parser.add_argument(
        "--seed", type=lambda text: int(text, 16), default=_SEED, metavar="HEX", help="of the calls"
    )
    parser.add_argument(
        "--equivalent",
        action="store_true",
        help="try those, too, that a thousand calls beyond the corpus did not tell apart",
    )
    add_vectors(parser)
    add_jobs(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Draw and try; the exit code says nothing of what is found."""
    histories = read_history()
    statuses = {Status.SURVIVED, *([Status.EQUIVALENT] if arguments.equivalent else [])}
    names = arguments.operator or [name for name in histories if _survivors(name, histories)]
    begun = time.monotonic()
    alive = killed = 0
    for name in names:
        mutants = _alive(name, histories.get(name), statuses, arguments)
        found = explored(split_name(name), mutants, arguments.seed, arguments.count, arguments.jobs)
        alive, killed = alive + found.mutants, killed + len(found.killed)
        print(
            f"{name}: {len(found.killed)} of {found.mutants} that the corpus leaves alive are"
            f" killed by {found.calls} calls",
            flush=True,
        )
        for mutant, by in found.killed.items():
            print(f"    {by}  {mutant}", flush=True)
    print(f"{killed} of {alive} killed, {time.monotonic() - begun:.0f} s")
    return 0


def _survivors(name: str, histories: Mapping[str, History]) -> bool:
    ours = histories[name].ours
    return any(ours.status(index) is Status.SURVIVED for index in range(len(ours.of)))


def _alive(
    name: str, history: History | None, statuses: set[Status], arguments: argparse.Namespace
) -> list[Mutant]:
    """The mutants of an operator with a status that nothing argues away.

    What the record says of them holds as long as their code does; else they are measured.
    """
    domain, operator = split_name(name)
    argued = arguments_for(domain, operator)
    mutants = list(all_mutants(domain, operator, OwnOracle(domain, operator).compute))
    if history is not None and history.code == code_of(domain, operator):
        found = [history.ours.status(index) for index in range(len(mutants))]
    else:
        measured = measure(domain, operator, arguments.vectors, Effort(arguments.jobs))
        found = [item.status for item in measured.findings]
    return [
        item
        for item, status in zip(mutants, found, strict=True)
        if status in statuses and key_of(item.name) not in argued
    ]
