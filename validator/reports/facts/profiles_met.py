"""How accurate a runtime is, operator by operator, for vectors with limits.

An operator meets a profile if every one of its vectors with limits does, in all its versions. A
vector whose outputs could not be compared with limits (rejected, unsupported, crashed, of another
shape) says nothing about accuracy: the report counts it as not measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from onnx_conformance.core.text import listed, one_line, quantity
from onnx_conformance.core.values.limits import EXACT_RESULT, IEEE
from onnx_conformance.core.values.nearness import MET, NONE

from ...results.merging import accuracy_of
from ...results.records import Results, Row

_MANY_NODES = "(models of several nodes)"
_NAMED = 6


@dataclass(frozen=True)
class Accuracy:
    """What the vectors with limits of one operator showed on one backend.

    Attributes:
        vectors: how many of them were judged.
        unmeasured: how many of these had no outputs to compare with limits.
        met: the tightest of `nearness.MET` that all others meet; None if there are no others.
        used: the largest used fraction of the chosen profile's limits; None without a number.
        worst: id of the vector that decides `met`, or, if all are met, of the one with `used`; or
            None.
        careful: how many of those that were measured meet profile ieee.
    """

    vectors: int
    unmeasured: int = 0
    met: str | None = None
    used: float | None = None
    worst: str | None = None
    careful: int = 0


def accuracy_by_operator(results: Results) -> dict[str, Accuracy]:
    """The accuracy of each operator that has vectors with limits, in order of its name."""
    rows: dict[str, list[Row]] = {}
    for row in results.rows:
        if row.tells("met") or row.tells("accuracy"):
            rows.setdefault(row.operator or _MANY_NODES, []).append(row)
    return {operator: _accuracy(rows[operator]) for operator in sorted(rows)}


def _accuracy(rows: Sequence[Row]) -> Accuracy:
    measured = [(row, met) for row in rows if (met := _met(row)) is not None]
    if not measured:
        return Accuracy(len(rows), len(rows))
    found = max((met for _, met in measured), key=MET.index)
    shares = [(share, row, met) for row, met in measured if (share := _used(row)) is not None]
    share, furthest, its = max(shares, default=(None, None, None), key=itemgetter(0))
    first = next(row for row, met in measured if met == found)
    worst = furthest.id if furthest is not None and its == found else first.id
    careful = sum(MET.index(met) <= MET.index(IEEE) for _, met in measured)
    return Accuracy(len(rows), len(rows) - len(measured), found, share, worst, careful)


def _met(row: Row) -> str | None:
    """The level that a row meets; None if nothing was measured."""
    met = row.details.get("met")
    return str(met) if met in MET else None


def _used(row: Row) -> float | None:
    share = row.details.get("used")
    if isinstance(share, bool) or not isinstance(share, (int, float)):
        return None
    return float(share) if 0 <= share < float("inf") else None


# --- in words -----------------------------------------------------------------------------------


def words(accuracy: Accuracy | None) -> str:
    """The text of a cell: `ieee, 0.83 used`; `3 of 40 not measured` if some are not."""
    if accuracy is None:
        return ""
    parts = [accuracy.met or "not measured"]
    if accuracy.used:
        parts.append(f"{share_text(accuracy.used)} used")
    if accuracy.unmeasured and accuracy.met is not None:
        parts.append(f"{accuracy.unmeasured:,} of {accuracy.vectors:,} not measured")
    return ", ".join(parts)


def share_text(share: float) -> str:
    """A used fraction with two or three digits: `0.83`, `12`, `2.3e+07`; `<0.01` for less."""
    if share < 0.01:
        return "<0.01" if share else "0"
    return f"{share:.2f}" if share < 10 else f"{share:.0f}" if share < 1e4 else f"{share:.1e}"


def summary(results: Results) -> list[str]:
    """A few lines for a terminal; none if no vector has limits."""
    found = accuracy_by_operator(results)
    if not found:
        return []
    met = Counter(item.met for item in found.values())
    asked = accuracy_of(results.header)
    within = [name for name in MET[: MET.index(asked) + 1] if met[name]] if asked in MET else []
    total = sum(met[name] for name in within)
    exact = f", {met[EXACT_RESULT]} of them exactly" if met[EXACT_RESULT] else ""
    counted = f"{total} of {quantity(len(found), 'operator')} with limits"
    verb = "meets" if total == 1 else "meet"
    lines = [f"accuracy: {counted} {verb} {one_line(asked, 20)}{exact}{_nearest(found)}"]
    for name in MET:
        if name not in within and met[name]:
            operators = [operator for operator, item in found.items() if item.met == name]
            only = "no profile" if name == NONE else f"{name} only"
            lines.append(f"    {only} ({len(operators)}): {_named(found, operators)}")
    if met[None]:
        operators = [operator for operator, item in found.items() if item.met is None]
        lines.append(f"    not measured ({len(operators)}): {listed(operators, _NAMED)}")
    return lines


def _nearest(found: Mapping[str, Accuracy]) -> str:
    """The operator that comes nearest to its limits without exceeding them."""
    inside = [
        (item.used, operator)
        for operator, item in found.items()
        if item.used and item.used <= 1 and item.met != NONE
    ]
    if not inside:
        return ""
    share, operator = max(inside)
    return f"; at most {share_text(share)} of a bound is used ({one_line(operator, 40)})"


def _named(found: Mapping[str, Accuracy], operators: Sequence[str]) -> str:
    """Operators with the used fraction of the limits, the worst first."""
    order = sorted(operators, key=lambda name: -(found[name].used or 0))
    shown = [
        one_line(name, 40) + (f" {share_text(used)}" if (used := found[name].used) else "")
        for name in order
    ]
    return listed(shown, _NAMED)


def table_lines(results: Sequence[Results]) -> list[tuple[str, list[Accuracy | None]]]:
    """Each operator with limits, and its accuracy on each backend."""
    found = [accuracy_by_operator(item) for item in results]
    operators = sorted({operator for each in found for operator in each})
    return [(operator, [each.get(operator) for each in found]) for operator in operators]


def explanation(results: Sequence[Results]) -> str:
    """The meaning of the table, with the profile that each backend was judged by."""
    profiles = [one_line(accuracy_of(item.header), 20) for item in results]
    judged = ", ".join(dict.fromkeys(profiles)) or IEEE
    return (
        "The tightest that all vectors with limits of an operator meet: the nearest values exactly,"
        " ieee, gpu, onnx or none; and the largest used fraction of the bound, 1 being its limit"
        f" (judged by {judged})."
    )
