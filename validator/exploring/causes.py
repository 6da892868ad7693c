"""Failures by their causes: one cause is one line, and says whether the corpus shows it already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from onnx_conformance.core.exploring.explorer import Explored

from ..judging.verdicts import Verdict
from ..results.causes import severity
from ..results.records import Row
from .signatures import Signature, signature_of

_WRONG = (Verdict.WRONG_VALUE, Verdict.WRONG_SHAPE, Verdict.WRONG_TYPE, Verdict.WRONG_COUNT)
# Of these the signature says too little, so that vectors that show the same must have the types.
_OF_TYPES = tuple(verdict for verdict in _WRONG if verdict is not Verdict.WRONG_TYPE)


@dataclass(frozen=True)
class Failure:
    """A drawn call that the backend did not pass.

    Attributes:
        row: what it did.
        explored: the call.
        first: the id of the call as it was drawn, before it was made simpler.
        alone: whether it failed alone in a fresh child too; None if that was not tried.
    """

    row: Row
    explored: Explored
    first: str = ""
    alone: bool | None = None

    @property
    def signature(self) -> Signature:
        """What it has in common with others."""
        return signature_of(self.row)

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of its edits; of a call that is none of a vector's, its form.

        None where another type is returned, which depends on types and hardly on anything else.
        """
        if self.row.verdict == Verdict.WRONG_TYPE:
            return frozenset()
        if self.explored.base:
            return frozenset(kind_of(item) for item in self.explored.edits)
        return frozenset() if self.row.form in ("static", "") else frozenset({self.row.form})


def kind_of(edit: str) -> str:
    """The kind of an edit, without what is there now."""
    return edit.partition(" = ")[0]


@dataclass(frozen=True)
class Blame:
    """What a failure has to do with the optimizer.

    Attributes:
        level: the first level at which the call fails; that without optimization says that the
            optimizer has no part in it.
        optimized: whether it passes at a level before that.
        passes: names of passes without which it passes, none of which may stay; empty where no
            pass that can be left out is to blame, None where that was not looked for to the end.
    """

    level: str
    optimized: bool
    passes: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Found:
    """One cause.

    Attributes:
        failure: the simplest call that shows it.
        calls: how many of the calls that were drawn failed of it.
        known: the vector of the corpus that shows it on this backend; empty if none does.
        perhaps: a vector that fails with the same verdict, where nothing says more.
        blame: what it has to do with the runtime's optimizer; None if that was not asked.
    """

    failure: Failure
    calls: int = 1
    known: str = ""
    perhaps: str = ""
    blame: Blame | None = None


class KnownFailures:
    """What the corpus shows on this backend."""

    def __init__(self, rows: Iterable[Row], listed: Mapping[tuple[str, str], str]) -> None:
        """Know rows of a run, and what a baseline lists: operator and verdict -> an id."""
        self._rows: dict[Signature, list[Row]] = {}
        for row in rows:
            if not row.passed:
                self._rows.setdefault(signature_of(row), []).append(row)
        self._listed = listed

    def of(self, row: Row) -> str:
        """The vector that shows the same; empty if none does.

        Wrong values and shapes say little of their cause: theirs must have the types of the row.
        """
        same = self._rows.get(signature_of(row), [])
        if row.verdict in _OF_TYPES:
            types = set(row.types.values())
            same = [item for item in same if set(item.types.values()) == types]
        return same[0].id if same else ""

    def perhaps(self, row: Row) -> str:
        """A vector of the operator that fails with the same verdict; empty if none is known."""
        for (operator, verdict, _), rows in self._rows.items():
            if (operator, verdict) == (row.operator, row.verdict):
                return rows[0].id
        return self._listed.get((row.operator.lower(), row.verdict), "")


def to_simplify(failures: Sequence[Failure], known: KnownFailures, most: int = 3) -> list[Failure]:
    """The failures worth the time of making them simpler: a few for each signature.

    Those with the fewest edits come first, and of each set of kinds of edits one is enough. What
    the corpus shows with the same words of the runtime's needs none.
    """
    chosen: dict[Signature, list[Failure]] = {}
    for failure in sorted(failures, key=_plainness):
        if failure.row.verdict not in _WRONG and known.of(failure.row):
            continue
        same = chosen.setdefault(failure.signature, [])
        if len(same) < most and all(item.kinds != failure.kinds for item in same):
            same.append(failure)
    every = [item for same in chosen.values() for item in same]
    firsts = {id(same[0]) for same in chosen.values()}
    return sorted(every, key=lambda item: (id(item) not in firsts, _rank(item)))


def _rank(failure: Failure) -> tuple[object, ...]:
    return severity(failure.row.verdict), failure.row.id


def _plainness(failure: Failure) -> tuple[object, ...]:
    return len(failure.explored.edits), len(failure.row.id), failure.row.id


@dataclass
class _Group:
    failure: Failure
    calls: int = 0
    members: list[Failure] = field(default_factory=list)


def causes_of_failures(
    failures: Sequence[Failure], simplest: Mapping[str, Failure], known: KnownFailures
) -> list[Found]:
    """The causes of failures: the worst first, what is new before what is known.

    Args:
        failures: all of them, as they were drawn.
        simplest: for the id of a drawn call, the simplest one that shows the same.
        known: what the corpus shows.
    """
    groups: dict[tuple[Signature, frozenset[str]], _Group] = {}
    for failure in sorted(failures, key=_plainness):
        simple = simplest.get(failure.row.id)
        if simple is not None:
            group = groups.setdefault((simple.signature, simple.kinds), _Group(simple))
            group.calls += 1
            if _plainness(simple) < _plainness(group.failure):
                group.failure = simple
    for failure in sorted(failures, key=_plainness):
        if failure.row.id not in simplest:
            _group_of(failure, groups).calls += 1
    found = []
    for group in groups.values():
        row = group.failure.row
        vector_id = known.of(row)
        perhaps = "" if vector_id else known.perhaps(row)
        found.append(Found(group.failure, group.calls, vector_id, perhaps))
    return sorted(_merged(found), key=_order)


def _group_of(failure: Failure, groups: dict[tuple[Signature, frozenset[str]], _Group]) -> _Group:
    """The group with the same signature and no other edits; else one of the same signature."""
    same = [group for (signature, _), group in groups.items() if signature == failure.signature]
    fitting = [group for group in same if group.failure.kinds <= failure.kinds]
    for group in (*fitting, *same):
        return group
    return groups.setdefault((failure.signature, failure.kinds), _Group(failure))


def _merged(found: Sequence[Found]) -> list[Found]:
    """Causes that one vector of the corpus shows are one."""
    by_vector: dict[tuple[str, str], Found] = {}
    kept = []
    for item in found:
        if not item.known:
            kept.append(item)
            continue
        key = (item.known, item.failure.row.operator)
        first = by_vector.get(key)
        merged = item if first is None else replace(first, calls=first.calls + item.calls)
        by_vector[key] = merged
    return kept + list(by_vector.values())


def _order(item: Found) -> tuple[object, ...]:
    row = item.failure.row
    return bool(item.known), severity(row.verdict), row.operator, -item.calls, row.id
