"""Mutants that arrange and that no vector can kill, by rule: arguments.yaml beside this file.

    rules:
      - mutants: "inputs '.*' exchanged"
        operators: [Max, Min]
        why: the page does not say which of two equal numbers is taken

A rule is a regular expression for the whole name of a mutant, the operators that it holds for (all
where none is named), and the argument. A rule must argue for something: `python -m strength
arrangements --check` fails where one does not and all operators are measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from onnx_conformance.core.errors import BadInputError

FILE = Path(__file__).with_name("arguments.yaml")


@dataclass(frozen=True)
class Rule:
    """Why no vector can kill some mutants.

    Attributes:
        mutants: for their whole names.
        operators: which operators; all where there is none.
        why: the argument.
    """

    mutants: re.Pattern[str]
    operators: frozenset[str]
    why: str

    def holds(self, operator: str, mutant: str) -> bool:
        """Whether it argues for a mutant of an operator."""
        named = not self.operators or operator in self.operators
        return named and self.mutants.fullmatch(mutant) is not None


@cache
def rules(path: Path = FILE) -> tuple[Rule, ...]:
    """The rules; BadInputError for a document that has none of this form."""
    import yaml

    document = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    try:
        return tuple(
            Rule(
                re.compile(item["mutants"]), frozenset(item.get("operators", ())), str(item["why"])
            )
            for item in document["rules"]
        )
    except (KeyError, TypeError, AttributeError, re.error) as error:
        raise BadInputError(f"{path}: needs 'rules' as its page says: {error}") from None


def argued(operator: str, mutants: Iterable[str], path: Path = FILE) -> dict[str, str]:
    """Of some mutants of an operator, those that a rule argues for, with the argument."""
    found = {}
    for name in mutants:
        why = next((item.why for item in rules(path) if item.holds(operator, name)), None)
        if why is not None:
            found[name] = why
    return found


def idle(survivors: Mapping[str, Iterable[str]], path: Path = FILE) -> Iterator[str]:
    """The mutants of rules that argue for none of some survivors, which are listed by operator.

    A rule about operators of which none is listed is no matter of these.
    """
    for rule in rules(path):
        if rule.operators and rule.operators.isdisjoint(survivors):
            continue
        if not any(rule.holds(name, it) for name, items in survivors.items() for it in items):
            yield rule.mutants.pattern
