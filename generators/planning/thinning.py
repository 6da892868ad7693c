"""Decides what is not proposed for the standard corpus because other vectors test the same.

Neighbouring versions that differ only in their type lists are one class. The newest
of a class has every case; the oldest and those between have a part of them. The choice depends only
on the ids of a case, its types and its forms, so that no case changes the choice for another.
docs/decisions/2026-11-22-thinned-by-what-mutants-notice.md has the measurements.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from enum import Enum
from itertools import groupby

from onnx_conformance.core.corpus.vectors import Kind

from ..specs.model import Case, OperatorVersion, Spec
from ..specs.words import Spread

# One in this many is kept.
_SHARE = 4
# One in so many invalid cases is tried at the last opset of its version, too.
_LATE_SHARE = 32
# The number of this rule, chosen in November 2026 as the one of sixty that lost no fault that
# was found by then. What it was chosen on is in the lock since, and does not depend on it; for new
# cases it is as good as any, and another would propose other vectors of all the old ones.
_SEED = "8"


class Place(Enum):
    """A version's place among those at which a case holds."""

    NEWEST = "the newest of all"
    LAST = "the newest of its class"
    FIRST = "the oldest of its class"
    BETWEEN = "between them"


def places(spec: Spec, versions: Sequence[OperatorVersion]) -> Mapping[int, Place]:
    """The place of each version, by since_version."""
    found: dict[int, Place] = {}
    for _, group in groupby(versions, key=lambda version: _meaning(spec, version)):
        members = [version.since_version for version in group]
        found.update(dict.fromkeys(members, Place.BETWEEN))
        found[members[0]] = Place.FIRST
        found[members[-1]] = Place.LAST
    if versions:
        found[versions[-1].since_version] = Place.NEWEST
    return found


def _meaning(spec: Spec, version: OperatorVersion) -> tuple[object, ...]:
    """What versions of one class have in common: inputs, outputs, attributes and requirements."""
    holding = spec.holding[version.since_version]
    return (version.inputs, version.outputs, tuple(version.attributes.values()), holding)


def stands(case: Case, place: Place) -> bool:
    """Whether a case is at a version of this place at all."""
    if case.spread == Spread.VERSIONS:
        return True
    if case.spread == Spread.NEWEST:
        return place is Place.NEWEST or (place is Place.LAST and _is_chosen(case.id))
    if place in (Place.NEWEST, Place.LAST) or case.spread == Spread.ENDS:
        return True
    if case.spread == Spread.CLASSES:
        return place is Place.FIRST and _is_chosen(case.id)
    if place is Place.FIRST or (_sweeps_types(case) and case.kind == Kind.VALID):
        return True
    return case.documented is not None or _is_chosen(case.id)


def types_at(case: Case, place: Place, types: Sequence[str]) -> Sequence[str]:
    """The types of a swept case that are kept at a version; always with the first."""
    if place is Place.NEWEST or case.kind == Kind.VALID or case.spread != Spread.ENDS:
        return types
    return [item for item in types if item == types[0] or _is_chosen(case.id, item)]


def forms_at(case: Case, place: Place, forms: Sequence[str]) -> Sequence[str]:
    """The forms of a case that are kept at a version; always with the first."""
    if place is Place.NEWEST or (place is Place.LAST and case.spread != Spread.ENDS):
        return forms
    if place is Place.BETWEEN:
        return forms[:1]
    return [item for item in forms if item == forms[0] or _is_chosen(case.id, item)]


def later_opset(slug: str, case: Case, place: Place, version: OperatorVersion) -> int | None:
    """A later opset of a version at which a case is tried too: the last one, or one before it.

    Examples of the document and invalid cases are tried at the last one, others at one chosen by
    hash, so that a newer opset moves few of them.
    """
    first, last = version.since_version + 1, version.last_opset
    if first > last or case.kind == Kind.LATITUDE:
        return None
    if case.kind == Kind.INVALID:
        late = place is Place.NEWEST and _number("late", slug, case.id) % _LATE_SHARE == 0
        return last if late else None
    if case.spread != Spread.EVERYWHERE:
        return None
    if case.documented is not None:
        return last
    if place is not Place.NEWEST and not _is_chosen(case.id):
        return None
    later = range(first, last + 1)
    return max(later, key=lambda opset: _digest("opset", slug, case.id, str(opset)))


def is_in_each_type(case: Case, place: Place) -> bool:
    """Whether a case is tried in every element type that suits it."""
    if "types" in case.sweep:
        return True
    return case.types is not None and place is Place.NEWEST and case.kind == Kind.VALID


def is_paired(case: Case, place: Place) -> bool:
    """Whether each further type of a sweep is tried in one more form."""
    return place is Place.NEWEST and "pairs" in case.sweep


def is_varied(case: Case, place: Place) -> bool:
    """Whether a case is tried in one more element type or form."""
    return place is Place.NEWEST and case.kind == Kind.VALID and case.spread == Spread.CLASSES


def varies_its_type(case: Case) -> bool:
    """Whether the additional variant has another element type, and not another form."""
    return _number("vary", case.id) % 2 == 1


def _sweeps_types(case: Case) -> bool:
    return any(item.partition(":")[0] == "types" for item in case.sweep)


def _is_chosen(*parts: str) -> bool:
    return _number("few", *parts) % _SHARE == 0


def _number(*parts: str) -> int:
    return _digest(*parts)[0]


def _digest(*parts: str) -> bytes:
    return hashlib.sha256(":".join((_SEED, *parts)).encode()).digest()
