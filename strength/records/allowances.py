"""Operators that may be unmeasured, or have less than is demanded: allowances.yaml.

    Bernoulli: {reason: draws are judged by laws, of which the tool knows nothing}
    Erf: {least: 90, reason: ...}

Without `least` nothing is measured. `renew` measures it, takes out what is no longer needed, and
writes what is of the rest. An allowance is loud: `check` names it whenever it runs, fails where an
operator falls below its `least`, and fails where it is not needed and still listed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import floor
from pathlib import Path
from typing import Protocol

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.files import write_whole

UNMEASURED = "not measured since its vectors last changed"
WEAK = "cases that tell the rest apart are not written yet"
_HEADING = "# Operators that may be unmeasured or have less than 95 %, and why: allowances.py.\n"
FILE = Path(__file__).with_name("allowances.yaml")


@dataclass(frozen=True)
class Allowance:
    """What is allowed of one operator: the percentage that it has at least, or None; and why."""

    least: float | None
    reason: str


class Measured(Protocol):
    """A line of a record, of whatever mutants it is."""

    @property
    def percent(self) -> float:
        """How many of the mutants that can be told apart are killed."""


def allowances(path: Path = FILE) -> dict[str, Allowance]:
    """The allowances by operator; BadInputError where one has no reason."""
    import yaml

    found = {}
    for name, entry in (yaml.safe_load(path.read_text(encoding="utf-8")) or {}).items():
        known = isinstance(entry, dict) and set(entry) <= {"least", "reason"}
        least = entry.get("least") if known else None
        if not known or not entry.get("reason") or not isinstance(least, (int, float, type(None))):
            raise BadInputError(f"{path}: '{name}' needs a reason, and may have a least percentage")
        found[str(name)] = Allowance(None if least is None else float(least), str(entry["reason"]))
    return found


def still_allowed(
    before: Mapping[str, Allowance],
    lines: Mapping[str, Measured],
    names: Iterable[str],
    least: float,
) -> dict[str, Allowance]:
    """What is allowed once these lines are all that is known of some operators.

    An allowance keeps its reason as long as it is one.

    Args:
        before: what was allowed.
        lines: what was measured of operators as they are now.
        names: of all operators.
        least: the percentage of mutants that each must kill.
    """
    found = {}
    for name in sorted(names):
        known, line = before.get(name), lines.get(name)
        if line is None:
            unmeasured = known is not None and known.least is None
            found[name] = known if known and unmeasured else Allowance(None, UNMEASURED)
        elif line.percent < least:
            kept = known is not None and known.least is not None
            reason = known.reason if known and kept else WEAK
            found[name] = Allowance(floor(line.percent * 10) / 10, reason)
    return found


def write_allowances(allowed: Mapping[str, Allowance], path: Path = FILE) -> None:
    """Write what is allowed, a line for each operator."""
    rows = []
    for name in sorted(allowed):
        allowance = allowed[name]
        least = "" if allowance.least is None else f"least: {allowance.least}, "
        rows.append(
            f"{name}: {{{least}reason: {json.dumps(allowance.reason, ensure_ascii=False)}}}\n"
        )
    write_whole(path, _HEADING + "".join(rows))
