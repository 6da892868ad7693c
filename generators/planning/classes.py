"""Classes of operator versions: neighbours that differ only in their type lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..specs.model import OperatorVersion, Spec


def class_of(spec: Spec, version: OperatorVersion) -> tuple[object, ...]:
    """The meaning of a version: its inputs, outputs, attributes, and its requirements."""
    holding = spec.holding[version.since_version]
    return (version.inputs, version.outputs, tuple(version.attributes.values()), holding)
