"""The differences between two runs, vector by vector.

| change          | old                        | new                                        |
|-----------------|----------------------------|--------------------------------------------|
| broken          | passed                     | does not pass                              |
| newly-wrong     | unsupported, no conclusion | fails or crashes                           |
| fixed           | failed or crashed          | passes                                     |
| newly-supported | unsupported, no conclusion | passes                                     |
| changed         | did not pass               | does not pass, with another verdict; or    |
|                 | had no verdict             | has one                                    |
|                 | took one permitted         | another permitted result of a latitude one |
| added           | was not planned            | is planned                                 |
| not-run         | was planned                | is in the corpus, and was not selected     |
| withdrawn       | was planned                | is not planned, of another corpus          |

If shards of a run are missing, nobody knows whether a vector that it lacks was planned: such a
vector is counted as unknown, and is neither added nor withdrawn. A vector is withdrawn only if the
same selection of another corpus lacks it: a run that asked for less tells nothing of the rest.

Permitted results of a latitude vector are passes too. A planned vector without a row did not pass.
`broken` and `newly-wrong` are worse than before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from onnx_conformance.core.text import quantity

from ..judging.verdicts import Verdict
from .merging import asked, natural_order, same_corpus
from .records import Header, Results, Row

Change: TypeAlias = Literal[
    "broken",
    "newly-wrong",
    "fixed",
    "newly-supported",
    "changed",
    "added",
    "not-run",
    "withdrawn",
]
CHANGES: tuple[Change, ...] = get_args(Change)
WORSE: tuple[Change, ...] = ("broken", "newly-wrong")
NO_VERDICT: Literal["no-verdict"] = "no-verdict"


@dataclass(frozen=True)
class VectorChange:
    """One vector that differs; `old` or `new` is None if that run has no row for it."""

    #: Id of the vector.
    id: str
    #: The kind of change.
    change: Change
    #: Its row in the earlier run.
    old: Row | None
    #: Its row in the later run.
    new: Row | None


@dataclass(frozen=True)
class RunChanges:
    """Two runs compared, vector by vector.

    Attributes:
        old, new: the runs.
        differences: what differs, in the order of CHANGES and then of ids.
        same: how many vectors both planned, with the same result.
        unknown: how many vectors are in one run, and perhaps in a missing shard of the other.
    """

    old: Results
    new: Results
    differences: tuple[VectorChange, ...]
    same: int
    unknown: int = 0

    def of(self, change: Change) -> tuple[VectorChange, ...]:
        """The differences of one kind."""
        return tuple(item for item in self.differences if item.change == change)

    @property
    def worse(self) -> bool:
        """Whether anything is worse than before."""
        return any(item.change in WORSE for item in self.differences)

    @property
    def not_run(self) -> str:
        """The sentence that the later run was not asked for all of the earlier one; or empty."""
        number = len(self.of("not-run"))
        if not number:
            return ""
        verb = "was" if number == 1 else "were"
        return f"{quantity(number, 'vector')} of the earlier run {verb} not run: select the same"

    @property
    def same_corpus(self) -> bool:
        """Whether both ran on the same vectors."""
        return same_corpus(self.old.header, self.new.header)


def changes_between(old: Results, new: Results) -> RunChanges:
    """Compare two runs, vector by vector."""
    before, after = _rows(old), _rows(new)
    found = []
    same = unknown = 0
    lacks = _lacks_shards(new)
    in_parts = {"added": _lacks_shards(old), "withdrawn": lacks, "not-run": lacks}
    gone: Change = "withdrawn" if _asked_alike(old.header, new.header) else "not-run"
    for vector_id in before.keys() | after.keys():
        change = _change(vector_id, before, after, gone)
        if change is None:
            same += 1
        elif in_parts.get(change):
            unknown += 1
        else:
            found.append(
                VectorChange(vector_id, change, before.get(vector_id), after.get(vector_id))
            )
    found.sort(key=lambda item: (CHANGES.index(item.change), natural_order(item.id)))
    return RunChanges(old, new, tuple(found), same, unknown)


def _asked_alike(old: Header, new: Header) -> bool:
    """Whether what the later run lacks is gone: it asked another corpus for the same."""
    return not same_corpus(old, new) and asked(old) == asked(new)


def _lacks_shards(results: Results) -> bool:
    return bool(results.header.extra.get("missing_shards"))


def _rows(results: Results) -> dict[str, Row | None]:
    return {**dict.fromkeys(results.header.planned), **{row.id: row for row in results.rows}}


def _change(
    vector_id: str, before: dict[str, Row | None], after: dict[str, Row | None], gone: Change
) -> Change | None:
    if vector_id not in before:
        return "added"
    if vector_id not in after:
        return gone
    old, new = before[vector_id], after[vector_id]
    if _kind(old) == _kind(new):
        return None
    return _NAMED.get((_state(old), _state(new)), "changed")


_State: TypeAlias = Literal["passes", "wrong", "open", "unjudged"]
_NAMED: Mapping[tuple[_State, _State], Change] = {
    ("passes", "wrong"): "broken",
    ("passes", "open"): "broken",
    ("passes", "unjudged"): "broken",
    ("open", "wrong"): "newly-wrong",
    ("wrong", "passes"): "fixed",
    ("open", "passes"): "newly-supported",
}


def _state(row: Row | None) -> _State:
    """Whether a row speaks for the runtime, against it, or for neither."""
    if row is None or row.verdict in (Verdict.ERROR, Verdict.BAD_VECTOR):
        return "unjudged"
    if row.passed:
        return "passes"
    return "open" if row.verdict in (Verdict.UNSUPPORTED, Verdict.INCONCLUSIVE) else "wrong"


def verdict_of(row: Row | None) -> str:
    """The verdict, or `no-verdict` if the run has no row for the vector."""
    return NO_VERDICT if row is None else row.verdict


def _kind(row: Row | None) -> tuple[str, str | None]:
    if row is None:
        return (NO_VERDICT, None)
    # The phase in which a passing runtime rejects an invalid model does not matter; a failing
    # runtime that rejects a valid model at another phase has another fault.
    return (row.verdict, row.taken if row.passed else row.phase)
