"""Whether a vector asks anything: one that every backend passes is a bad vector.

A vector may come from anybody. What contradicts itself or permits everything is refused in words
before a backend sees it, so that no pass stands for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

from ..errors import BadInputError
from ..values.limits import permit_everything
from ..values.tensors import Bounded, Drawn, Value
from .vectors import VALUE_KINDS, Expect, Vector

# Laws with a lower and an upper end.
_ENDS = {"range": ("low", "high"), "sum": ("low", "high"), "count": ("least", "most")}


def check_asks(vector: Vector, where: str) -> None:
    """Raise BadInputError, which names `where`, if a vector's metadata ask for nothing.

    What expects outputs has some; a law is about outputs that are there, over at least one element,
    and some result breaks it.
    """
    if vector.expect is Expect.OUTPUTS and not vector.outputs:
        raise BadInputError(f"{where}: has no outputs, so nothing would be compared")
    if vector.expect is Expect.ANY and not vector.permitted:
        raise BadInputError(f"{where}: permits no result, so none could be right")
    if len(set(vector.outputs)) != len(vector.outputs):
        raise BadInputError(f"{where}: has two outputs with one name")
    check_compared(vector, where)
    for name, laws in vector.laws.items():
        if name not in vector.outputs:
            raise BadInputError(f"{where}: has laws of an output '{name}', which it does not have")
        for law in laws:
            problem = _problem_of(law, name, vector.outputs)
            if problem:
                raise BadInputError(f"{where}: a law of output '{name}', '{law['law']}', {problem}")


def check_compared(vector: Vector, where: str) -> None:
    """Raise BadInputError, which names `where`, unless `compared` is about tensors that are there.

    An output with laws, or one that is no tensor, is compared whole.
    """
    kinds = vector.extra.get(VALUE_KINDS, {})
    for name in vector.compared:
        if name not in vector.outputs:
            raise BadInputError(
                f"{where}: compares elements of an output '{name}', which it does not have"
            )
        if name in vector.laws or name in kinds:
            what = "has laws" if name in vector.laws else "is no tensor"
            raise BadInputError(f"{where}: compares elements of output '{name}', which {what}")


def _problem_of(law: Mapping[str, Any], name: str, outputs: Iterable[str]) -> str:
    """What is wrong with a law of the output `name`; empty if nothing is."""
    kind = law["law"]
    if "as" in law and (law["as"] == name or law["as"] not in outputs):
        return f"is about '{law['as']}', which is no other output of the vector"
    if "from" in law and law["from"] >= law["to"]:
        return f"is over no elements: from {law['from']} to {law['to']}"
    low, high = (law[key] for key in _ENDS.get(kind, ("law", "law")))
    if low > high:
        return f"can be kept by nothing: {low} is above {high}"
    if kind == "count" and low <= 0 and high >= law["to"] - law["from"]:
        return "is kept by everything: any number of elements is permitted"
    return ""


def check_limits_judge(value: Value, vector: Vector, where: str) -> None:
    """Raise BadInputError, which names `where`, if limits permit every number and nobody says why.

    Where a document leaves so much open, as where a sum may overflow, `accuracy` names the rule.
    """
    if not isinstance(value, Bounded) or vector.accuracy is not None:
        return
    for profile, (low, high) in value.limits.items():
        if permit_everything(low, high):
            raise BadInputError(
                f"{where}: the {profile} limits permit every number, and no 'accuracy' in data.json"
                " says by which rule"
            )


def check_places(value: Drawn, where: str) -> None:
    """Raise BadInputError, which names `where`, if a law is about elements that are not there."""
    count = prod(value.shape)
    for law in value.laws:
        if law.get("to", 0) > count:
            raise BadInputError(
                f"{where}: a law, '{law['law']}', is about elements {law['from']} to {law['to']},"
                f" of {count}"
            )
