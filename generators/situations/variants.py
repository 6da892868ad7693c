"""A case at one operator version, opset and binding of types; and at which versions it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from onnx_conformance.core.corpus.vectors import Kind

from ..specs.model import Case, OperatorVersion, Spec
from .bindings import bound_types, plain_types
from .graphs import has_graphs
from .type_texts import in_ids


@dataclass(frozen=True)
class Variant:
    """The data that a situation is made from; all its forms present the same situation.

    Attributes:
        spec, case, version: the case, and the operator version at which it is presented.
        operator_opset: opset of the operator's domain that the model imports.
        model_opset: opset of the default domain that the model imports; the same if that is the
            operator's domain.
        types: type of each type variable.
    """

    spec: Spec
    case: Case
    version: OperatorVersion
    operator_opset: int
    model_opset: int
    types: Mapping[str, str]

    @property
    def type(self) -> str:
        """Type of the main type variable; of the first input or output if there is none."""
        variable = self.version.main_variable
        if variable is not None:
            return self.types[variable]
        return (*self.version.inputs, *self.version.outputs)[0].type

    @cached_property
    def base_id(self) -> str:
        """The id without the form: the seed of element values.

        It contains the main type, and other type variables' types if they are not the usual ones.
        """
        plain = plain_types(self.spec, self.version, self.case, self.type)
        others = [
            in_ids(text)
            for name, text in self.types.items()
            if name != self.version.main_variable and text != plain.get(name, text)
        ]
        variant = "-".join([in_ids(self.type), *others])
        if self.operator_opset != self.version.since_version:
            variant += f".opset{self.operator_opset}"
        return f"{self.spec.slug}-{self.version.since_version}/{self.case.id}/{variant}"

    def seed(self, data_set: int) -> str:
        """The seed of the elements of a data set."""
        return f"{self.base_id}#{data_set}" if data_set else self.base_id

    @property
    def where(self) -> str:
        """File, line and id: messages about it begin with these."""
        return f"{self.spec.path}:{self.case.line}: {self.base_id}"


def versions_of(spec: Spec, case: Case) -> tuple[OperatorVersion, ...]:
    """The operator versions at which a case holds."""
    return tuple(item for item in spec.versions.values() if holds_at(spec, case, item))


def holds_at(spec: Spec, case: Case, version: OperatorVersion) -> bool:
    """Whether a case holds at an operator version.

    All its requirements hold there; and, unless the case is about exactly that, its attributes
    exist, its inputs are inputs or attributes, and the types that it binds are listed.
    """
    number = version.since_version
    return (
        (case.since is None or case.since <= number)
        and (case.until is None or number <= case.until)
        and all(
            spec.requirements[item].holds_at(number)
            for item in case.covers
            if item in spec.requirements
        )
        and (case.kind == Kind.INVALID or _expressible(spec, case, version))
    )


def nowhere(spec: Spec, case: Case) -> str:
    """Why a case holds at no version, if one reason explains it; else where to look."""
    given = {name for example in case.examples for name in example.inputs}
    for parameter in spec.versions[max(spec.versions)].inputs:
        if parameter.optional or parameter.variadic or parameter.name in given:
            continue
        return f"input '{parameter.name}' is missing"
    return "look at the versions of what it covers, its attributes, its types and its forms"


def _expressible(spec: Spec, case: Case, version: OperatorVersion) -> bool:
    given = {name for example in case.examples for name in example.inputs}
    moved = {name for name in given if version.parameter_of(name) is None}
    if has_graphs(version):
        moved = set()  # they are values around the node
    if any(
        example.inputs[name] != case.examples[0].inputs[name]
        for example in case.examples
        for name in moved
    ):
        return False  # an attribute has one value for all data sets
    if not moved | {item.name for item in case.attributes} <= set(version.attributes):
        return False
    if not all(item.optional or item.variadic or item.name in given for item in version.inputs):
        return False  # a required input of this version is not given
    types = bound_types(spec, version, case)
    bound = set(case.bind) | {spec.type_attributes.get(item.name, "") for item in case.attributes}
    return all(types[name] in version.types[name] for name in bound if name in version.types)
