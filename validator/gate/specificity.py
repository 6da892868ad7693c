"""Which of several entries counts for a vector: the most specific one.

    entries:
      - {id: "*", verdict: unsupported, reason: a small runtime}
      - {id: add-*/*, verdict: pass, reason: written}
      - {id: add-14/types/int8, verdict: rejected, reason: no int8 yet}

The rule: a pattern is more specific than another one if all of its vectors fit the other as well,
and not all of the other's fit it. Patterns that cross, or fit the same vectors, are an error:
nobody could see which of them counts. The order in the file says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError

if TYPE_CHECKING:
    from .entries import BaselineEntry
    from .index import VectorIndex


@dataclass(frozen=True, eq=False)
class Claim:
    """A pattern of an entry, and the vectors that it fits."""

    #: The entry.
    entry: BaselineEntry
    #: One of its patterns.
    pattern: str
    #: The vectors, in the order of the corpus.
    ids: tuple[str, ...]
    #: The same.
    known: frozenset[str]


def claims_of(entries: Iterable[BaselineEntry], index: VectorIndex) -> list[Claim]:
    """A claim for each pattern of each entry."""
    found = []
    for entry in entries:
        for pattern in entry.patterns:
            ids = index.of_kind(pattern, entry.kind)
            found.append(Claim(entry, pattern, ids, frozenset(ids)))
    return found


def most_specific(claims: Iterable[Claim]) -> dict[str, BaselineEntry]:
    """The entry of each vector that any fits; BadInputError if two fit and neither is narrower."""
    rivals: dict[str, list[Claim]] = {}
    for claim in claims:
        for vector_id in claim.ids:
            rivals.setdefault(vector_id, []).append(claim)
    narrower: set[tuple[Claim, Claim]] = set()
    return {item: _narrowest(item, found, narrower) for item, found in rivals.items()}


def _narrowest(
    vector_id: str, rivals: Sequence[Claim], narrower: set[tuple[Claim, Claim]]
) -> BaselineEntry:
    """The entry of the narrowest claim; `narrower` keeps the pairs that have been compared."""
    first = min(rivals, key=lambda claim: len(claim.ids))
    for other in rivals:
        if other.entry is first.entry or (first, other) in narrower:
            continue
        if not first.known < other.known:
            one, two = sorted((first.entry, other.entry), key=lambda entry: entry.line)
            raise second_entry(two, vector_id, one)
        narrower.add((first, other))
    return first.entry


def idle_passes(claims: Sequence[Claim], listed: Mapping[str, BaselineEntry]) -> Iterator[Claim]:
    """The claims that say `pass` although no wider entry lists one of their vectors.

    `listed` is the entry of each vector in an included baseline.
    """
    failing = set(listed).union(*(claim.known for claim in claims if not claim.entry.passes))
    for claim in claims:
        if claim.ids and claim.entry.passes and failing.isdisjoint(claim.known):
            yield claim


def require_effect(
    claims: Sequence[Claim],
    found: Mapping[str, BaselineEntry],
    listed: Mapping[str, BaselineEntry],
) -> None:
    """Raise BadInputError for a `pass` that differs from nothing, and for what counts nowhere.

    Args:
        claims: of a baseline's own entries; those that fit nothing have been judged before.
        found: the entry of each vector.
        listed: the entry of each vector in an included baseline.
    """
    for claim in idle_passes(claims, listed):
        raise BadInputError(
            f"{claim.entry.where}: '{claim.pattern}' is listed as 'pass', which is expected of"
            " every vector that no wider entry and no included baseline lists; remove it"
        )
    counting = {entry.where for entry in found.values()}
    for claim in claims:
        if claim.ids and claim.entry.where not in counting:
            raise BadInputError(
                f"{claim.entry.where}: {claim.entry.named} counts for no vector: each of them has a"
                " more specific entry; remove it"
            )


def second_entry(entry: BaselineEntry, vector_id: str, other: BaselineEntry) -> BadInputError:
    """The error that two entries fit a vector and neither is more specific."""
    place = f"on line {other.line}" if other.file == entry.file else f"at {other.where}"
    return BadInputError(
        f"{entry.where}: '{vector_id}' has an entry {place} already ({other.named}); where two fit,"
        " all vectors of one must fit the other as well: that one then counts"
    )
