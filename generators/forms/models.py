"""Models, built piece by piece and serialized the same way everywhere.

A `ModelBuilder` collects the graph's inputs, nodes and outputs together with the values of each
data set, so that a form cannot declare an input and forget to feed it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import onnx
from onnx import helper

from onnx_conformance.core.corpus.vectors import DataSet
from onnx_conformance.core.values.protos import to_proto
from onnx_conformance.core.values.tensors import NamedValue, Tensor, Value

from ..signatures.model import Parameter
from ..situations.data.literals import tensor_of
from ..situations.graphs import parsed
from ..situations.situations import Situation
from ..situations.type_texts import type_proto
from ..specs.model import GivenAttribute, GraphAttribute, Literal, TypeAttribute
from .sparse import sparse_proto

PRODUCER = "onnx-conformance"

STATIC = "static"
SYMBOLIC = "symbolic"
ANONYMOUS = "anonymous"


@dataclass(frozen=True)
class Presentation:
    """A model with the values to feed and the values to expect."""

    #: The model.
    model: onnx.ModelProto
    #: Names of the graph inputs that are fed, in the order of the .pb files.
    inputs: tuple[str, ...]
    #: Names of the graph outputs, in the order of the .pb files.
    outputs: tuple[str, ...]
    #: The values, by the names above; one model serves all data sets.
    data_sets: tuple[DataSet, ...]


class ModelBuilder:
    """Collects a graph and its data sets for one situation."""

    def __init__(self, situation: Situation) -> None:
        """Start an empty graph with the situation's opsets and IR version."""
        self.situation = situation
        self._fed: list[tuple[onnx.ValueInfoProto, tuple[Value, ...]]] = []
        self._defaults: list[onnx.ValueInfoProto] = []
        self._initializers: list[onnx.TensorProto] = []
        self._nodes: list[onnx.NodeProto] = []
        self._results: list[tuple[onnx.ValueInfoProto, tuple[Value, ...]]] = []
        self._functions: list[onnx.FunctionProto] = []

    def own(self, name: str) -> str:
        """A name for one of the form's own values.

        It is not the name of an input or output of the operator, nor of an existing initializer.
        """
        version = self.situation.version
        taken = {item.name for item in (*version.inputs, *version.outputs)}
        taken |= {item.name for item in self._initializers}
        while name in taken:
            name = f"form_{name}"
        return name

    def feed(self, name: str, values: Sequence[Value], dims: str = STATIC) -> str:
        """Add a graph input that is fed `values`, one for each data set.

        `dims` says how the dimensions of a tensor are declared; dimensions that differ between data
        sets are never static.
        """
        tensors = [item for item in values if isinstance(item, Tensor)]
        if not tensors:
            info = value_info(name, self.situation.type_of(name), None)
            self._fed.append((info, tuple(values)))
            return name
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

    def feed_all(self, names: Sequence[str], dims: str = STATIC) -> None:
        """Add inputs of the operator as graph inputs under their own names."""
        for name in names:
            self.feed(name, self.situation.tensors(name), dims)

    def initializer(
        self,
        name: str,
        tensor: Tensor,
        *,
        fed: Sequence[Tensor] | None = None,
        dims: str = STATIC,
    ) -> str:
        """Add an initializer; with `fed`, also a graph input that these values override.

        `dims` says how the dimensions of such a graph input are declared.

        Before IR version 4 every initializer must be a graph input too (IR.md, Graphs).
        """
        self._initializers.append(to_proto(tensor, name))
        if fed is not None:
            self.feed(name, fed, dims)
        elif self.situation.ir_version < 4:
            self._defaults.append(value_info(name, tensor.type, list(tensor.shape)))
        return name

    def overridable(self, name: str, tensor: Tensor) -> str:
        """Add an initializer that is also a graph input, and is not fed."""
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
        values: Sequence[Value],
        *,
        type_name: str,
        rank: int | None,
        dims: str = ANONYMOUS,
    ) -> str:
        """Add a graph output that must equal `values`, one for each data set, or none."""
        shape: list[int | str | None] | None = None if rank is None else [None] * rank
        first = values[0] if values else None
        if dims == STATIC and isinstance(first, Tensor):
            shape = list(first.shape)
        elif dims == SYMBOLIC and rank is not None:
            shape = [f"{name}_{axis}" for axis in range(rank)]
        fault = self.situation.fault
        type_name = fault.declare_types.get(name, type_name)
        if name in fault.declare_shapes:
            shape = list(fault.declare_shapes[name])
        self._results.append((value_info(name, type_name, shape), tuple(values)))
        return name

    def results(self, dims: str = ANONYMOUS) -> None:
        """Add the operator's outputs as graph outputs under their own names."""
        for output in self.situation.outputs:
            self.result(
                output.name,
                self.situation.values(output.name),
                type_name=output.type,
                rank=output.rank,
                dims=dims,
            )

    def operator(self, inputs: Sequence[str] | None = None, dims: str = ANONYMOUS) -> None:
        """Add the operator, and its outputs as graph outputs.

        `inputs` are names for those that the situation has, where they are not its own.
        """
        names = self.situation.input_names if inputs is None else inputs
        self.add(operator_node(self.situation, names, self.situation.output_names))
        self.results(dims)

    def presented(self, inputs: Sequence[str] | None = None, dims: str = ANONYMOUS) -> Presentation:
        """The model, with the operator behind all that was added."""
        self.operator(inputs, dims)
        return self.finish()

    def finish(self) -> Presentation:
        """The model with its data sets."""
        graph = helper.make_graph(
            self._nodes,
            self.situation.name,
            [info for info, _ in self._fed] + self._defaults,
            [info for info, _ in self._results],
            self._initializers,
        )
        situation = self.situation
        opsets = [helper.make_opsetid("", situation.model_opset)]
        if situation.domain:
            opsets.insert(0, helper.make_opsetid(situation.domain, situation.operator_opset))
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
    """A value_info: a tensor's dimension is a number, a name, or None for an anonymous one.

    It may be in use elsewhere, so it is for reading, and for copying into a graph.
    """
    return _value_info(name, type_name, None if shape is None else tuple(shape))


@lru_cache(maxsize=1024)
def _value_info(
    name: str, type_name: str, shape: tuple[int | str | None, ...] | None
) -> onnx.ValueInfoProto:
    return helper.make_value_info(name, type_proto(type_name, shape))


def operator_node(
    situation: Situation, inputs: Sequence[str], outputs: Sequence[str]
) -> onnx.NodeProto:
    """The node under test: the operator with its attributes, and the fault of an invalid case.

    `inputs` and `outputs` are names for those that the situation has, in its order; an absent
    optional one before another that is present gets an empty name.
    """
    fault = situation.fault
    node = onnx.NodeProto()
    node.op_type = situation.operator
    node.domain = situation.domain
    version = situation.version
    node.input.extend(
        _in_places(version.inputs, situation.input_names, inputs)
        if fault.arguments is None
        else fault.arguments
    )
    node.output.extend(
        _in_places(version.outputs, situation.output_names, outputs)
        if fault.results is None
        else fault.results
    )
    node.attribute.extend(attribute_proto(item) for item in situation.attributes + fault.repeat)
    return node


def _in_places(
    parameters: Sequence[Parameter], own: Sequence[str], names: Sequence[str]
) -> list[str]:
    """`names`, which stand for the values `own`, in the order of the signature.

    An absent value before another has an empty name.
    """
    called = dict(zip(own, names, strict=True))
    placed: list[str] = []
    for parameter in parameters:
        found = [called[name] for name in own if parameter.has_instance(name)]
        placed += found or ([] if parameter.variadic else [""])
    while placed and not placed[-1]:
        placed.pop()
    return placed


def attribute_proto(attribute: GivenAttribute) -> onnx.AttributeProto:
    """An attribute with exactly the type that is asked for."""
    if attribute.type is None:
        raise ValueError(f"the type of attribute '{attribute.name}' is not resolved")
    return helper.make_attribute(
        attribute.name, _attribute_value(attribute), attr_type=attribute_type(attribute.type)
    )


def attribute_type(name: str) -> Any:  # noqa: ANN401  an enum of protobuf, which has no annotations
    """AttributeProto's type for the name that specs use: `int`, `tensor`, `graph` ..."""
    return onnx.AttributeProto.AttributeType.Value(name.upper())


def _attribute_value(attribute: GivenAttribute) -> Any:  # noqa: ANN401  whatever the type asks for
    value = attribute.value
    if isinstance(value, Literal):
        tensor = tensor_of(value, value.type or "float32", attribute.name)
        if attribute.type == "sparse_tensor":
            return sparse_proto(tensor, attribute.name)
        return to_proto(tensor)
    if isinstance(value, TypeAttribute):
        return type_proto(value.text)
    if isinstance(value, GraphAttribute):
        return parsed(value.text)
    return value


def serialize(model: onnx.ModelProto) -> bytes:
    """The bytes of a model: deterministic for a given version of protobuf's wire format."""
    return bytes(model.SerializeToString(deterministic=True))
