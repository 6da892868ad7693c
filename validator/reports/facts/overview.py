"""The data of the page's map: operator version by element type by backend.

A tile is one element type of one operator version on one backend. It shows the worst outcome among
its vectors, and whether all of them had it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter

from onnx_conformance.core.values.elements import ELEMENT_TYPES

from ...results.merging import natural_order
from ...results.records import Results, Row
from .tally import (
    ACCEPTED,
    CRASHED,
    FAIL,
    GROUPS,
    INCONCLUSIVE,
    LATITUDE,
    PASS,
    UNJUDGED,
    UNSUPPORTED,
    Group,
    OperatorVersion,
    group_named,
    missing_by_version,
    operator_version,
)

# From the outcome that needs attention most to the one that needs none.
SEVERITY = (CRASHED, FAIL, UNJUDGED, INCONCLUSIVE, UNSUPPORTED, ACCEPTED, LATITUDE, PASS)

_KINDS = ("float", "int", "uint", "bool", "string", "complex")
_WIDE_FIRST = sorted(
    ELEMENT_TYPES,
    key=lambda item: (
        # Common types, which every runtime has, come before the narrow ones that few have.
        item.kind == "float" and item.bits <= 8,
        item.bits in (2, 4),
        _KINDS.index(item.kind),
        -item.bits,
        item.code,
    ),
)
_TYPE_ORDER = {item.name: number for number, item in enumerate(_WIDE_FIRST)}
NO_TYPE = "(none)"

_ID = attrgetter("id")
_OUTCOME = attrgetter("verdict", "expect")


@dataclass(frozen=True)
class Place:
    """A vector's position on the map.

    Attributes:
        id: id of the vector.
        version: its operator version.
        type: the element type in the name of its variant.
        row: the row that told this, or None if no backend has one.
    """

    id: str
    version: OperatorVersion
    type: str
    row: Row | None


@dataclass(frozen=True)
class Tile:
    """The worst group among a tile's vectors; `whole` if all of them are in it."""

    group: Group
    whole: bool


@dataclass(frozen=True)
class Overview:
    """The content of the map.

    Attributes:
        versions: operator versions, in order.
        types: element types, in order.
        places: every planned vector, by operator version and id.
        tiles: by backend, operator version and element type; absent if nothing was planned.
        counts: groups of each backend and operator version.
    """

    versions: tuple[OperatorVersion, ...]
    types: tuple[str, ...]
    places: Mapping[str, Place]
    tiles: Mapping[tuple[int, OperatorVersion, str], Tile]
    counts: Mapping[tuple[int, OperatorVersion], Counter[str]]


def overview(results: Sequence[Results]) -> Overview:
    """Arrange the vectors of all backends on one map."""
    places = _places(results)
    # Tiles by number: a million rows are counted by them.
    tiles = list({(place.version, place.type): None for place in places.values()})
    numbers = {tile: number for number, tile in enumerate(tiles)}
    tile_of = {place.id: numbers[place.version, place.type] for place in places.values()}
    # Plain dicts: a large site has a hundred thousand tiles, and a Counter costs ten times one.
    by_tile: dict[tuple[int, OperatorVersion, str], dict[str, int]] = {}
    counts: defaultdict[tuple[int, OperatorVersion], Counter[str]] = defaultdict(Counter)
    for number, item in enumerate(results):
        for (tile, group), count in _by_tile(item, tile_of).items():
            version, element = tiles[tile]
            of_tile = by_tile.setdefault((number, version, element), {})
            of_tile[group] = of_tile.get(group, 0) + count
            counts[number, version][group] += count
    return Overview(
        versions=tuple(sorted({place.version for place in places.values()})),
        types=tuple(sorted({place.type for place in places.values()}, key=type_order)),
        places=places,
        tiles={key: tile_of_counts(counter) for key, counter in by_tile.items()},
        counts=dict(counts),
    )


def type_order(name: str) -> tuple[int, str]:
    """Sort key of element types: common before rare, wide before narrow."""
    return (_TYPE_ORDER.get(name, len(_TYPE_ORDER)), name)


def _places(results: Sequence[Results]) -> dict[str, Place]:
    found: dict[str, Place] = {}
    for item in results:
        if found.keys() >= set(map(_ID, item.rows)):
            continue  # as of most runtimes but the first
        for row in item.rows:
            if row.id not in found:
                found[row.id] = Place(row.id, operator_version(row), _type_of(row), row)
    for item in results:
        for version, vector_ids in missing_by_version(item).items():
            for vector_id in vector_ids:
                if vector_id not in found:
                    found[vector_id] = Place(vector_id, version, _type_in(vector_id), None)
    order = sorted(found.values(), key=lambda place: (place.version, natural_order(place.id)))
    return {place.id: place for place in order}


def _type_of(row: Row) -> str:
    """The type in the name of the variant, else that of the first type variable."""
    named = _type_in(row.id)
    if named != NO_TYPE:
        return named
    return next(iter(row.types.values()), NO_TYPE)


def _type_in(vector_id: str) -> str:
    element = vector_id.rsplit("/", 1)[-1].partition(".")[0]
    return element if element in _TYPE_ORDER else NO_TYPE


def _by_tile(results: Results, tile_of: Mapping[str, int]) -> Counter[tuple[int, str]]:
    """How many planned vectors each tile has in each group."""
    tiles = map(tile_of.__getitem__, map(_ID, results.rows))
    found = Counter(zip(tiles, map(_OUTCOME, results.rows), strict=True))
    counts: Counter[tuple[int, str]] = Counter()
    # Of each kind once: there are fewer of them than vectors.
    for (tile, (verdict, expect)), count in found.items():
        counts[tile, group_named(verdict, expect).name] += count
    for vector_id in results.missing:
        counts[tile_of[vector_id], UNJUDGED.name] += 1
    return counts


def tile_of_counts(counts: Mapping[str, int]) -> Tile:
    """The tile of some vectors, at least one, counted by group."""
    return _tile_of(tuple(counts.items()))


@lru_cache(maxsize=8192)
def _tile_of(counts: tuple[tuple[str, int], ...]) -> Tile:
    number = dict(counts)
    worst = next(group for group in SEVERITY if number.get(group.name))
    return Tile(worst, number[worst.name] == sum(number.values()))


def verdict_codes(results: Sequence[Results]) -> list[tuple[str, str]]:
    """Each (verdict, group) that can occur, in the order of the columns.

    The position is the code that the page's data uses; unknown verdicts come last.
    """
    known = [(verdict, group.name) for group in GROUPS for verdict in group.verdicts]
    known.insert(1, (PASS.name, LATITUDE.name))
    seen = {
        (verdict, group_named(verdict, expect).name)
        for item in results
        for verdict, expect in item.outcomes
    }
    return known + sorted(seen - set(known))
