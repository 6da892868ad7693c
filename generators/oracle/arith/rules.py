"""The origin of an element's limits: the rule of bounds.py, with its parameters.

It is written with the element into `accuracy` of a vector's data.json, so that a person who doubts
a limit can check it. The limits themselves are in files; judging does not need this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from .rationals import Fraction

Fact: TypeAlias = "str | int | Fraction"
# A parameter that may differ between elements while their rules are otherwise the same.
COUNT = "count"


@dataclass(frozen=True)
class Rule:
    """A rule with its parameters.

    Attributes:
        name: `rounded`, `function`, `ulps`, `sum`, `product`, `formula` or `choice`.
        facts: its parameters by name; a Fraction is a number of ulps.
    """

    name: str
    facts: tuple[tuple[str, Fact], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The rule in the form of data.json."""
        return {"rule": self.name, **{key: _number(value) for key, value in self.facts}}


CHOICE = Rule("choice")


def rule(name: str, **facts: Fact | None) -> Rule:
    """A rule; facts that are None are left out."""
    return Rule(name, tuple((key, value) for key, value in facts.items() if value is not None))


def merged(rules: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Merge rules that differ only in their `count`; keep the least and the greatest."""
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
    return int(value) if value.denominator == 1 else float(value)
