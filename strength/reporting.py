"""What was found of an operator, in lines for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .assessing import Fate
from .requirements import idle_cases, kills_by_requirement, repeating_cases, suspicious

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .assessing import Finding
    from .measuring import Measured

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
    hurried = ""
    if measured.hurried:
        hurried = f" ({measured.hurried} of all these on fewer calls than concern them)"
    return (
        f"{measured.name}: {measured.percent:.1f} % of"
        f" {measured.count(Fate.KILLED) + measured.count(Fate.SURVIVING)} mutants killed by"
        f" {measured.vectors} vectors ({measured.calls} calls);"
        f" {measured.count(Fate.SURVIVING)} surviving, {measured.count(Fate.ALIKE)} alike on"
        f" up to {measured.samples} further calls{hurried},"
        f" {measured.count(Fate.UNREACHED)} never reached,"
        f" {len(measured.argued)} argued{theirs}"
    )


def lines(measured: Measured, *, killed: bool = False, cases: bool = False) -> Iterator[str]:
    """The report: what lives first, then what a person should look at, the totals last."""
    for identity, message in measured.failures[:_MOST_FAILURES]:
        yield f"FAILS   {identity}: the oracle itself does not pass: {message}"
    if len(measured.failures) > _MOST_FAILURES:
        yield f"FAILS   and {len(measured.failures) - _MOST_FAILURES} more"
    careless = []
    unreached: dict[str, int] = {}
    for item in measured.findings:
        if item.name in measured.argued:
            yield f"argued  {item.name}\n          {measured.argued[item.name]}"
        elif item.fate is Fate.UNREACHED:
            place = item.name.partition(": ")[0]
            unreached[place] = unreached.get(place, 0) + 1
        elif item.fate is Fate.ALIKE and item.name.startswith(SIGNATURE):
            careless.append(item.name.removeprefix(SIGNATURE))
        elif killed or item.fate is not Fate.KILLED:
            yield _line(item)
    yield from (f"unreached {place} ({count} mutants)" for place, count in unreached.items())
    yield from ([f"alike   {SIGNATURE}{'; '.join(careless)}"] if careless else [])
    yield from (_requirements(measured) if cases else ())
    yield row(measured)


_WORDS = {
    Fate.KILLED: ("killed  ", "by "),
    Fate.SURVIVING: ("LIVES   ", "told apart by: "),
    Fate.ALIKE: ("alike   ", ""),
}


def _line(finding: Finding) -> str:
    word, by = _WORDS[finding.fate]
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

    Once a mutant is killed only requirements that kill few are asked for more.
    """
    yield from lines(measured, killed=True)
    yield from suspects(measured)
    for requirement, kills in sorted(kills_by_requirement(measured).items()):
        yield ""
        yield f"requirement '{requirement}': at least {len(kills)} mutants"
        yield from (f"    {name}" for name in kills)
