"""Operators whose strength is still owed: not measured yet, or less than is asked; owed.yaml.

    Bernoulli: {reason: draws are judged by laws, of which the tool knows nothing}
    Erf: {least: 90, reason: ...}

Without `least` nothing is measured. `renew` measures it, takes out what is paid, and writes what is
owed of the rest. A debt is loud: `check` names it whenever it runs, fails where
an operator falls below its `least`, and fails where it is paid and still listed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .record import Line

UNMEASURED = "not measured since its vectors last changed"
WEAK = "cases that tell the rest apart are not written yet"
_HEADING = "# Operators whose strength is still owed, and why: see owed.py.\n"
FILE = Path(__file__).with_name("owed.yaml")


@dataclass(frozen=True)
class Debt:
    """What is owed of one operator: the percentage that it has at least, or None; and why."""

    least: float | None
    reason: str


def debts(path: Path = FILE) -> dict[str, Debt]:
    """The debts by operator; BadInputError where one has no reason."""
    import yaml

    found = {}
    for name, entry in (yaml.safe_load(path.read_text(encoding="utf-8")) or {}).items():
        known = isinstance(entry, dict) and set(entry) <= {"least", "reason"}
        least = entry.get("least") if known else None
        if not known or not entry.get("reason") or not isinstance(least, (int, float, type(None))):
            raise BadInputError(f"{path}: '{name}' needs a reason, and may have a least percentage")
        found[str(name)] = Debt(None if least is None else float(least), str(entry["reason"]))
    return found


def still_owed(
    before: Mapping[str, Debt], lines: Mapping[str, Line], names: Iterable[str], least: float
) -> dict[str, Debt]:
    """What is owed once these lines are all that is known of some operators.

    A debt keeps its reason as long as it is one.

    Args:
        before: what was owed.
        lines: what was measured of operators as they are now.
        names: of all operators.
        least: the percentage of mutants that each must kill.
    """
    found = {}
    for name in sorted(names):
        known, line = before.get(name), lines.get(name)
        if line is None:
            unmeasured = known is not None and known.least is None
            found[name] = known if known and unmeasured else Debt(None, UNMEASURED)
        elif line.percent < least:
            kept = known is not None and known.least is not None
            reason = known.reason if known and kept else WEAK
            found[name] = Debt(floor(line.percent * 10) / 10, reason)
    return found


def write_debts(owed: Mapping[str, Debt], path: Path = FILE) -> None:
    """Write what is owed, a line for each operator."""
    rows = []
    for name in sorted(owed):
        debt = owed[name]
        least = "" if debt.least is None else f"least: {debt.least}, "
        rows.append(f"{name}: {{{least}reason: {json.dumps(debt.reason, ensure_ascii=False)}}}\n")
    write_whole(path, _HEADING + "".join(rows))
