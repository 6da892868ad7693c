"""What was found of an operator, in lines for a person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..trying.requirements import idle_cases, kills_by_requirement, repeating_cases, suspicious
from ..trying.status import Finding, Status

if TYPE_CHECKING:
    from ..trying.measuring import Measured

SIGNATURE = "signature: "
_MOST_FAILURES = 10


def passed(measured: Measured, least: float) -> bool:
    """Whether the oracle passes every vector and enough mutants are killed."""
    return not measured.failures and bool(measured.findings) and measured.percent >= least


def row(measured: Measured) -> str:
    """One line of totals."""
    theirs = ""
    if measured.upstream_vectors:
        theirs = f"; ONNX's {measured.upstream_vectors} kill {measured.upstream_killed}"
    partly = ""
    if measured.partly_tried:
        partly = f" ({measured.partly_tried} of all these on fewer calls than concern them)"
    return (
        f"{measured.name}: {measured.percent:.1f} % of"
        f" {measured.count(Status.KILLED) + measured.count(Status.SURVIVED)} mutants killed by"
        f" {measured.vectors} vectors ({measured.calls} calls);"
        f" {measured.count(Status.SURVIVED)} survived, {measured.count(Status.EQUIVALENT)}"
        f" equivalent on up to {measured.samples} further calls{partly},"
        f" {measured.count(Status.NOT_COVERED)} not covered,"
        f" {len(measured.argued)} argued{theirs}"
    )


def lines(measured: Measured, *, killed: bool = False, cases: bool = False) -> Iterator[str]:
    """The report: what survived first, then what a person should look at, the totals last."""
    for identity, message in measured.failures[:_MOST_FAILURES]:
        yield f"FAILS   {identity}: the oracle itself does not pass: {message}"
    if len(measured.failures) > _MOST_FAILURES:
        yield f"FAILS   and {len(measured.failures) - _MOST_FAILURES} more"
    same_signatures = []
    uncovered: dict[str, int] = {}
    for item in measured.findings:
        if item.name in measured.argued:
            yield f"argued      {item.name}\n          {measured.argued[item.name]}"
        elif item.status is Status.NOT_COVERED:
            place = item.name.partition(": ")[0]
            uncovered[place] = uncovered.get(place, 0) + 1
        elif item.status is Status.EQUIVALENT and item.name.startswith(SIGNATURE):
            same_signatures.append(item.name.removeprefix(SIGNATURE))
        elif killed or item.status is not Status.KILLED:
            yield _line(item)
    yield from (f"not covered {place} ({count} mutants)" for place, count in uncovered.items())
    yield from ([f"equivalent  {SIGNATURE}{'; '.join(same_signatures)}"] if same_signatures else [])
    yield from (_requirements(measured) if cases else ())
    yield row(measured)


_WORDS = {
    Status.KILLED: ("killed      ", "by "),
    Status.SURVIVED: ("SURVIVED    ", "told apart by: "),
    Status.EQUIVALENT: ("equivalent  ", ""),
}


def _line(finding: Finding) -> str:
    word, by = _WORDS[finding.status]
    return word + finding.name + (f"\n          {by}{finding.by}" if by else "")


def _requirements(measured: Measured) -> Iterator[str]:
    """The requirements whose cases kill nothing, and the cases that kill nothing more."""
    yield from suspects(measured)
    idle = idle_cases(measured)
    if idle:
        yield f"{len(idle)} cases kill no mutant: {', '.join(idle)}"
    more = sorted(set(repeating_cases(measured)) - set(idle))
    if more:
        yield f"{len(more)} more kill none that others do not: {', '.join(more)}"


def suspects(measured: Measured) -> Iterator[str]:
    """The requirements whose cases kill nothing."""
    for requirement in suspicious(measured):
        yield f"suspicious: no case of requirement '{requirement}' kills a mutant"


def details(measured: Measured) -> Iterator[str]:
    """Everything about an operator, with mutants that the cases of each requirement kill.

    Once a mutant is killed only requirements that kill few are tried for more.
    """
    yield from lines(measured, killed=True)
    yield from suspects(measured)
    for requirement, kills in sorted(kills_by_requirement(measured).items()):
        yield ""
        yield f"requirement '{requirement}': at least {len(kills)} mutants"
        yield from (f"    {name}" for name in kills)
