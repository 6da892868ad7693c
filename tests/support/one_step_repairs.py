"""Repairs of an invalid model in one step each.

A model with one fault has a repair among them after which tools accept it. A model with two has
none, as each step mends one thing. A step is offered wherever it can be taken; it may mend nothing.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt


@dataclass(frozen=True)
class Invalid:
    """A model with what it is fed."""

    operator: str
    model: onnx.ModelProto
    inputs: Mapping[str, npt.NDArray[np.generic]]

    @property
    def node(self) -> onnx.NodeProto:
        """The node of the operator."""
        return next(node for node in self.model.graph.node if node.op_type == self.operator)

    @property
    def arguments(self) -> list[str]:
        """Names of the graph's inputs and initializers, in the order of the operator's inputs."""
        graph = self.model.graph
        names = [item.name for item in graph.input] + [item.name for item in graph.initializer]
        return list(dict.fromkeys(names))

    def changed(self) -> Invalid:
        """A copy whose model may be changed."""
        return replace(self, model=copy.deepcopy(self.model), inputs=dict(self.inputs))


def repairs(invalid: Invalid) -> Iterator[tuple[str, Invalid]]:
    """Each step, with its name."""
    yield from _attributes(invalid)
    yield from _arity(invalid)
    yield from _types(invalid)
    yield from _shapes(invalid)
    yield from _data(invalid)


def _attributes(invalid: Invalid) -> Iterator[tuple[str, Invalid]]:
    for index, attribute in enumerate(invalid.node.attribute):
        if invalid.operator != "Reshape" or attribute.name != "shape" or len(invalid.inputs) > 1:
            repaired = invalid.changed()
            del repaired.node.attribute[index]
            yield f"without attribute {index}", repaired


def _arity(invalid: Invalid) -> Iterator[tuple[str, Invalid]]:
    repaired = invalid.changed()
    del repaired.node.output[1:]
    yield "one output", repaired
    wanted = onnx.defs.get_schema(invalid.operator, invalid.model.opset_import[0].version).max_input
    repaired = invalid.changed()
    repaired.node.input[:] = invalid.arguments[:wanted]
    # Without the wrapping of a tensor in a sequence or an optional, where there is one.
    for node in list(repaired.model.graph.node):
        if node.op_type in ("SequenceConstruct", "Optional"):
            repaired.model.graph.node.remove(node)
    yield "the inputs of the operator", repaired


def _types(invalid: Invalid) -> Iterator[tuple[str, Invalid]]:
    repaired = invalid.changed()
    graph = repaired.model.graph
    output = TensorProto.FLOAT if invalid.operator == "Reshape" else TensorProto.INT64
    graph.output[0].type.tensor_type.elem_type = output
    yield "the output declared as it is", repaired

    repaired = repaired.changed()
    data = repaired.model.graph.input[0]
    data.type.tensor_type.elem_type = TensorProto.FLOAT
    shape = tuple(dim.dim_value for dim in data.type.tensor_type.shape.dim)
    if graph.output[0].type == invalid.model.graph.output[0].type or invalid.operator == "Reshape":
        fed = {**repaired.inputs, data.name: np.zeros(shape, np.float32)}
        yield "float32 data", replace(repaired, inputs=fed)


def _shapes(invalid: Invalid) -> Iterator[tuple[str, Invalid]]:
    """Another type, another rank or other values for what Reshape is asked for."""
    name = next((item for item in invalid.arguments if item.startswith("shape")), None)
    elements = _value(invalid, invalid.arguments[0]).size
    for attribute in invalid.node.attribute:
        if attribute.name == "shape" and invalid.operator == "Reshape":
            for values in _fitting(elements, len(attribute.ints)):
                repaired = invalid.changed()
                repaired.node.attribute[0].ints[:] = values
                yield f"the shape {values}", repaired
    if name is None:
        return
    given = _value(invalid, name)
    yield "an int64 shape", _with_value(invalid, name, given.astype(np.int64))
    yield "a shape of rank 1", _with_value(invalid, name, given.reshape(-1))
    for values in _fitting(elements, given.size):
        array = np.array(values, given.dtype).reshape(given.shape)
        yield f"the shape {values}", _with_value(invalid, name, array)


def _fitting(elements: int, rank: int) -> list[list[int]]:
    """Shapes of a rank with so many elements, the first or the last dimension not 1."""
    ones = [1] * (rank - 1)
    return [[elements, *ones], [*ones, elements]] if rank else []


def _data(invalid: Invalid) -> Iterator[tuple[str, Invalid]]:
    """Data that has the requested number of elements, where the shape is computed or empty."""
    if invalid.operator != "Reshape":
        return
    name = invalid.arguments[0]
    old = _value(invalid, name)
    try:
        target = [int(item) for item in np.asarray(_requested(invalid))]
    except Exception:  # the fault is such that no shape can be computed
        return
    if len(target) > old.ndim or any(item < 0 or item > 100 for item in target):
        return
    dims = [old.shape[index] if item == 0 else item for index, item in enumerate(target)]
    dims += [1] * (old.ndim - len(dims))
    yield f"data of shape {dims}", _with_value(invalid, name, np.zeros(dims, old.dtype))


def _requested(invalid: Invalid) -> npt.NDArray[np.generic]:
    """What the node is asked for: its attribute, or its second input, computed."""
    for attribute in invalid.node.attribute:
        if attribute.name == "shape":
            return np.array(attribute.ints, np.int64)
    name = invalid.node.input[1]
    if name in invalid.arguments:
        return _value(invalid, name)
    model = copy.deepcopy(invalid.model)
    model.graph.node.remove(next(n for n in model.graph.node if n.op_type == "Reshape"))
    del model.graph.output[:]
    model.graph.output.append(onnx.ValueInfoProto(name=name))
    results = ReferenceEvaluator(model).run([name], dict(invalid.inputs))
    return np.asarray(next(iter(results)))


def _value(invalid: Invalid, name: str) -> npt.NDArray[np.generic]:
    if name in invalid.inputs:
        return invalid.inputs[name]
    return next(
        numpy_helper.to_array(item) for item in invalid.model.graph.initializer if item.name == name
    )


def _with_value(invalid: Invalid, name: str, value: npt.NDArray[np.generic]) -> Invalid:
    repaired = invalid.changed()
    for item in repaired.model.graph.initializer:
        if item.name == name:
            item.CopyFrom(numpy_helper.from_array(value, name))
    kind = onnx.helper.np_dtype_to_tensor_dtype(value.dtype)
    for given in repaired.model.graph.input:
        if given.name == name:
            given.CopyFrom(onnx.helper.make_tensor_value_info(name, kind, value.shape))
    if name in repaired.inputs:
        return replace(repaired, inputs={**repaired.inputs, name: value})
    return repaired
