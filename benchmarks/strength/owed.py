"""Operators whose strength is still owed: not measured yet, or less than is asked; owed.yaml.

    Bernoulli: {reason: draws are judged by laws, of which the tool knows nothing}
    Erf: {least: 90, reason: ...}

Without `least` nothing is measured. A debt is loud: `check` names it whenever it runs, fails where
an operator falls below its `least`, and fails where it is paid and still listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from onnx_conformance.core.errors import BadInputError

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
