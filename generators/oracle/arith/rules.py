"""Where the limits of an element come from: the rule of bounds.py, and what it was given.

It travels with the element into `accuracy` of a vector's data.json, so that whoever doubts a limit
knows what to check. The limits themselves are in files; nothing here is needed to judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Fact: TypeAlias = "str | int | Fraction"
# A number that may differ from one element to the next, of rules that are the same otherwise.
COUNT = "count"


@dataclass(frozen=True)
class Rule:
    """A rule with what it was given.

    Attributes:
        name: `rounded`, `function`, `ulps`, `sum`, `product`, `formula` or `choice`.
        facts: what it was given, by name; a Fraction is a number of ulps.
    """

    name: str
    facts: tuple[tuple[str, Fact], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """What data.json says of it."""
        return {"rule": self.name, **{key: _number(value) for key, value in self.facts}}


CHOICE = Rule("choice")


def rule(name: str, **facts: Fact | None) -> Rule:
    """A rule; facts that are None are left out."""
    return Rule(name, tuple((key, value) for key, value in facts.items() if value is not None))


def merged(rules: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Rules that differ in their `count` alone as one, with the least and the greatest."""
    counts: dict[tuple[Any, ...], list[int]] = {}
    for item in rules:
        alike = tuple((key, value) for key, value in item.items() if key != COUNT)
        given = item.get(COUNT, ())
        counts.setdefault(alike, []).extend([given] if isinstance(given, int) else given)
    return tuple(
        {**dict(alike), **({COUNT: _range(numbers)} if numbers else {})}
        for alike, numbers in counts.items()
    )


def _range(numbers: list[int]) -> int | list[int]:
    low, high = min(numbers), max(numbers)
    return low if low == high else [low, high]


def in_words(item: Mapping[str, Any]) -> str:
    """One rule for a person, in a few words."""
    count = item.get(COUNT, 0)
    number = f"{count[0]} to {count[1]}" if isinstance(count, list) else str(count)
    text = {
        "rounded": "rounded once",
        "function": f"{item.get('function')} within {item.get('ulps')} ulp",
        "ulps": f"within {item.get('ulps')} ulp",
        "sum": f"sum of {number} {'term' if count == 1 else 'terms'} kept in {item.get('kept_in')}",
        "product": f"product of {number} {'factor' if count == 1 else 'factors'}",
        "formula": f"the document's formula in intervals, in steps of {item.get('steps_in')}",
        "choice": "one of several numbers",
    }[item["rule"]]
    return f"{text} (gpu: {item['gpu_ulps']} ulp)" if "gpu_ulps" in item else text


def _number(value: Fact) -> str | int | float:
    if not isinstance(value, Fraction):
        return value
    return value.numerator if value.denominator == 1 else float(value)
