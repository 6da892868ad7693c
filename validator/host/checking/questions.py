"""The questions of `harness check`: models of one node, their inputs, and the right answers.

Also its messages to the author of a harness: a rejection and a wrong value in words.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from onnx_conformance.core.corpus.vectors import DataSet
from onnx_conformance.core.text import one_line
from onnx_conformance.core.values.comparing import compare
from onnx_conformance.core.values.describing import bit_patterns, text
from onnx_conformance.core.values.elements import STRING_BITS, element_type
from onnx_conformance.core.values.tensors import NamedValue, Tensor, Value

from ...judging.verdicts import Rejected
from ..conversation import Question
from ..protocol import quoted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


# Identity lacks types of later opsets; a Cast to the type of its input changes nothing either.
_LAST_IDENTITY = 25

# Operators with which the check tries a runtime, until one is answered. For data that are 0 or more
# the output of all but Shape is the first input; the second of some is of zeros, or of ones.
SHAPE = "Shape"
OPERATORS = (SHAPE, "Identity", "Relu", "Add", "Mul", "Abs", "Cast", "Max", "Sum", "Sub")
_SECOND = {"Add": 0, "Sub": 0, "Mul": 1}
_OPSET, _IR_VERSION = 13, 7
# Types of numbers that NumPy has.
NUMBERS = (
    *("float16", "float32", "float64", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64"),
)


# --- questions -----------------------------------------------------------------------------


def tensor_of(element: str, values: ArrayLike) -> Tensor:
    """A tensor of one of `NUMBERS`."""
    array = np.array(values, np.dtype(element).newbyteorder("<"))
    return Tensor(element, array.shape, array.tobytes())


def question_of(operator: str, *shapes: tuple[int, ...]) -> Question:
    """One of `OPERATORS` on float32 tensors: one model, one data set for each shape."""
    if operator == SHAPE:
        return shape_question(*shapes)
    return keeping_question(operator, [tensor_of("float32", np.ones(shape)) for shape in shapes])


def answer_of(operator: str, *shapes: tuple[int, ...]) -> list[Tensor]:
    """The right answers to `question_of`."""
    if operator == SHAPE:
        return [tensor_of("int64", shape) for shape in shapes]
    return [tensor_of("float32", np.ones(shape)) for shape in shapes]


def keeping_question(operator: str, tensors: Sequence[Tensor]) -> Question:
    """A model of one operator whose output is its first input: one data set for each tensor."""
    first = tensors[0]
    code = element_type(first.type).code
    kind = (code, [None] * len(first.shape))
    data_sets = []
    for tensor in tensors:
        inputs = [NamedValue("data", tensor)]
        if operator in _SECOND:
            second = np.full(tensor.shape, _SECOND[operator])
            inputs.append(NamedValue("second", tensor_of(tensor.type, second)))
        data_sets.append(DataSet(tuple(inputs), ()))
    attributes = {"to": code} if operator == "Cast" else {}
    names = ("data", "second") if operator in _SECOND else ("data",)
    model = _model(operator, "same", kind, kind, _OPSET, _IR_VERSION, attributes, names)
    return Question(f"{operator.lower()}_{first.type}", model, ("same",), tuple(data_sets))


def shape_question(*shapes: tuple[int, ...]) -> Question:
    """Shape of float32 tensors: one model, one data set for each shape."""
    rank = len(shapes[0])
    data_sets = [
        DataSet((NamedValue("data", Tensor("float32", shape, bytes(4 * math.prod(shape)))),), ())
        for shape in shapes
    ]
    model = _model("Shape", "shape", (1, [None] * rank), (7, [rank]), 13, 7)
    return Question("shape", model, ("shape",), tuple(data_sets))


def size_question(*shape: int) -> Question:
    """Size of a float32 tensor: a scalar that the runtime computes."""
    data = NamedValue("data", Tensor("float32", shape, bytes(4 * math.prod(shape))))
    model = _model("Size", "size", (1, [None] * len(shape)), (7, []), 13, 7)
    return Question("size", model, ("size",), (DataSet((data,), ()),))


def same_question(tensor: Tensor) -> Question:
    """A model whose output is its input, of the first opset and IR version that have its type."""
    element = element_type(tensor.type)
    kind = (element.code, list(tensor.shape))
    cast = element.since_opset > _LAST_IDENTITY
    operator, attributes = ("Cast", {"to": element.code}) if cast else ("Identity", {})
    opset, ir_version = max(_OPSET, element.since_opset), max(_IR_VERSION, element.since_ir)
    model = _model(operator, "same", kind, kind, opset, ir_version, attributes)
    data_set = DataSet((NamedValue("data", tensor),), ())
    return Question(f"{operator.lower()}_{tensor.type}", model, ("same",), (data_set,))


def _model(  # noqa: PLR0913, PLR0917  the parts of a model
    operator: str,
    output: str,
    taken: tuple[int, Sequence[int | None]],
    given: tuple[int, Sequence[int | None]],
    opset: int,
    ir_version: int,
    attributes: Mapping[str, int] | None = None,
    names: Sequence[str] = ("data",),
) -> bytes:
    from onnx import helper

    node = helper.make_node(operator, list(names), [output])
    node.attribute.extend(helper.make_attribute(*item) for item in (attributes or {}).items())
    graph = helper.make_graph(
        [node],
        "check",
        [helper.make_tensor_value_info(name, *taken) for name in names],
        [helper.make_tensor_value_info(output, *given)],
    )
    opsets = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=ir_version)
    return bytes(model.SerializeToString())


def sample(name: str) -> Tensor:
    """Three elements of a type: with an odd number, the packing of small types shows."""
    element = element_type(name)
    if element.kind == "string":
        return Tensor(name, (3,), (b"", b"a", "\u00e9\0".encode()))
    if element.kind == "bool":
        return Tensor(name, (3,), b"\1\0\1")
    packed = {6: b"\x81\x30\x00", 4: b"\x21\x03", 2: b"\x39"}
    data = packed.get(element.bits, bytes([1, 2, 3] * (element.bits // 8)))
    return Tensor(name, (3,), data)


# --- answers in words ----------------------------------------------------------------------


def rejection_words(observation: Rejected) -> str:
    """The phase in which the runtime refused, and its message."""
    message = quoted(observation.message)
    return f"rejected at {observation.phase}" + (f": {message}" if message else "")


def difference_words(expected: Sequence[Tensor], actual: Sequence[Value]) -> str:
    """The expected and the actual values where they differ, or an empty text."""
    if len(expected) != len(actual):
        return f"expected {len(expected)} values; got {len(actual)}"
    for required, got in zip(expected, actual, strict=True):
        if compare(required, got).difference is not None:
            return one_line(
                f"expected {text(required)}; got {text(got)}{_guess(required, got)}", 400
            )
    return ""


def _guess(required: Tensor, got: Value) -> str:
    """The likely cause, if the bytes tell it."""
    if not isinstance(got, Tensor) or got.shape != required.shape:
        return ""
    if got.type == required.type and element_type(got.type).bits not in {STRING_BITS, 8}:
        mirrored = bit_patterns(required).byteswap().tobytes()
        if mirrored == bit_patterns(got).tobytes() != bit_patterns(required).tobytes():
            return ": are the bytes swapped?"
    return ""
