"""Classes of operator versions: neighbours that differ in nothing but their type lists."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..specs.model import OperatorVersion, Spec


def class_ends(spec: Spec, versions: Sequence[OperatorVersion]) -> tuple[OperatorVersion, ...]:
    """The oldest and the newest version of each class among these, in order.

    What a version between them would show beyond its element types, its neighbours show.
    """
    ends: list[OperatorVersion] = []
    for _, group in groupby(versions, key=lambda version: _class_of(spec, version)):
        members = list(group)
        ends += members[:1] if len(members) == 1 else [members[0], members[-1]]
    return tuple(ends)


def _class_of(spec: Spec, version: OperatorVersion) -> tuple[object, ...]:
    """What a version means: its inputs, outputs, attributes, and the requirements that hold."""
    number = version.since_version
    holding = frozenset(item.id for item in spec.requirements.values() if item.holds_at(number))
    return (version.inputs, version.outputs, tuple(version.attributes.values()), holding)
