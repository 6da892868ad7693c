"""What the oracle says of a smaller call, put at all its places, is what it says of a large one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from onnx_conformance.core.values.limits import limits_for, profiles_of
from onnx_conformance.core.values.tensors import Bounded, NamedValue, Tensor
from onnx_conformance.generators.alike import reducing
from onnx_conformance.generators.alike.reducing import reduced
from onnx_conformance.generators.cutting.questions import version_of
from onnx_conformance.generators.situations.asking import ask, call_of
from onnx_conformance.generators.situations.data.profiles import profile_tensor
from onnx_conformance.generators.specs.model import GivenAttribute

if TYPE_CHECKING:
    from onnx_conformance.generators.oracle import Call
    from onnx_conformance.generators.situations.asking import Reply
    from onnx_conformance.generators.specs.model import OperatorVersion


def few(*shape: int, period: int = 5, kind: str = "float32", profile: str = "tame") -> Tensor:
    return profile_tensor(f"cycle{period}:{profile}", kind, shape, "")


def whole(*numbers: int) -> Tensor:
    data = b"".join(item.to_bytes(8, "little", signed=True) for item in numbers)
    return Tensor("int64", (len(numbers),), data)


def one(number: int) -> Tensor:
    return Tensor("int64", (), whole(number).data)


def scalar(kind: str = "float32", profile: str = "positive") -> Tensor:
    return profile_tensor(profile, kind, (), "scalar")


IMAGE = {"kernel_shape": (3, 3), "pads": (1, 1, 1, 1), "strides": (1, 2)}

CASES: list[tuple[str, int, dict[str, Any], dict[str, Any]]] = [
    ("Relu", 14, {"X": few(23, profile="specials", period=9)}, {}),
    ("Exp", 13, {"input": few(4, 7)}, {}),
    ("Gelu", 20, {"X": few(3, 7)}, {}),
    ("Add", 14, {"A": few(4, 15), "B": few(15, period=3)}, {}),
    ("Add", 14, {"A": few(4, 1, 6), "B": few(5, 1, period=3)}, {}),
    ("Add", 14, {"A": few(30, kind="int8", profile="any"), "B": few(30, kind="int8")}, {}),
    ("Div", 14, {"A": few(30), "B": few(30, profile="positive")}, {}),
    ("Max", 13, {"data_0": (few(150, profile="specials", period=9), few(150, period=7))}, {}),
    ("Sum", 13, {"data_0": (few(240), few(240, period=7), few(2, 240, period=3))}, {}),
    ("Where", 16, {"condition": few(30, kind="bool"), "X": few(30), "Y": few(2, 30)}, {}),
    ("Equal", 19, {"A": few(30, kind="string"), "B": few(30, kind="string", period=3)}, {}),
    ("Cast", 25, {"input": few(30, kind="float32")}, {"to": "float16"}),
    ("Cast", 25, {"input": few(30, kind="int64")}, {"to": "string"}),
    ("Clip", 13, {"input": few(30), "min": scalar(), "max": scalar()}, {}),
    ("ai.onnx.ml:Binarizer", 1, {"X": few(3, 15)}, {"threshold": 0.5}),
    ("ai.onnx.ml:Binarizer", 1, {"X": few(31, kind="int64")}, {"threshold": 1.0}),
    ("ai.onnx.ml:Normalizer", 1, {"X": few(12, 3, period=9)}, {"norm": "L2"}),
    ("Identity", 16, {"input": few(4, 15)}, {}),
    ("Dropout", 13, {"data": few(4, 15), "ratio": scalar()}, {}),
    ("Softmax", 11, {"input": few(12, 3, 2, period=6)}, {"axis": 1}),
    (
        "BatchNormalization",
        9,
        {
            "X": few(4, 3, 5),
            "scale": few(3),
            "B": few(3),
            "mean": few(3),
            "var": few(3, profile="positive"),
        },
        {},
    ),
    (
        "MatMulInteger",
        10,
        {
            "A": few(8, 4, period=8, kind="uint8", profile="counts"),
            "B": few(4, 6, kind="int8"),
            "a_zero_point": few(8, period=2, kind="uint8", profile="counts"),
            "b_zero_point": few(6, period=2, kind="int8"),
        },
        {},
    ),
    ("PRelu", 16, {"X": few(4, 15), "slope": few(15, period=3)}, {}),
    (
        "QuantizeLinear",
        21,
        {
            "x": few(3, 5, 8),
            "y_scale": few(5, period=2, profile="positive"),
            "y_zero_point": few(5, period=2, kind="uint8", profile="counts"),
        },
        {"axis": 1},
    ),
    (
        "QuantizeLinear",
        21,
        {"x": few(3, 40), "y_scale": scalar(), "y_zero_point": scalar("int8")},
        {},
    ),
    (
        "DequantizeLinear",
        21,
        {"x": few(5, 8, kind="uint8"), "x_scale": few(5, profile="positive")},
        {"axis": 0},
    ),
    (
        "BatchNormalization",
        15,
        {
            "X": few(2, 6, 5),
            "scale": few(6, period=3),
            "B": few(6, period=2),
            "input_mean": few(6, period=3),
            "input_var": few(6, period=3, profile="positive"),
        },
        {},
    ),
    ("DynamicQuantizeLinear", 11, {"x": few(4, 15)}, {}),
    ("Softmax", 13, {"input": few(6, 3, 4, period=4)}, {"axis": 1}),
    ("LogSoftmax", 13, {"input": few(9, 5)}, {}),
    ("ReduceSum", 13, {"data": few(4, 6, 5, period=6), "axes": whole(1)}, {"keepdims": 0}),
    ("ReduceSum", 13, {"data": few(4, 6, 5, period=15), "axes": whole(-1, 0)}, {}),
    ("ReduceMean", 18, {"data": few(9, 5), "axes": whole(1)}, {}),
    ("ReduceMax", 20, {"data": few(9, 5, profile="specials"), "axes": whole(1)}, {}),
    ("ReduceLogSumExp", 18, {"data": few(9, 5), "axes": whole(-1)}, {}),
    ("ArgMax", 13, {"data": few(4, 6, 5, period=6)}, {"axis": 1, "keepdims": 0}),
    ("CumSum", 14, {"x": few(4, 6, 5), "axis": one(1)}, {"reverse": 1}),
    ("TopK", 24, {"X": few(4, 6, 5), "K": whole(3)}, {"axis": 1}),
    (
        "LayerNormalization",
        17,
        {"X": few(6, 2, 5), "Scale": few(2, 5, period=3), "B": few(5)},
        {"axis": 1},
    ),
    ("RMSNormalization", 23, {"X": few(9, 5), "scale": few(5)}, {}),
    ("LpNormalization", 22, {"input": few(4, 6, 5)}, {"axis": 1}),
    ("GlobalAveragePool", 22, {"X": few(3, 5, 2, 5)}, {}),
    ("LRN", 13, {"X": few(2, 5, 3, 5)}, {"size": 3}),
    (
        "NegativeLogLikelihoodLoss",
        22,
        {
            "input": few(40, 4, period=7),
            "target": few(40, kind="int64", profile="counts", period=3),
            "weight": few(4, period=3),
        },
        {"reduction": "none"},
    ),
    (
        "SoftmaxCrossEntropyLoss",
        13,
        {
            "scores": few(2, 4, 15, period=7),
            "labels": few(2, 15, kind="int64", profile="counts", period=3),
        },
        {"reduction": "none", "ignore_index": 1},
    ),
    ("SwiGLU", 28, {"A": few(30), "B": few(30, period=3)}, {}),
    (
        "InstanceNormalization",
        22,
        {"input": few(3, 4, 5), "scale": few(4, period=2), "B": few(4, period=2)},
        {},
    ),
    ("AveragePool", 22, {"X": few(3, 4, 4, 5)}, IMAGE),
    ("LpPool", 22, {"X": few(3, 4, 4, 5)}, IMAGE),
    ("MatMul", 13, {"A": few(9, 10), "B": few(10, 6, period=3)}, {}),
    ("MatMul", 13, {"A": few(4, 1, 5, 7, period=35), "B": few(3, 7, 6, period=3)}, {}),
    ("MatMul", 13, {"A": few(7), "B": few(3, 7, 6, period=3)}, {}),
    ("MatMul", 13, {"A": few(3, 9, 7, period=7), "B": few(7)}, {}),
    (
        "MatMulInteger",
        10,
        {
            "A": few(9, 10, kind="uint8"),
            "B": few(10, 6, period=3, kind="int8"),
            "a_zero_point": scalar("uint8"),
        },
        {},
    ),
    (
        "Gemm",
        13,
        {"A": few(10, 9, period=3), "B": few(6, 10), "C": few(6, period=2)},
        {"transA": 1, "transB": 1},
    ),
    (
        "Gemm",
        13,
        {"A": few(9, 10), "B": few(10, 6, period=2), "C": few(9, 1, period=3)},
        {"alpha": 0.5},
    ),
    (
        "Gemm",
        13,
        {"A": few(9, 10), "B": few(10, 6, period=2), "C": few(9, 6, period=2)},
        {"beta": 0.5},
    ),
    ("Einsum", 12, {"Inputs": (few(9, 5), few(4, 5, 6, period=2))}, {"equation": "ak,bkc->cab"}),
    (
        "Conv",
        22,
        {"X": few(3, 4, 5, 4, period=80), "W": few(6, 4, 3, 3, period=72), "B": few(6, period=2)},
        IMAGE,
    ),
    (
        "Conv",
        22,
        {"X": few(2, 6, 5, 4, period=40), "W": few(6, 1, 3, 3, period=18), "B": few(6, period=2)},
        {**IMAGE, "group": 6},
    ),
    (
        "Conv",
        22,
        {"X": few(3, 4, 5, 4, period=80), "W": few(6, 2, 3, 3, period=72)},
        {**IMAGE, "group": 2},
    ),
    (
        "Conv",
        22,
        {"X": few(3, 4, 5, 4, period=20), "W": few(6, 4, 1, 1, period=24), "B": few(6, period=2)},
        {"kernel_shape": (1, 1)},
    ),
    (
        "Conv",
        22,
        {"X": few(2, 6, 5, 4, period=40), "W": few(6, 1, 1, 1, period=6)},
        {"group": 6},
    ),
    (
        "ConvTranspose",
        22,
        {"X": few(3, 4, 5, 4, period=20), "W": few(4, 6, 1, 1, period=24)},
        {},
    ),
    (
        "ConvTranspose",
        22,
        {"X": few(3, 2, 3, 4, period=24), "W": few(2, 6, 3, 3, period=9), "B": few(6, period=1)},
        {"strides": (2, 1)},
    ),
    (
        "ConvInteger",
        10,
        {
            "x": few(3, 2, 5, 4, period=40, kind="uint8"),
            "w": few(6, 2, 3, 3, period=36, kind="uint8"),
            "x_zero_point": scalar("uint8"),
            "w_zero_point": scalar("uint8"),
        },
        IMAGE,
    ),
    (
        "QLinearConv",
        10,
        {
            "x": few(3, 2, 5, 4, period=40, kind="uint8"),
            "x_scale": scalar(),
            "x_zero_point": scalar("uint8"),
            "w": few(6, 2, 3, 3, period=36, kind="int8"),
            "w_scale": few(6, period=2, profile="positive"),
            "w_zero_point": few(6, period=2, kind="int8", profile="zeros"),
            "y_scale": scalar(),
            "y_zero_point": scalar("uint8"),
            "B": few(6, period=2, kind="int32"),
        },
        IMAGE,
    ),
    (
        "QLinearMatMul",
        21,
        {
            "a": few(9, 10, kind="uint8"),
            "a_scale": scalar(),
            "a_zero_point": scalar("uint8"),
            "b": few(10, 6, period=2, kind="int8"),
            "b_scale": scalar(),
            "b_zero_point": scalar("int8"),
            "y_scale": scalar(),
            "y_zero_point": scalar("uint8"),
        },
        {},
    ),
]


def call_for(
    name: str, number: int, inputs: dict[str, Any], attributes: dict[str, Any]
) -> tuple[Call, OperatorVersion, Any]:
    domain, _, name = name.rpartition(":")
    _, spec, version = version_of(domain, name, number)
    named, types = [], {}
    for parameter in version.inputs:
        values = inputs.get(parameter.name, ())
        for index, item in enumerate(values if isinstance(values, tuple) else (values,)):
            key = parameter.instance(index) if parameter.variadic else parameter.name
            named.append(NamedValue(key, item))
            if parameter.type in version.types:
                types[parameter.type] = item.type
    given = [GivenAttribute(key, value) for key, value in attributes.items()]
    return call_of((domain, name), version, types, given, named), version, spec.questions


def told(reply: Reply) -> list[Any]:
    """All that a reply says, limits and their rules with it."""
    return [
        [
            (
                item.name,
                item.value,
                {key: limits_for(item.value, key) for key in profiles_of(item.value)},
                item.value.rules,
            )
            if isinstance(item.value, Bounded)
            else item
            for item in outputs or ()
        ]
        for outputs in (reply.outputs, *(one.outputs for one in reply.permitted))
    ] + [[(item.taken, item.reason, item.anything) for item in reply.permitted]]


@pytest.mark.parametrize(
    ("name", "number", "inputs", "attributes"),
    CASES,
    ids=[f"{place}-{name}" for place, (name, *_) in enumerate(CASES)],
)
def test_both_roads_lead_to_one_reply(
    name: str,
    number: int,
    inputs: dict[str, Any],
    attributes: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    call, version, questions = call_for(name, number, inputs, attributes)
    monkeypatch.setattr(reducing, "LARGE", 1 << 30)
    due = ask(call, version, questions)
    monkeypatch.setattr(reducing, "LARGE", 0)
    smaller = reduced(call)
    assert smaller is not None
    assert told(due) == told(ask(call, version, questions))


def test_a_small_call_is_asked_as_it_is() -> None:
    call, _, _ = call_for("Relu", 14, {"X": few(256)}, {})
    assert reduced(call) is None


def test_a_large_call_in_which_nothing_is_alike_is_asked_as_it_is() -> None:
    call, _, _ = call_for("Relu", 14, {"X": few(300, period=300, profile="distinct")}, {})
    assert reduced(call) is None


def test_one_question_is_left_for_each_different_element() -> None:
    call, _, _ = call_for("Relu", 14, {"X": few(131_103, period=251, profile="distinct")}, {})
    smaller = reduced(call)
    assert smaller is not None
    assert (251,) == smaller.call.tensor("X").shape


def test_losses_that_are_added_are_asked_as_they_are() -> None:
    labels = few(90, kind="int64", profile="counts", period=3)
    inputs = {"scores": few(90, 4, period=7), "labels": labels}
    call, _, _ = call_for("SoftmaxCrossEntropyLoss", 13, inputs, {"reduction": "sum"})
    assert reduced(call) is None


def test_a_convolution_with_pads_around_points_keeps_its_positions() -> None:
    inputs = {"X": few(1, 4, 9, 9, period=4), "W": few(2, 4, 1, 1, period=8)}
    call, _, _ = call_for("Conv", 22, inputs, {"pads": (1, 1, 1, 1)})
    assert reduced(call) is None


def test_indices_of_pooled_elements_are_not_taken_from_another_plane() -> None:
    call, _, _ = call_for("MaxPool", 22, {"X": few(3, 4, 9, 5)}, IMAGE)
    assert reduced(call) is None


def test_an_equation_with_more_terms_than_operands_is_left_to_the_oracle() -> None:
    inputs = {"Inputs": (few(9, 50),)}
    call = call_for("Einsum", 12, inputs, {"equation": "ak,bkc->cab"})[0]
    assert reduced(call) is None


def test_an_equation_with_fewer_letters_than_axes_is_left_to_the_oracle() -> None:
    inputs = {"Inputs": (few(9, 67), few(67))}
    call = call_for("Einsum", 12, inputs, {"equation": "i,i->i"})[0]
    assert reduced(call) is None


def test_a_letter_of_two_sizes_is_left_to_the_oracle() -> None:
    inputs = {"Inputs": (few(8, 64), few(64, 8))}
    call = call_for("Einsum", 12, inputs, {"equation": "ij,ij->ij"})[0]
    assert reduced(call) is None


def test_shapes_that_differ_where_nothing_broadcasts_are_left_to_the_oracle() -> None:
    """A smaller call has one shape for all, and the oracle of Sum-6 would not refuse it."""
    call = call_for("Sum", 6, {"data_0": (few(16, 17), scalar())}, {})[0]
    assert reduced(call) is None


def test_a_factor_without_a_matrix_is_asked_as_it_is() -> None:
    inputs = {"A": few(0, 67, 17, kind="float64"), "B": few(17, 67, kind="float64")}
    call, version, questions = call_for("MatMul", 13, inputs, {})
    assert [(0, 67, 67)] == [item.value.shape for item in ask(call, version, questions).outputs]  # type: ignore[union-attr]
