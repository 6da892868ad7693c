"""Readings of one runtime that a person should look at, in a few lines."""

from __future__ import annotations

from collections.abc import Sequence

from onnx_conformance.core.text import listed, one_line, quantity

from ...results.records import Results
from .readings_taken import Peculiar, alone, mixed, witnesses_ledger

_NAMED = 3


def dissent(results: Results) -> list[str]:
    """The lines; none if a runtime takes no reading alone and mixes none."""
    ledger = witnesses_ledger()
    own, several = alone(results, ledger), mixed(results)
    lines = []
    if own:
        name = results.header.describe.get("name")
        others = [str(item) for item in ledger.witnesses if item.name != name]
        do = "do" if len(others) > 1 else "does"
        cases = quantity(len(own), "case")
        lines.append(
            f"readings: {cases} with one that {' and '.join(others)} {do} not take: {_named(own)}"
        )
    if several:
        cases = quantity(len(several), "case")
        lines.append(f"readings: {cases} in which it takes now one, now another: {_named(several)}")
    return lines


def _named(found: Sequence[Peculiar]) -> str:
    cases = [
        f"{one_line(item.case, 80)} ({', '.join(one_line(name, 40) for name in item.taken)})"
        for item in found
    ]
    return listed(cases, _NAMED, "more (report --readings)")
