"""Attributes that are 0 or 1: whether they are 1, and what becomes of another number."""

from __future__ import annotations

from ..errors import InvalidCallError
from ..registry import Call


def is_one(call: Call, name: str, default: int | None = None) -> bool:
    """Whether an attribute is 1; InvalidCallError if it is not 0 either, as its page demands."""
    value = call.int_attribute(name, default)
    if value not in {0, 1}:
        raise _neither(name, value)
    return value == 1


def is_set(
    call: Call,
    name: str,
    default: int | None = None,
    *,
    question: str = "",
    readings: tuple[str, str] = ("yes", "no"),
) -> bool:
    """Whether an attribute is 1, where its page does not say what a number beside 0 and 1 means.

    Such a number is left open: it may count as 1, as 0, or the call may be rejected.

    Args:
        call: the call.
        name: the attribute.
        default: the one that only the prose gives.
        question: what is open; `NAME-beyond-1` if empty.
        readings: as 1, and as 0.
    """
    value = call.int_attribute(name, default)
    if value in {0, 1}:
        return value == 1
    reading = call.choose(question or f"{name}-beyond-1", *readings, "rejected")
    if reading == "rejected":
        raise _neither(name, value)
    return reading == readings[0]


def _neither(name: str, value: int) -> InvalidCallError:
    return InvalidCallError(f"{name} is {value}, neither 0 nor 1")
