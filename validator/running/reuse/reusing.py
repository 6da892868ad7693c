"""Verdicts that are taken over from earlier runs: nothing is run twice (`run --reuse RESULTS`).

A row is taken over where its vector has the digest that it had and the backend its identity, unless
the verdict is one that another run might not repeat: flaky, crashed, timed out, lost, or on a
vector that could not be read. The row of an invalid vector depends on its control too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from onnx_conformance.core.text import one_line, quantity

from ...judging.verdicts import LOST_VERDICTS, Verdict
from ...results.records import DIGITS, Results, Row
from .identity import difference_in_words

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Entry

    from ...results.merging import Source
    from ..planning import RunPlan

_FIELDS = tuple(item.name for item in fields(Row))
# What the details of a verdict have that another run might not repeat.
_UNSURE = ("incidents", "in_company", "reruns")
_UNKNOWN_DATE = "unknown"


@dataclass(frozen=True)
class Reused:
    """What is taken over.

    Attributes:
        found: the row of each vector that has one, by id, with the date of the run that found it.
        notes: sentences: how many, and why the rest is not.
    """

    found: Mapping[str, tuple[Row, str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict of each, by id."""
        return {item: row.verdict.value for item, (row, _) in self.found.items()}

    def rows(self, but: Container[str] = ()) -> Iterator[Row]:
        """Each with its mark, but for those that are there already; read one after the other."""
        for vector_id, (row, date) in self.found.items():
            if vector_id not in but:
                yield Row(**{**{name: getattr(row, name) for name in _FIELDS}, "reused": date})


def reusable(sources: Sequence[Source], identity: Mapping[str, str], plan: RunPlan) -> Reused:
    """The verdicts of earlier runs that are still true of a plan.

    Of several on one vector the youngest counts.

    Args:
        sources: the results files.
        identity: of the backend now, as `identity_of` gives it.
        plan: the vectors that are to be run.
    """
    found: dict[str, tuple[Row, str]] = {}
    notes = []
    why_not: Counter[str] = Counter()
    for source in sources:
        refusal = _why_none(source.results, identity)
        if refusal:
            notes.append(f"reuse: {source.name}: {refusal}; nothing of it is taken over")
            continue
        for row in source.results.rows:
            entry = plan.entries.get(row.id)
            if entry is None:
                continue
            reason = _why_not(row, entry)
            if reason:
                why_not[reason] += 1
                continue
            date = row.reused or one_line(source.results.header.started, 40) or _UNKNOWN_DATE
            if row.id not in found or found[row.id][1] < date:
                found[row.id] = row, date
    orphans = [item for item, control in plan.control_of.items() if _lacks(item, control, found)]
    for item in orphans:
        del found[item]
    if orphans:
        why_not["their control is run again"] += len(orphans)
    total = len(plan.entries)
    notes.insert(0, f"reuse: {len(found):,} of {quantity(total, 'verdict')} taken over")
    notes += [f"reuse: {count:,} not taken over: {text}" for text, count in why_not.most_common()]
    return Reused({item: found[item] for item in plan.entries if item in found}, tuple(notes))


def _lacks(vector_id: str, control: str, found: Container[str]) -> bool:
    return vector_id in found and control not in found


def _why_none(results: Results, identity: Mapping[str, str]) -> str:
    """Why nothing is taken from a file; empty if something may be."""
    before = results.header.extra.get("identity")
    if not before:
        return "is of a version that did not say what its verdicts depend on"
    return one_line(difference_in_words(before, identity), 600)


def _why_not(row: Row, entry: Entry) -> str:
    """Why a row is not taken over; empty if it is."""
    if entry.digest is None or row.digest is None:
        return "the vectors have no manifest with their digests"
    if row.digest != entry.digest[:DIGITS]:
        return "the vector changed"
    if row.verdict is Verdict.BAD_VECTOR or row.verdict in LOST_VERDICTS:
        return f"the verdict is {row.verdict.value}"
    if any(row.tells(name) for name in _UNSURE):
        return "the vector did not always do the same"
    return ""
