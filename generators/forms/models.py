"""Models, built piece by piece and serialized the same way everywhere.

A `ModelBuilder` collects what the graph takes in, what it computes and what it gives, together with
the values of each data set, so that a form cannot declare an input and forget to feed it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import onnx
from onnx import helper

from onnx_conformance.core.corpus.vectors import DataSet
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import NamedValue, Tensor, to_proto

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..situations.situations import Situation
    from ..specs.model import GivenAttribute

PRODUCER = "onnx-conformance"

STATIC = "static"
SYMBOLIC = "symbolic"
ANONYMOUS = "anonymous"

_ATTRIBUTE_TYPES = {
    "int": onnx.AttributeProto.INT,
    "ints": onnx.AttributeProto.INTS,
    "float": onnx.AttributeProto.FLOAT,
    "floats": onnx.AttributeProto.FLOATS,
    "string": onnx.AttributeProto.STRING,
    "strings": onnx.AttributeProto.STRINGS,
}


@dataclass(frozen=True)
class Presentation:
    """A model with the values to feed it and to expect of it."""

    model: onnx.ModelProto
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    data_sets: tuple[DataSet, ...]


class ModelBuilder:
    """Collects a graph and its data sets for one situation."""

    def __init__(self, situation: Situation) -> None:
        """Begin an empty graph with the situation's opset and IR version."""
        self.situation = situation
        self._fed: list[tuple[onnx.ValueInfoProto, tuple[Tensor, ...]]] = []
        self._defaults: list[onnx.ValueInfoProto] = []
        self._initializers: list[onnx.TensorProto] = []
        self._nodes: list[onnx.NodeProto] = []
        self._results: list[tuple[onnx.ValueInfoProto, tuple[Tensor, ...]]] = []
        self._functions: list[onnx.FunctionProto] = []

    def own(self, name: str) -> str:
        """A name for a value of the form's own: not that of an input or output of the operator."""
        version = self.situation.version
        taken = {item.name for item in (*version.inputs, *version.outputs)}
        while name in taken:
            name = f"form_{name}"
        return name

    def feed(self, name: str, tensors: Sequence[Tensor], dims: str = STATIC) -> str:
        """Add a graph input that is fed `tensors`, one for each data set.

        `dims` is how its dimensions are declared; those that differ between data sets are
        never static.
        """
        shapes = [tensor.shape for tensor in tensors]
        if len({len(shape) for shape in shapes}) != 1:
            raise ValueError(f"data sets feed '{name}' with different ranks")
        declared = [
            _dimension(name, axis, sizes, dims)
            for axis, sizes in enumerate(zip(*shapes))  # noqa: B905  same rank, just checked
        ]
        info = value_info(name, tensors[0].type, declared)
        self._fed.append((info, tuple(tensors)))
        return name

    def initializer(
        self,
        name: str,
        tensor: Tensor,
        *,
        fed: Sequence[Tensor] | None = None,
        dims: str = STATIC,
    ) -> str:
        """Add an initializer; with `fed`, one that is a graph input and overridden by these values.

        `dims` is how the dimensions of such a graph input are declared.

        Before IR version 4 every initializer must be a graph input too (IR.md, Graphs).
        """
        self._initializers.append(to_proto(tensor, name))
        if fed is not None:
            self.feed(name, fed, dims)
        elif self.situation.ir_version < 4:
            self._defaults.append(value_info(name, tensor.type, list(tensor.shape)))
        return name

    def overridable(self, name: str, tensor: Tensor) -> str:
        """Add an initializer that is a graph input too, and is not fed."""
        self._initializers.append(to_proto(tensor, name))
        self._defaults.append(value_info(name, tensor.type, list(tensor.shape)))
        return name

    def constant(self, name: str, tensor: Tensor) -> str:
        """Add a Constant node."""
        return self.node("Constant", (), (name,), value=to_proto(tensor))

    def node(
        self,
        operator: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        **attributes: Any,  # noqa: ANN401  whatever an attribute may hold
    ) -> str:
        """Add a node of the default domain and return the name of its first output."""
        self.add(helper.make_node(operator, list(inputs), list(outputs), **attributes))
        return outputs[0]

    def add(self, node: onnx.NodeProto) -> None:
        """Add a node."""
        self._nodes.append(node)

    def function(self, function: onnx.FunctionProto) -> None:
        """Add a model-local function."""
        self._functions.append(function)

    def result(
        self,
        name: str,
        tensors: Sequence[Tensor],
        *,
        type_name: str,
        rank: int,
        dims: str = ANONYMOUS,
    ) -> str:
        """Add a graph output that must be `tensors`, one for each data set, or none."""
        shape: list[int | str | None] = [None] * rank
        if dims == STATIC:
            shape = list(tensors[0].shape)
        elif dims == SYMBOLIC:
            shape = [f"{name}_{axis}" for axis in range(rank)]
        fault = self.situation.fault
        type_name = fault.declare_types.get(name, type_name)
        if name in fault.declare_shapes:
            shape = list(fault.declare_shapes[name])
        self._results.append((value_info(name, type_name, shape), tuple(tensors)))
        return name

    def results(self, dims: str = ANONYMOUS) -> None:
        """Add the operator's outputs as graph outputs under their own names."""
        for output in self.situation.outputs:
            self.result(
                output.name,
                self.situation.tensors(output.name),
                type_name=output.type,
                rank=output.rank,
                dims=dims,
            )

    def finish(self) -> Presentation:
        """The model with its data sets."""
        graph = helper.make_graph(
            self._nodes,
            self.situation.name,
            [info for info, _ in self._fed] + self._defaults,
            [info for info, _ in self._results],
            self._initializers,
        )
        opsets = [helper.make_opsetid(self.situation.domain, self.situation.opset)]
        opsets += [helper.make_opsetid(function.domain, 1) for function in self._functions]
        model = helper.make_model(
            graph,
            functions=self._functions,
            opset_imports=opsets,
            ir_version=self.situation.ir_version,
            producer_name=PRODUCER,
        )
        return Presentation(
            model,
            tuple(info.name for info, _ in self._fed),
            tuple(info.name for info, _ in self._results),
            tuple(
                DataSet(
                    tuple(NamedValue(info.name, values[index]) for info, values in self._fed),
                    tuple(
                        NamedValue(info.name, values[index])
                        for info, values in self._results
                        if values
                    ),
                )
                for index in range(len(self.situation.data_sets))
            ),
        )


def _dimension(name: str, axis: int, sizes: tuple[int, ...], dims: str) -> int | str | None:
    if dims == STATIC and len(set(sizes)) == 1:
        return sizes[0]
    return None if dims == ANONYMOUS else f"{name}_{axis}"


def value_info(
    name: str, type_name: str, shape: Sequence[int | str | None] | None
) -> onnx.ValueInfoProto:
    """A tensor's value_info: a dimension is a number, a name, or None for an anonymous one."""
    return helper.make_tensor_value_info(name, element_type(type_name).code, shape)


def operator_node(
    situation: Situation, inputs: Sequence[str], outputs: Sequence[str]
) -> onnx.NodeProto:
    """The node under test: the operator with its attributes, and the fault of an invalid case."""
    fault = situation.fault
    node = onnx.NodeProto()
    node.op_type = situation.operator
    node.domain = situation.domain
    given = _with_absent(situation, inputs) if fault.arguments is None else fault.arguments
    node.input.extend(given)
    node.output.extend(outputs if fault.results is None else fault.results)
    node.attribute.extend(attribute_proto(item) for item in situation.attributes + fault.repeat)
    return node


def _with_absent(situation: Situation, inputs: Sequence[str]) -> list[str]:
    """The node's inputs in the order of the signature, with an empty name for an absent one."""
    names = dict(zip(situation.input_names, inputs, strict=True))
    given = [names.get(item.name, "") for item in situation.version.inputs]
    while given and not given[-1]:
        given.pop()
    return given


def attribute_proto(attribute: GivenAttribute) -> onnx.AttributeProto:
    """An attribute with exactly the type that is asked for."""
    if attribute.type is None:
        raise ValueError(f"the type of attribute '{attribute.name}' is not resolved")
    return helper.make_attribute(
        attribute.name, attribute.value, attr_type=_ATTRIBUTE_TYPES[attribute.type]
    )


def serialize(model: onnx.ModelProto) -> bytes:
    """The bytes of a model: deterministic for a given version of protobuf's wire format."""
    return bytes(model.SerializeToString(deterministic=True))
