"""Failures grouped by what they have in common: one bug, one cause.

A runtime that refuses, dies or fails gives a reason, and its words, without the parts that differ
from model to model, identify a bug across all operators. For a wrong result the vectors themselves
tell: vectors of an operator that fail only in one form, or only at one element type, or else those
with the same requirement. A runtime that accepts invalid models lacks a check: there, requirements
with one id mean the same for all operators.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.text import unwrapped

from ..judging.verdicts import Verdict
from .merging import natural_order
from .records import Row

# In the order in which a user wants to know of them: a wrong result is silent, so it comes first.
_SEVERITY: tuple[tuple[Verdict, ...], ...] = (
    (Verdict.WRONG_VALUE, Verdict.WRONG_SHAPE, Verdict.WRONG_TYPE, Verdict.WRONG_COUNT),
    (Verdict.ACCEPTED_INVALID,),
    (Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.PROTOCOL_ERROR),
    (Verdict.REJECTED,),
    (Verdict.ERROR, Verdict.BAD_VECTOR),
    (Verdict.UNSUPPORTED,),
    (Verdict.INCONCLUSIVE,),
)
_RANK: dict[str, int] = {verdict: rank for rank, group in enumerate(_SEVERITY) for verdict in group}
_WRONG = _SEVERITY[0]
# In these our judge finds the fault; a runtime that refuses or dies gives the reason itself.
JUDGED = (*_WRONG, Verdict.ACCEPTED_INVALID)
# Vectors that were imported have no form.
_PLAIN_FORMS = ("static", "")
_PLAIN_TYPE = "float32"
_LONGEST = 200

_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'|`[^`]*`")
# Numbers, and names that hold one: sizes, addresses, line numbers, element types, node names.
_NUMBERED = re.compile(r"[\w.:/-]*\d[\w.:/-]*")
_LISTED = re.compile(r"#(?:[\s,;x()\[\]{}]*#)+")


@dataclass(frozen=True)
class Cause:
    """Vectors that fail for what looks like one reason.

    Attributes:
        verdict: the verdict of all of them.
        common: what else they share: the id of a requirement, or in words a form or an element
            type; empty if it is the runtime's own words.
        rows: the vectors; the first is the simplest example.
    """

    verdict: Verdict
    common: str
    rows: tuple[Row, ...]

    @property
    def example(self) -> Row:
        """The vector to look at first."""
        return self.rows[0]

    @property
    def operators(self) -> tuple[str, ...]:
        """The operators that it concerns, those with most vectors first."""
        return tuple(name for name, _ in Counter(row.operator for row in self.rows).most_common())

    @property
    def ids(self) -> tuple[str, ...]:
        """The vectors' ids."""
        return tuple(row.id for row in self.rows)


def severity(verdict: str) -> int:
    """A rank of verdicts: silent wrong results first, then accepted invalid models, then deaths."""
    return _RANK.get(verdict, len(_SEVERITY))


def causes_of(rows: Iterable[Row], judged: Iterable[Row] = ()) -> tuple[Cause, ...]:
    """The failures among some rows, by cause: worst first, then the most frequent.

    Args:
        rows: the rows to explain.
        judged: all rows of the run. If several element types of an operator were judged, and only
            vectors of one type fail, the type is the cause.
    """
    tried: dict[str, set[str]] = {}
    invalid = Kind.INVALID
    seen: set[tuple[str, int]] = set()
    for row in judged:
        types = row.types
        # Rows that were read share what is equal: most are known by the object.
        if (row.operator, id(types)) not in seen and row.kind != invalid:
            seen.add((row.operator, id(types)))
            tried.setdefault(row.operator, set()).update(types.values())
    found: dict[tuple[str, ...], list[Row]] = {}
    for key, row in _keyed(rows, tried):
        found.setdefault(key, []).append(row)
    causes = [_cause(key, members) for key, members in found.items()]
    return tuple(
        sorted(
            causes,
            key=lambda cause: (
                severity(cause.verdict),
                -len(cause.rows),
                natural_order(cause.example.id),
            ),
        )
    )


@lru_cache(maxsize=8192)  # a runtime says the same of many vectors
def words_without_particulars(message: str, operator: str) -> str:
    """A runtime's message, without the parts that differ from model to model.

    Numbers, everything in quotation marks, names with a digit and the operator's own name are
    removed; lists become one element.
    """
    text = _QUOTED.sub("'…'", message[: 4 * _LONGEST])
    if operator:
        text = re.sub(rf"(?<![A-Za-z]){re.escape(operator)}(?![a-z])", "…", text)
    text = _LISTED.sub("#", _NUMBERED.sub("#", text))
    return unwrapped(text)[:_LONGEST]


def _keyed(
    rows: Iterable[Row], tried: Mapping[str, Collection[str]]
) -> Iterator[tuple[tuple[str, ...], Row]]:
    """Each row with the key of its cause: the verdict, what kind of key, and the key itself."""
    wrong: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        requirement = row.covers[0] if row.covers else ""
        if row.verdict in _WRONG:
            wrong.setdefault((row.operator, row.verdict), []).append(row)
        elif row.verdict == Verdict.ACCEPTED_INVALID:
            yield (row.verdict, "requirement", requirement), row
        else:
            phase = row.phase.value if row.phase else ""
            words = words_without_particulars(row.message, row.operator)
            yield (row.verdict, "words", phase, words), row
    for (operator, verdict), same in wrong.items():
        shared = _shared(same, tried.get(operator, ()))
        for row in same:
            requirement = row.covers[0] if row.covers else ""
            yield (verdict, *(shared or ("requirement", requirement, operator))), row


def _shared(rows: Sequence[Row], tried: Collection[str]) -> tuple[str, ...]:
    """The single form or element type of an operator's failures; empty if there are several."""
    forms = {row.form for row in rows}
    if len(forms) == 1 and forms.isdisjoint(_PLAIN_FORMS):
        return ("form", *forms)
    types = {tuple(sorted(set(row.types.values()))) for row in rows}
    if len(types) == 1 and len(rows) > 1:
        (only,) = types
        if len(only) == 1 and len(tried) > 1:
            return ("type", rows[0].operator, *only)
    return ()


def _cause(key: tuple[str, ...], rows: Sequence[Row]) -> Cause:
    verdict, kind, *rest = key
    common = ""
    if kind == "form":
        common = f"in form {rest[0]} alone"
    elif kind == "type":
        common = f"with {rest[1]} alone"
    elif kind == "requirement":
        common = rest[0]
    return Cause(Verdict(verdict), common, tuple(sorted(rows, key=_plainness)))


def _plainness(row: Row) -> tuple[object, ...]:
    """Sort key: the newest version of an operator, as a plain graph, of float32, comes first."""
    return (
        row.form not in _PLAIN_FORMS,
        _PLAIN_TYPE not in row.types.values(),
        -row.since_version,
        len(row.id),
        natural_order(row.id),
    )
