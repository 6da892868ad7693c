"""How many requirements meet each class of element types in the vectors of the newest version.

A pair that can stand and does not is what the rule `classes` proposes, on which `check` fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...planning.classes import asked_of, met, standing_of, types_by_class
from ...planning.plans import Plan
from ...specs.model import Spec


class ClassPairs(NamedTuple):
    """Pairs of a requirement and a class of element types.

    Attributes:
        every: how many there are, of requirements that are asked in each class.
        stand: how many of them some vector has.
    """

    every: int
    stand: int


#: Of what is no operator.
NO_PAIRS = ClassPairs(0, 0)


def class_pairs(spec: Spec, planned: Sequence[Plan]) -> ClassPairs:
    """The pairs of the newest version of an operator."""
    version = spec.versions[max(spec.versions)]
    classes, asked = types_by_class(version), asked_of(spec, version)
    standing = map(standing_of, planned)
    have = {
        (name, kind) for name, kind in met(version, standing) if name in asked and kind in classes
    }
    return ClassPairs(len(asked) * len(classes), len(have))


def class_lines(each: Iterable[ClassPairs]) -> list[str]:
    """The lines of a Markdown section."""
    found = list(each)
    every, stand = sum(item.every for item in found), sum(item.stand for item in found)
    text = (
        f"Of {every:,} pairs of a requirement of an operator's newest version and a class of"
        f" element types that its main input may have, {stand:,} stand. Of the {every - stand:,}"
        " others no case can be presented in the class, or they are no question to a kernel"
        " (`generators/planning/classes.py`); `make check` fails where one that can stand does not."
    )
    return ["", text]
