"""A case made concrete: one operator version, opset and element type, with real values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from onnx_conformance.core.corpus.vectors import DataSet
from onnx_conformance.core.values.tensors import NamedValue, Tensor, Value

from ..specs.model import Fault, GivenAttribute, OperatorVersion, PermittedResult
from ..specs.words import Role


@dataclass(frozen=True)
class OutputDeclaration:
    """A model's declaration of one of the operator's outputs.

    Attributes:
        name: of the output, as in the operator's document.
        type: in the words of the corpus; tensor types have no parenthesis.
        rank: of a tensor; None for other values.
    """

    name: str
    type: str
    rank: int | None


#: One of the results that the document leaves open, with the values of its outputs.
PermittedValues: TypeAlias = "PermittedResult[tuple[NamedValue, ...]]"


@dataclass(frozen=True)
class Situation:
    """What a form presents as a model.

    Attributes:
        name: id of the vector without its form; it names the graph.
        operator, domain: the operator, as in its document.
        version: the operator version.
        operator_opset: opset of the operator's domain that the model imports; between the version's
            since_version and last_opset.
        model_opset: opset of the default domain that the model imports; the same if that is the
            operator's domain.
        ir_version: of the model; it has all element types in use.
        types: type of each type variable.
        attributes: the node's attributes, with resolved types.
        data_sets: the operator's inputs and outputs by name; the outputs are empty if no result is
            expected.
        outputs: the model's declarations of the operator's outputs, in order.
        fault: how an invalid case's model differs from a well-formed one.
        permitted: the results that the document permits; empty if one result is required. The
            first with outputs is also in `data_sets`.
        by_element: whether each element may come from another permitted result.
        roles: the role of each input.
        package: the package that holds the operator's oracle; empty for this one's.
    """

    name: str
    operator: str
    domain: str
    version: OperatorVersion
    operator_opset: int
    model_opset: int
    ir_version: int
    types: Mapping[str, str]
    attributes: tuple[GivenAttribute, ...]
    data_sets: tuple[DataSet, ...]
    outputs: tuple[OutputDeclaration, ...]
    fault: Fault
    permitted: tuple[PermittedValues, ...] = ()
    by_element: bool = False
    roles: Mapping[str, Role] = field(default_factory=dict)
    package: str = ""

    @cached_property
    def input_names(self) -> tuple[str, ...]:
        """The operator's inputs that are given, in order."""
        return tuple(item.name for item in self.data_sets[0].inputs)

    @cached_property
    def output_names(self) -> tuple[str, ...]:
        """The operator's outputs that the model declares, in order."""
        return tuple(item.name for item in self.outputs)

    @cached_property
    def other_results(self) -> dict[str, tuple[NamedValue, ...] | None]:
        """What the oracle answered to other calls than this one, see `asking.outputs_with`."""
        return {}

    def values(self, name: str) -> tuple[Value, ...]:
        """The values of an input or output, one for each data set."""
        return self._by_name.get(name, ())

    @cached_property
    def _by_name(self) -> Mapping[str, tuple[Value, ...]]:
        found: dict[str, tuple[Value, ...]] = {}
        for data_set in self.data_sets:
            for item in (*data_set.inputs, *data_set.outputs):
                found[item.name] = (*found.get(item.name, ()), item.value)
        return found

    def tensors(self, name: str) -> tuple[Tensor, ...]:
        """The values of an input or output that is a tensor, one for each data set."""
        return tuple(item for item in self.values(name) if isinstance(item, Tensor))

    def type_of(self, name: str) -> str:
        """The type of an input: that of its parameter, or the element type of its value."""
        values = self.values(name)
        if values and isinstance(values[0], Tensor):
            return values[0].type
        parameter = self.version.parameter_of(name)
        if parameter is None:
            raise KeyError(name)
        return self.types.get(parameter.type, parameter.type)


def tensor_named(values: tuple[NamedValue, ...], name: str) -> Tensor:
    """The tensor among named values; KeyError if there is none."""
    for item in values:
        if item.name == name and isinstance(item.value, Tensor):
            return item.value
    raise KeyError(name)
