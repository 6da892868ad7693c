"""What two failures have in common, if they are of one cause: operator, verdict and message.

Of a refusal or a death it is the runtime's own words without names and numbers. Of wrong values it
is what kind of number is in place of which: a NaN for an infinity, a number for another that is
near, the other sign. Of another type it is which is returned, in place of whichever.
"""

from __future__ import annotations

import math
import re
from typing import TypeAlias

from ..judging.verdicts import Verdict
from ..results.causes import words_without_particulars
from ..results.records import Row

#: Operator, verdict, words.
Signature: TypeAlias = tuple[str, str, str]

_DIFFERENCE = re.compile(r": expected (.*?), got (.*?)(?:;|$)")
_TYPES = re.compile(r"expected \w.*?, got (.*)", re.DOTALL)
_TYPED = re.compile(r"(\w+) (?:\[|of )")
_NEAR = 0.01


def signature_of(row: Row) -> Signature:
    """The signature of a row that does not pass."""
    if row.verdict == Verdict.WRONG_VALUE:
        words = _kind_of_difference(str(row.details.get("difference", "")) or row.message)
    elif row.verdict == Verdict.WRONG_SHAPE:
        words = _kind_of_shapes(row)
    elif row.verdict == Verdict.WRONG_TYPE:
        words = _type_returned(str(row.details.get("difference", "")) or row.message)
    else:
        message = row.message.partition("; it said")[0]
        words = words_without_particulars(message, row.operator)
    return row.operator, row.verdict.value, words


def _kind_of_shapes(row: Row) -> str:
    """Whether the rank is another one, or dimensions are, and whether nothing is left."""
    shapes = [
        [item.get("shape") for item in side if isinstance(item, dict)]
        for side in (row.expected, row.got)
        if isinstance(side, list)
    ]
    if len(shapes) != 2:
        return "another shape"
    pairs = [pair for pair in zip(*shapes, strict=False) if pair[0] != pair[1]]
    if not pairs or not all(isinstance(item, list) for item in pairs[0]):
        return "another shape"
    due, got = pairs[0]
    if len(due) != len(got):
        return "another rank"
    return "elements where none are due" if 0 in due else "other dimensions"


def _type_returned(text: str) -> str:
    """The type that is returned in place of another: one that returns it always has one cause."""
    match = _TYPES.search(text)
    if match is None:
        return words_without_particulars(text, "")
    typed = _TYPED.match(match[1])
    return f"{typed[1]} returned" if typed else words_without_particulars(match[1], "")


def _kind_of_difference(text: str) -> str:
    match = _DIFFERENCE.search(text)
    if match is None:
        return words_without_particulars(text, "")
    expected, got = match[1].strip(), match[2].strip()
    first, second = _number(expected), _number(got)
    if first is None or second is None:
        return f"{_kind(expected)} is expected, {_kind(got)} returned"
    if math.isfinite(first) and math.isfinite(second):
        if first == second:
            return "the other sign of zero"
        if first and abs(first - second) <= _NEAR * abs(first):
            return "a number near the right one"
        if first == -second:
            return "the other sign"
    return f"{_kind(expected)} is expected, {_kind(got)} returned"


def _number(text: str) -> float | None:
    try:
        return float(text.split(" ", maxsplit=1)[0])
    except ValueError:
        return None


def _kind(text: str) -> str:
    number = _number(text)
    if number is None:
        return text if text in ("True", "False") else "a value"
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "an infinity"
    return "zero" if number == 0 else "a number"
