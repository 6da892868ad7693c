"""What a case refers to: versions, roles, requirements, sets of types, forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...signatures.model import Attribute, Parameter
from ..model import OperatorVersion
from ..words import Role

if TYPE_CHECKING:
    from onnx_conformance.core.yaml.nodes import Node


@dataclass(frozen=True)
class CaseContext:
    """The objects that a case refers to.

    Attributes:
        versions: the operator's versions.
        roles: the roles of its inputs.
        requirements: ids that a case may cover.
        sets: named sets of element types.
        forms: names of the forms that a case may use.
        type_attributes: names of the attributes that set an output's type.
    """

    versions: Mapping[int, OperatorVersion]
    roles: Mapping[str, Role]
    requirements: tuple[str, ...]
    sets: Mapping[str, tuple[str, ...]]
    forms: tuple[str, ...] = ()
    type_attributes: tuple[str, ...] = ()

    @property
    def inputs(self) -> Mapping[str, Parameter]:
        """Every input of any version, as in the newest version that has it."""
        return {item.name: item for version in self.versions.values() for item in version.inputs}

    @property
    def outputs(self) -> Mapping[str, Parameter]:
        """The outputs of the newest version."""
        return {item.name: item for item in self.versions[max(self.versions)].outputs}

    @property
    def every_output(self) -> Mapping[str, Parameter]:
        """Every output of any version, as in the newest version that has it."""
        return {item.name: item for version in self.versions.values() for item in version.outputs}

    @property
    def attributes(self) -> Mapping[str, Attribute]:
        """Every attribute of any version, as in the newest version that has it."""
        return {
            name: item
            for version in self.versions.values()
            for name, item in version.attributes.items()
        }

    def attribute_types(self, name: str) -> tuple[str, ...]:
        """The types that an attribute has, that of the newest version first."""
        newest_first = reversed(tuple(self.versions.values()))
        found = (item.attributes[name].type for item in newest_first if name in item.attributes)
        return tuple(dict.fromkeys(found))

    def since_until(self, document: Mapping[str, Node]) -> tuple[int | None, int | None]:
        """The operator versions that a case or family is limited to."""
        since = self.version_number(document["since"]) if "since" in document else None
        until = self.version_number(document["until"]) if "until" in document else None
        if since is not None and until is not None and since > until:
            raise document["until"].error(f"until {until} is before since {since}")
        return since, until

    def version_number(self, node: Node) -> int:
        """A version number that the operator has."""
        number = node.integer(1)
        if number not in self.versions:
            known = ", ".join(str(item) for item in self.versions)
            raise node.error(f"there is no version {number}; known are: {known}")
        return number
