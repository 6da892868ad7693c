"""Some elements of a node's output are those that the oracle gives for the whole node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from onnx import helper

from onnx_conformance.core.values.limits import IEEE, limits_for
from onnx_conformance.core.values.sampling import elements_at
from onnx_conformance.core.values.tensors import Bounded, Tensor
from onnx_conformance.generators.cutting.drawing import drawn, positive
from onnx_conformance.generators.cutting.questions import NotCutError, answered, question_of
from onnx_conformance.generators.cutting.sampling.asking import Sampling, sampled_answer

if TYPE_CHECKING:
    from collections.abc import Sequence

WORK = 600


def floats(*shape: int) -> Tensor:
    return drawn("float32", shape, f"sampling/{shape}")


def bytes_of(*shape: int, kind: str = "uint8") -> Tensor:
    return drawn(kind, shape, f"sampling/{kind}/{shape}")


def scale(*shape: int) -> Tensor:
    return positive("float32", shape, f"scale/{shape}")


def whole(*numbers: int) -> Tensor:
    data = b"".join(item.to_bytes(8, "little", signed=True) for item in numbers)
    return Tensor("int64", (len(numbers),), data)


CASES: list[tuple[str, int, Sequence[Tensor | None], dict[str, Any]]] = [
    ("Relu", 14, [floats(3, 4, 9)], {}),
    ("Add", 14, [floats(3, 4, 9), floats(4, 1)], {}),
    ("Where", 16, [bytes_of(4, 9, kind="bool"), floats(3, 4, 9), floats(9)], {}),
    ("Cast", 13, [floats(7, 11)], {"to": 10}),
    ("Clip", 13, [floats(7, 11), floats(), None], {}),
    ("Sigmoid", 13, [floats(7, 11)], {}),
    ("Softmax", 13, [floats(5, 6, 4)], {"axis": 1}),
    ("Softmax", 11, [floats(5, 6, 4)], {"axis": 1}),
    ("LogSoftmax", 13, [floats(9, 6)], {}),
    ("LayerNormalization", 17, [floats(5, 4, 6), scale(4, 6), floats(6)], {"axis": -2}),
    ("RMSNormalization", 23, [floats(9, 6), scale(6)], {}),
    ("ReduceMean", 18, [floats(6, 5, 4), whole(1)], {}),
    ("ReduceSum", 11, [floats(6, 5, 4)], {"axes": [-1, 0], "keepdims": 0}),
    ("ReduceMax", 13, [floats(6, 5, 4)], {"axes": [1], "keepdims": 0}),
    ("ArgMax", 13, [floats(6, 5, 4)], {"axis": 1, "keepdims": 0}),
    ("LpNormalization", 1, [floats(6, 5, 4)], {"axis": 1}),
    ("GlobalAveragePool", 1, [floats(2, 5, 3, 3)], {}),
    ("GlobalMaxPool", 1, [floats(2, 5, 3, 3)], {}),
    ("InstanceNormalization", 6, [floats(2, 5, 3, 3), scale(5), floats(5)], {}),
    ("BatchNormalization", 15, [floats(2, 5, 6), scale(5), floats(5), floats(5), scale(5)], {}),
    ("QuantizeLinear", 13, [floats(3, 5, 6), scale(5), bytes_of(5)], {"axis": 1}),
    ("DequantizeLinear", 13, [bytes_of(7, 9), scale(), bytes_of()], {}),
    ("Transpose", 13, [floats(3, 4, 9)], {"perm": [2, 0, 1]}),
    ("Transpose", 13, [floats(3, 4, 9)], {}),
    ("Concat", 13, [floats(3, 4, 2), floats(3, 1, 2), floats(3, 5, 2)], {"axis": -2}),
    ("Gather", 13, [floats(4, 9, 3), whole(8, -1, 0, 3)], {"axis": 1}),
    ("ConstantOfShape", 9, [whole(7, 11)], {}),
    ("LRN", 13, [floats(2, 9, 3, 3)], {"size": 4}),
    ("MatMul", 13, [floats(2, 1, 5, 7), floats(3, 7, 6)], {}),
    ("MatMul", 13, [floats(7), floats(3, 7, 6)], {}),
    ("MatMul", 13, [floats(3, 9, 7), floats(7)], {}),
    (
        "MatMulInteger",
        10,
        [bytes_of(5, 7), bytes_of(7, 6, kind="int8"), bytes_of(5), bytes_of(6, kind="int8")],
        {},
    ),
    (
        "QLinearMatMul",
        10,
        [
            bytes_of(5, 7),
            scale(),
            bytes_of(),
            bytes_of(7, 6),
            scale(6),
            bytes_of(6),
            scale(),
            bytes_of(),
        ],
        {},
    ),
    ("Gemm", 13, [floats(7, 9), floats(6, 7), floats(1, 6)], {"transA": 1, "transB": 1}),
    ("Gemm", 13, [floats(9, 7), floats(7, 6), floats(9, 1)], {"alpha": 0.5, "beta": 2.0}),
    (
        "Conv",
        11,
        [floats(2, 4, 6, 7), floats(6, 2, 3, 2), floats(6)],
        {"group": 2, "pads": [1, 0, 2, 1], "strides": [2, 1], "dilations": [1, 2]},
    ),
    (
        "Conv",
        11,
        [floats(1, 3, 7, 7), floats(4, 3, 3, 3)],
        {"auto_pad": "SAME_LOWER", "strides": [2, 2]},
    ),
    ("Conv", 11, [floats(1, 3, 7), floats(4, 3, 3)], {"auto_pad": "VALID", "kernel_shape": [3]}),
    (
        "ConvInteger",
        10,
        [bytes_of(1, 3, 6, 6), bytes_of(4, 3, 3, 3), bytes_of(), bytes_of(4)],
        {"pads": [1, 1, 1, 1]},
    ),
    (
        "QLinearConv",
        10,
        [
            bytes_of(1, 2, 6, 6),
            scale(),
            bytes_of(),
            bytes_of(4, 2, 3, 3),
            scale(4),
            bytes_of(4),
            scale(),
            bytes_of(),
            drawn("int32", (4,), "bias"),
        ],
        {"pads": [1, 1, 1, 1]},
    ),
    (
        "ConvTranspose",
        11,
        [floats(2, 4, 5, 5), floats(4, 3, 3, 2), floats(6)],
        {"group": 2, "strides": [2, 3], "pads": [1, 0, 0, 1], "output_padding": [1, 0]},
    ),
    (
        "MaxPool",
        12,
        [floats(2, 5, 7, 6)],
        {"kernel_shape": [3, 2], "pads": [1, 0, 1, 1], "strides": [2, 2], "ceil_mode": 1},
    ),
    (
        "AveragePool",
        11,
        [floats(2, 5, 7, 6)],
        {"kernel_shape": [3, 2], "pads": [1, 0, 1, 1], "strides": [2, 2]},
    ),
    (
        "AveragePool",
        11,
        [floats(2, 5, 7)],
        {"kernel_shape": [3], "pads": [1, 1], "count_include_pad": 1},
    ),
    ("AveragePool", 11, [floats(2, 5, 7)], {"kernel_shape": [4], "auto_pad": "SAME_UPPER"}),
]


@pytest.mark.parametrize(
    ("name", "opset", "inputs", "attributes"),
    CASES,
    ids=[f"{number}-{name}" for number, (name, *_) in enumerate(CASES)],
)
def test_what_is_sampled_is_what_the_oracle_says_of_the_whole(
    name: str, opset: int, inputs: Sequence[Tensor | None], attributes: dict[str, Any]
) -> None:
    names = ["" if item is None else f"in{index}" for index, item in enumerate(inputs)]
    while names and not names[-1]:
        names.pop()
    node = helper.make_node(name, names, ["out"], **attributes)
    values = [(item, False) for item in inputs[: len(names)]]
    (due,) = answered(question_of(node, values, {}, {"": opset}, 8)).outputs
    found = sampled_answer(node, values, Sampling({"": opset}, 8, WORK, "seed"))
    (output,) = found.answered.outputs
    places = found.compared[output.name]
    assert (due.value.type, due.value.shape) == (output.value.type, output.value.shape)
    assert 3 <= len(places)
    one, other = elements_at(due.value, places), elements_at(output.value, places)
    assert one.data == other.data
    assert isinstance(one, Bounded) == isinstance(other, Bounded)
    if isinstance(one, Bounded) and isinstance(other, Bounded):
        assert [item.data for item in limits_for(one, IEEE)] == [
            item.data for item in limits_for(other, IEEE)
        ]


def test_what_is_not_sampled_is_zero_and_some_is_not() -> None:
    node = helper.make_node("Relu", ["x"], ["y"])
    values: list[tuple[Tensor | None, bool]] = [(scale(20, 20), False)]
    found = sampled_answer(node, values, Sampling({"": 14}, 8, WORK, "seed"))
    (output,) = found.answered.outputs
    data = output.value.data
    there = {place for place in range(400) if data[4 * place : 4 * place + 4] != bytes(4)}
    assert there == set(found.compared["Y"])
    assert len(there) < 400


def test_the_corners_of_a_convolution_are_among_what_is_sampled() -> None:
    node = helper.make_node("Conv", ["x", "w"], ["y"], pads=[1, 1, 1, 1])
    values: list[tuple[Tensor | None, bool]] = [
        (floats(1, 2, 9, 9), False),
        (floats(1, 2, 3, 3), True),
    ]
    found = sampled_answer(node, values, Sampling({"": 11}, 8, WORK, "seed"))
    assert {0, 80} <= set(found.compared["Y"])


@pytest.mark.parametrize(
    ("node", "shapes", "word"),
    [
        (helper.make_node("Resize", ["x"], ["y"]), [(4, 4)], "no rule"),
        (helper.make_node("MatMul", ["a", "b"], ["y"]), [(4, 4), (3, 4)], "do not fit"),
        (helper.make_node("Conv", ["a", "b"], ["y"]), [(1, 3, 4), (2, 2, 3)], "do not fit"),
        (helper.make_node("Add", ["a", "b"], ["y"]), [(4,), (3,)], "no rule"),
        (helper.make_node("MaxPool", ["x"], ["y", "i"], kernel_shape=[2]), [(1, 1, 4)], "several"),
    ],
)
def test_what_no_rule_can_sample_is_said(
    node: Any,  # noqa: ANN401  onnx's generated class
    shapes: Sequence[tuple[int, ...]],
    word: str,
) -> None:
    values: list[tuple[Tensor | None, bool]] = [(floats(*shape), False) for shape in shapes]
    with pytest.raises(NotCutError, match=word):
        sampled_answer(node, values, Sampling({"": 13}, 8, WORK, "seed"))
