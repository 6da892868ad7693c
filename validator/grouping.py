"""Few patterns for many ids: what a person would write to list them.

A pattern is used only where every vector of the corpus that it takes has the one verdict, so that
it never covers a vector that passes, that was not run, or that fails in another way.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from .patterns import IdIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from .corpus import Entry

    # A pattern, and the kind of vectors that it is for; None for all of them.
    Key: TypeAlias = tuple[str, str | None]


@dataclass(frozen=True)
class Group:
    """Vectors with one verdict, and the id or pattern that takes exactly these.

    `kind` narrows the pattern to vectors of one kind; None where it needs no narrowing.
    """

    pattern: str
    kind: str | None
    verdict: str
    ids: tuple[str, ...]


def group(
    verdicts: Mapping[str, str], corpus: Mapping[str, Entry], *, by_kind: bool = True
) -> tuple[Group, ...]:
    """The vectors in `verdicts` as few disjoint groups, in the order of the corpus.

    Args:
        verdicts: the verdict of each vector that is to be listed.
        corpus: all vectors by id, also those that no group may cover.
        by_kind: whether a pattern may be narrowed to the vectors of one kind.
    """
    members: dict[Key, list[str]] = {}
    for vector_id in verdicts:
        for key in _keys(vector_id, corpus[vector_id].kind, by_kind=by_kind):
            members.setdefault(key, []).append(vector_id)
    taken = Counter(
        key
        for entry in corpus.values()
        for key in _keys(entry.id, entry.kind, by_kind=by_kind)
        if key in members
    )
    candidates = {
        key: found
        for key, found in members.items()
        if len(found) > 1
        and len(found) == taken[key]
        and len({verdicts[item] for item in found}) == 1
    }
    index = IdIndex(corpus)
    # Groups may not overlap, so an early choice forbids later ones; each order is tried.
    plans = [_cover(verdicts, candidates, order, corpus, index) for order in _ORDERS]
    best = min(plans, key=len)
    place = {vector_id: number for number, vector_id in enumerate(corpus)}
    return tuple(sorted(best, key=lambda found: place[found.ids[0]]))


def _keys(vector_id: str, kind: str, *, by_kind: bool) -> Iterator[Key]:
    """The patterns that a person would think of for an id, for all kinds and for its own alone.

    An id of another form than `<operator>-<version>/<case>/<variant>` has none.
    """
    parts = vector_id.split("/")
    if len(parts) != 3:
        return
    version, case, variant = parts
    operator = version.rpartition("-")[0]
    element, *forms = variant.split(".")
    endings = ["*", variant]
    if forms:
        endings += [f"{element}.*", f"*.{forms[-1]}", *(f"*.{form}.*" for form in forms[:-1])]
    for first in (version, f"{operator}-*", "*"):
        for second in (case, "*"):
            for third in endings:
                whole = (second, third) == ("*", "*")
                pattern = f"{first}/*" if whole else f"{first}/{second}/{third}"
                if pattern not in ("*/*", vector_id):
                    yield pattern, None
                    if by_kind:
                        yield pattern, kind


def _cover(
    verdicts: Mapping[str, str],
    candidates: Mapping[Key, list[str]],
    order: Callable[[str, int], object],
    corpus: Mapping[str, Entry],
    index: IdIndex,
) -> list[Group]:
    free = dict.fromkeys(verdicts)
    groups = []

    def rank(key: Key) -> tuple[object, ...]:
        pattern, kind = key
        return (order(pattern, len(candidates[key])), kind or "", pattern.count("*"), pattern)

    for pattern, kind in sorted(candidates, key=rank):
        found = candidates[pattern, kind]
        if all(item in free for item in found) and set(found) == {
            item for item in index.matching(pattern) if kind in (None, corpus[item].kind)
        }:
            groups.append(Group(pattern, kind, verdicts[found[0]], tuple(found)))
            for item in found:
                del free[item]
    groups.extend(Group(item, None, verdicts[item], (item,)) for item in free)
    return groups


def _crosses(pattern: str) -> bool:
    """Whether a pattern takes parts of several folders, and not the whole of one."""
    return "*" in pattern.removesuffix("/*")


_ORDERS: tuple[Callable[[str, int], object], ...] = (
    lambda pattern, size: (_crosses(pattern), -size),
    lambda pattern, size: (-size, _crosses(pattern)),
    lambda pattern, size: (not _crosses(pattern), -size),
)
