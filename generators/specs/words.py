"""Words of a spec that come from a fixed vocabulary."""

from __future__ import annotations

from onnx_conformance.core.words import Word


class Spread(Word):
    """At which operator versions the rules propose a case for the standard corpus."""

    #: At every version where it differs; a valid case also at a later opset of the newest.
    EVERYWHERE = "everywhere"
    #: At the newest of each class of versions that differ only in type lists; some at the oldest.
    CLASSES = "classes"
    #: At each version, once.
    VERSIONS = "versions"
    #: At the oldest and the newest of these versions.
    ENDS = "ends"
    #: At the newest; one in four also at the newest of each older class.
    NEWEST = "newest"
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
        """Whether the operator computes with the elements; otherwise they control the operation."""
        return self in {Role.DATA, Role.WEIGHT}


ROLES = tuple(role.value for role in Role)
