"""Few patterns for many ids, as a person would list them.

A pattern is used only if every vector of the corpus that it matches has the same verdict, so that
it never covers a vector that passes, that was not run, or that fails in another way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from onnx_conformance.core.corpus.vectors import Kind

from .entries import is_over_operators, unanswered
from .index import VectorIndex

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Entry


# A pattern, and the kind of vectors that it is for; None for all of them.
Key: TypeAlias = tuple[str, Kind | None]


@dataclass(frozen=True)
class Group:
    """Vectors with one verdict, and the id or pattern that matches exactly these.

    `kind` limits the pattern to vectors of one kind; None if no limit is needed.
    """

    #: An id, or a pattern of ids.
    pattern: str
    #: The only kind of vector that it is for; None for all.
    kind: Kind | None
    #: The verdict that all of them have.
    verdict: str
    #: The vectors that it matches.
    ids: tuple[str, ...]


class Grouper:
    """Groups vectors of one corpus, as often as needed; the corpus is indexed once."""

    def __init__(self, corpus: Mapping[str, Entry], ids: Iterable[str]) -> None:
        """Prepare to group vectors that are among `ids`; `corpus` is all vectors by id."""
        self._corpus = corpus
        self._index = VectorIndex(corpus)
        self._place = {vector_id: number for number, vector_id in enumerate(corpus)}
        known = {key for item in ids for key in _keys(item, corpus[item].kind)}
        self._taken = Counter(
            key for entry in corpus.values() for key in _keys(entry.id, entry.kind) if key in known
        )

    def group(self, verdicts: Mapping[str, str], *, by_kind: bool = True) -> tuple[Group, ...]:
        """The vectors in `verdicts` as few disjoint groups, in the order of the corpus.

        Args:
            verdicts: the verdict of each vector that is to be listed.
            by_kind: whether a pattern may be narrowed to the vectors of one kind.
        """
        members: dict[Key, list[str]] = {}
        for vector_id in verdicts:
            for key in _keys(vector_id, self._corpus[vector_id].kind):
                if by_kind or key[1] is None:
                    members.setdefault(key, []).append(vector_id)
        candidates = {
            key: found
            for key, found in members.items()
            if len(found) > 1
            and len(found) == self._taken[key]
            and len({verdicts[item] for item in found}) == 1
            and not (is_over_operators(key[0]) and unanswered({verdicts[found[0]]}))
        }
        # Groups may not overlap, so an early choice excludes later ones; several orders are tried.
        plans = [self._cover(verdicts, candidates, order) for order in _ORDERS]
        best = min(plans, key=len)
        return tuple(sorted(best, key=lambda found: self._place[found.ids[0]]))

    def _cover(
        self,
        verdicts: Mapping[str, str],
        candidates: Mapping[Key, list[str]],
        order: Callable[[str, int], object],
    ) -> list[Group]:
        free = dict.fromkeys(verdicts)
        groups = []

        def rank(key: Key) -> tuple[object, ...]:
            pattern, kind = key
            return (order(pattern, len(candidates[key])), kind or "", pattern.count("*"), pattern)

        for pattern, kind in sorted(candidates, key=rank):
            found = candidates[pattern, kind]
            # What a pattern really matches: the counts above are only an estimate.
            real = set(self._index.of_kind(pattern, kind))
            if all(item in free for item in found) and set(found) == real:
                groups.append(Group(pattern, kind, verdicts[found[0]], tuple(found)))
                for item in found:
                    del free[item]
        groups.extend(Group(item, None, verdicts[item], (item,)) for item in free)
        return groups


def _keys(vector_id: str, kind: Kind) -> Iterator[Key]:
    """The patterns that a person might write for an id: for all kinds, and for its kind alone.

    An id that is not of the form `<operator>-<version>/<case>/<variant>` has none.
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
                    yield pattern, kind


def _crosses(pattern: str) -> bool:
    """Whether a pattern matches parts of several folders, and not the whole of one."""
    return "*" in pattern.removesuffix("/*")


_ORDERS: tuple[Callable[[str, int], object], ...] = (
    lambda pattern, size: (_crosses(pattern), -size),
    lambda pattern, size: (-size, _crosses(pattern)),
    lambda pattern, size: (not _crosses(pattern), -size),
)
