"""A baseline of a page for a runtime that refuses most of a corpus: defaults, and exceptions.

A runtime of three operators refuses 39,000 vectors of the others, each in its own words. A person
would not list them: they would write that everything is `unsupported`, and then what is not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from ..judging.verdicts import Verdict
from ..results.records import Row

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Entry


# The name of an operator as ids have it, or an empty text for all; and a kind of vectors.
Place: TypeAlias = tuple[str, str]

# A wrong result or a crash is a bug of its own, never a rule.
_REFUSALS = (Verdict.UNSUPPORTED, Verdict.REJECTED, Verdict.INCONCLUSIVE)


@dataclass(frozen=True)
class Defaults:
    """The verdicts that most vectors have.

    Attributes:
        of: the verdict of each place: of all vectors of a kind, or of one operator's.
        following: the rows that are as the default of their place says, by that place.
        exceptions: the other rows, by the narrowest place that has a default.
    """

    of: Mapping[Place, Verdict]
    following: Mapping[Place, Sequence[Row]] = field(default_factory=dict)
    exceptions: Mapping[Place, Sequence[Row]] = field(default_factory=dict)


def defaults_of(rows: Sequence[Row], corpus: Mapping[str, Entry]) -> Defaults | None:
    """The defaults for results; None if no kind of vectors is mostly refused.

    A default also covers vectors that are added later, so all of a kind must have been run.
    """
    by_kind: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_kind[str(row.kind)].append(row)
    sizes = Counter(str(entry.kind) for entry in corpus.values())
    of: dict[Place, Verdict] = {}
    for kind, members in by_kind.items():
        verdict, count = Counter(row.verdict for row in members).most_common(1)[0]
        if len(members) == sizes[kind] and verdict in _REFUSALS and 2 * count > len(members):
            of["", kind] = verdict
            of.update(_of_operators(kind, verdict, members))
    if not of:
        return None
    following: dict[Place, list[Row]] = defaultdict(list)
    exceptions: dict[Place, list[Row]] = defaultdict(list)
    for row in rows:
        place = _place_of(row, of)
        (following if of.get(place) == row.verdict else exceptions)[place].append(row)
    return Defaults(of, following, exceptions)


def operator_of(vector_id: str) -> str:
    """The operator in an id, without its version."""
    return vector_id.split("/", 1)[0].rpartition("-")[0]


def _of_operators(
    kind: str, default: Verdict, rows: Iterable[Row]
) -> Iterable[tuple[Place, Verdict]]:
    """The operators whose vectors mostly pass, or are mostly refused in another way."""
    found: dict[str, Counter[Verdict]] = defaultdict(Counter)
    for row in rows:
        found[operator_of(row.id)][row.verdict] += 1
    for operator, counts in found.items():
        verdict, count = counts.most_common(1)[0]
        fits = verdict is Verdict.PASS or verdict in _REFUSALS
        if operator and fits and count > counts[default] + 1:
            yield (operator, kind), verdict


def _place_of(row: Row, of: Mapping[Place, Verdict]) -> Place:
    """The narrowest place with a default; one without a name and a kind if there is none."""
    for place in ((operator_of(row.id), str(row.kind)), ("", str(row.kind))):
        if place in of:
            return place
    return ("", "")
