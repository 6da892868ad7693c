"""Which mutants the cases of each requirement kill."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .measuring import Measured

# What its cases notice is wrong around the operator, not in it: the wrong runtimes.
AROUND = "any-presentation"


def kills_by_requirement(measured: Measured) -> dict[str, list[str]]:
    """For each requirement that has a case which asks the operator, the mutants it kills."""
    found: dict[str, list[str]] = {
        requirement: [] for covers in measured.covers.values() for requirement in covers
    }
    for item in measured.findings:
        requirements = {
            requirement for case in item.cases for requirement in measured.covers.get(case, ())
        }
        for requirement in requirements:
            found[requirement].append(item.name)
    return found


def suspicious(measured: Measured) -> list[str]:
    """The requirements whose cases kill nothing."""
    found = kills_by_requirement(measured)
    return sorted(name for name, kills in found.items() if not kills and name != AROUND)


def idle_cases(measured: Measured) -> list[str]:
    """The cases that kill nothing."""
    killing = {case for item in measured.findings for case in item.cases}
    return sorted(set(measured.covers) - killing)


def repeating_cases(measured: Measured) -> list[str]:
    """The cases without which, all together, every mutant is still killed.

    Chosen greedily: a case stays that kills most of what those before it do not.
    """
    kills: dict[str, set[str]] = {case: set() for case in measured.covers}
    for item in measured.findings:
        for case in item.cases:
            kills.setdefault(case, set()).add(item.name)
    left = set().union(*kills.values()) if kills else set()
    needed: set[str] = set()
    while left:
        best = max(sorted(kills), key=lambda case: len(kills[case] & left))
        needed.add(best)
        left -= kills[best]
    return sorted(set(kills) - needed)
