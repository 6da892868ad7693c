"""What a runtime claims, how much of it holds, and what it does not claim, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from onnx_conformance.core.text import one_line, quantity

from ...profiles.claiming import reasons_in_words
from ...profiles.profile import Reason
from ...results.records import Results

_LONGEST = 200
_MOST = 10


def claims(results: Results) -> list[str]:
    """The sentences; empty for results of a run without a profile."""
    facts = results.header.extra.get("profile")
    if not isinstance(facts, Mapping):
        return []
    claimed = _count(facts.get("claimed"))
    operators = _count(facts.get("operators"))
    origin = one_line(str(facts.get("from", "")), _LONGEST)
    passed = sum(row.passed for row in results.rows)
    part = "" if len(results.rows) == claimed else f" of {len(results.rows):,} judged here"
    first = (
        f"claims {quantity(operators, 'operator')} with {quantity(claimed, 'vector')}"
        f" (profile: {origin}); {passed:,}{part} hold, {len(results.rows) - passed:,} do not"
    )
    found = [first, *_not_claimed(facts)]
    unknown = facts.get("unknown")
    if isinstance(unknown, (list, tuple)):
        found += [f"in the profile: {one_line(str(item), _LONGEST)}" for item in unknown[:_MOST]]
    return found


def _not_claimed(facts: Mapping[str, object]) -> list[str]:
    reasons = _reasons(facts)
    if not reasons:
        return []
    number = quantity(sum(reasons.values()), "vector")
    words = reasons_in_words(reasons)
    ran = facts.get("ran_unclaimed")
    if isinstance(ran, Mapping):
        counts = ((one_line(str(name), 40), _count(count)) for name, count in ran.items())
        verdicts = ", ".join(f"{count:,} {name}" for name, count in counts)
        return [f"not claimed, and counted apart: {number} ({words}); they ran: {verdicts}"]
    return [f"not claimed, and not run: {number} ({words}); --all runs them"]


def _reasons(facts: Mapping[str, object]) -> dict[Reason, int]:
    found = facts.get("not_claimed")
    if not isinstance(found, Mapping):
        return {}
    known = {reason.value for reason in Reason}
    return {Reason(key): _count(value) for key, value in found.items() if key in known}


def _count(value: object) -> int:
    return value if type(value) is int and value >= 0 else 0
