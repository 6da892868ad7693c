"""A case made concrete: one operator version, opset and element type, with real tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.values.tensors import Tensor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.core.corpus.vectors import DataSet
    from onnx_conformance.core.values.tensors import NamedValue

    from ..specs.model import Fault, GivenAttribute, OperatorVersion


@dataclass(frozen=True)
class OutputDeclaration:
    """What a model says of one of the operator's outputs: element type and rank."""

    name: str
    type: str
    rank: int


@dataclass(frozen=True)
class Situation:
    """What a form presents as a model.

    Attributes:
        name: id of the vector without its form; it names the graph.
        version: the operator version; `opset` lies between its since_version and last_opset.
        types: element type of each type variable.
        attributes: those the node is given, types resolved.
        data_sets: the operator's inputs and outputs by parameter name; the outputs are empty
            where no result is expected.
        outputs: what the model declares of the operator's outputs.
        fault: how an invalid case's model departs from a well-formed one.
    """

    name: str
    operator: str
    domain: str
    version: OperatorVersion
    opset: int
    ir_version: int
    types: Mapping[str, str]
    attributes: tuple[GivenAttribute, ...]
    data_sets: tuple[DataSet, ...]
    outputs: tuple[OutputDeclaration, ...]
    fault: Fault

    @property
    def input_names(self) -> tuple[str, ...]:
        """The operator's inputs that are given, in order."""
        return tuple(item.name for item in self.data_sets[0].inputs)

    def tensors(self, name: str) -> tuple[Tensor, ...]:
        """The values of an input or output, one for each data set."""
        return tuple(
            tensor_named(values, name)
            for data_set in self.data_sets
            for values in (data_set.inputs, data_set.outputs)
            if any(item.name == name for item in values)
        )


def tensor_named(values: tuple[NamedValue, ...], name: str) -> Tensor:
    """The tensor among named values; KeyError where there is none."""
    for item in values:
        if item.name == name and isinstance(item.value, Tensor):
            return item.value
    raise KeyError(name)
