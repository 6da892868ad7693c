"""Words of a spec that come from a fixed vocabulary."""

from __future__ import annotations

from onnx_conformance.core.words import Word


class Spread(Word):
    """At which operator versions the standard corpus has a case."""

    #: At every version at which it holds; a valid case also at the last opset of each.
    ALL = "all"
    #: At the oldest and the newest.
    ENDS = "ends"
    #: At the oldest and the newest of each class of versions that differ in type lists only.
    CLASSES = "classes"
    #: At the newest; one in four also at the newest of each older class.
    THIN = "thin"
    #: At none: the full corpus alone has it, at the newest version.
    FULL = "full"


class Role(Word):
    """What an operator does with the elements of an input.

    Roles decide how a spec's plain lists are read (dimensions for data, elements for the rest),
    which data is made, and which forms can present an input as exporters do.
    """

    DATA = "data"
    WEIGHT = "weight"
    SHAPE = "shape"
    AXES = "axes"
    INDEX = "index"
    SIZE = "size"
    REPEATS = "repeats"
    PADS = "pads"
    COUNT = "count"
    SCALAR = "scalar"
    CONDITION = "condition"
    SEQUENCE = "sequence"

    @property
    def is_data(self) -> bool:
        """Whether the elements are what the operator computes with, not what tells it how."""
        return self in {Role.DATA, Role.WEIGHT}


ROLES = tuple(role.value for role in Role)
