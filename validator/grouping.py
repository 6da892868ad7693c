"""Few patterns for many ids: what a person would write to list them.

A pattern is used only where every vector of the corpus that it takes has the one verdict, so that
it never covers a vector that passes, that was not run, or that fails in another way.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


@dataclass(frozen=True)
class Group:
    """Vectors with one verdict, and the id or pattern that takes exactly these."""

    pattern: str
    verdict: str
    ids: tuple[str, ...]


def group(verdicts: Mapping[str, str], corpus: Iterable[str]) -> tuple[Group, ...]:
    """The vectors in `verdicts` as few disjoint groups, in the order of the corpus.

    Args:
        verdicts: the verdict of each vector that is to be listed.
        corpus: all ids, also those that no group may cover.
    """
    ids = tuple(corpus)
    members: dict[str, list[str]] = {}
    for vector_id in verdicts:
        for pattern in _patterns(vector_id):
            members.setdefault(pattern, []).append(vector_id)
    taken = Counter(pattern for vector_id in ids for pattern in _patterns(vector_id))
    candidates = {
        pattern: found
        for pattern, found in members.items()
        if len(found) > 1
        and len(found) == taken[pattern]
        and len({verdicts[item] for item in found}) == 1
    }
    # Groups may not overlap, so an early choice forbids later ones; each order is tried.
    plans = [_cover(verdicts, candidates, order) for order in _ORDERS]
    best = min(plans, key=len)
    place = {vector_id: number for number, vector_id in enumerate(ids)}
    return tuple(sorted(best, key=lambda found: place[found.ids[0]]))


def _patterns(vector_id: str) -> Iterator[str]:
    """The patterns that a person would think of for an id; an id of another form has none."""
    parts = vector_id.split("/")
    if len(parts) != 3:
        return
    version, case, variant = parts
    element, dot, _ = variant.partition(".")
    yield f"{version}/*"
    yield f"{version}/{case}/*"
    yield f"*/{case}/*"
    yield f"*/*/{variant}"
    yield f"{version}/*/{variant}"
    if dot:
        yield f"*/*/{element}.*"
        yield f"{version}/*/{element}.*"


def _cover(
    verdicts: Mapping[str, str],
    candidates: Mapping[str, list[str]],
    order: Callable[[str, int], object],
) -> list[Group]:
    free = dict.fromkeys(verdicts)
    groups = []
    for pattern in sorted(candidates, key=lambda name: (order(name, len(candidates[name])), name)):
        found = candidates[pattern]
        if all(item in free for item in found):
            groups.append(Group(pattern, verdicts[found[0]], tuple(found)))
            for item in found:
                del free[item]
    groups.extend(Group(item, verdicts[item], (item,)) for item in free)
    return groups


def _crosses(pattern: str) -> bool:
    """Whether a pattern takes parts of several folders, and not the whole of one."""
    return "*" in pattern.removesuffix("/*")


_ORDERS: tuple[Callable[[str, int], object], ...] = (
    lambda pattern, size: (_crosses(pattern), -size),
    lambda pattern, size: (-size, _crosses(pattern)),
    lambda pattern, size: (not _crosses(pattern), -size),
)
