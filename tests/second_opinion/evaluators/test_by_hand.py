"""Evaluators against values written by hand from the documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from opinion_models import model, node, run, tensor
from second_opinion.values.formats import LD
from second_opinion.values.tensors import Arr, CannotAnswerError, Mapped

A = tensor("float32", [[1, 2], [3, 4]])


def floats(*values: Any) -> Arr:  # noqa: ANN401  numbers
    return tensor("float32", values)


def ints(*values: int) -> Arr:
    return tensor("int64", values)


CALLS: list[tuple[str, dict[str, Arr], list[Any]]] = [
    ("Add (a, b)", {"a": floats(0.1), "b": floats(0.2)}, [np.float32(0.3)]),
    ("Div (a, b)", {"a": ints(-7, 7), "b": ints(2, -2)}, [-3, -3]),
    ("Mod (a, b)", {"a": ints(-7, 7), "b": ints(3, -3)}, [2, -2]),
    ("Mod <fmod = 1> (a, b)", {"a": ints(-7, 7), "b": ints(3, -3)}, [-1, 1]),
    ("Pow (a, b)", {"a": ints(3), "b": ints(39)}, [4052555153018976267]),
    ("Round (a)", {"a": floats(0.5, 1.5, -2.5)}, [0, 2, -2]),
    ("Max (a, b)", {"a": floats(1, 5), "b": floats(3, 4)}, [3, 5]),
    ("Relu (a)", {"a": floats(-1, 2)}, [0, 2]),
    ("PRelu (a, b)", {"a": A, "b": floats(0.5)}, [1, 2, 3, 4]),
    ("PRelu (a, b)", {"a": tensor("float32", [[-1, -2]]), "b": floats(2, 3)}, [-2, -6]),
    ("Sigmoid (a)", {"a": floats(0)}, [0.5]),
    ("Elu <alpha = 2.0> (a)", {"a": floats(0, 3)}, [0, 3]),
    ("HardSigmoid (a)", {"a": floats(-9, 9)}, [0, 1]),
    ('BitShift <direction = "LEFT"> (a, b)',
     {"a": tensor("uint8", [255]), "b": tensor("uint8", [4])}, [240]),
    ("ReduceSum (a)", {"a": A}, [10]),
    ("ReduceMean <keepdims = 0> (a, b)", {"a": A, "b": ints(1)}, [1.5, 3.5]),
    ("ReduceProd (a)", {"a": A}, [24]),
    ("ReduceMax (a, b)", {"a": A, "b": ints(0)}, [3, 4]),
    ("ReduceLogSumExp (a)", {"a": floats(-np.inf, -np.inf)}, [-np.inf]),
    ("ArgMax <axis = 1, select_last_index = 1> (a)", {"a": tensor("float32", [[2, 2, 1]])}, [1]),
    ("Softmax (a)", {"a": floats(0, 0)}, [0.5, 0.5]),
    ("Hardmax (a)", {"a": floats(1, 3, 3)}, [0, 1, 0]),
    ("LpNormalization <p = 2> (a)", {"a": floats(3, 4)}, [np.float32(0.6), np.float32(0.8)]),
    ("MatMul (a, b)", {"a": A, "b": A}, [7, 10, 15, 22]),
    ("Gemm <transB = 1, beta = 2.0> (a, b, c)", {"a": A, "b": A, "c": floats(1, 0)},
     [7, 11, 13, 25]),
    ('Einsum <equation = "ij,ij->i"> (a, b)', {"a": A, "b": A}, [5, 25]),
    ("Det (a)", {"a": A}, [-2]),
    ("Conv <kernel_shape = [2]> (a, b)",
     {"a": tensor("float32", [[[1, 2, 3]]]), "b": tensor("float32", [[[10, 1]]])}, [12, 23]),
    ("ConvTranspose <strides = [2]> (a, b)",
     {"a": tensor("float32", [[[1, 2]]]), "b": tensor("float32", [[[10, 1]]])}, [10, 1, 20, 2]),
    ("MaxPool <kernel_shape = [2]> (a)", {"a": tensor("float32", [[[1, 3, 2]]])}, [3, 3]),
    ("AveragePool <kernel_shape = [2], pads = [1, 0]> (a)",
     {"a": tensor("float32", [[[2, 4]]])}, [2, 3]),
    ("AveragePool <kernel_shape = [2], pads = [1, 0], count_include_pad = 1> (a)",
     {"a": tensor("float32", [[[2, 4]]])}, [1, 3]),
    ("Cast <to = 7> (a)", {"a": floats(-1.9, 1.9)}, [-1, 1]),
    ("Cast <to = 3> (a)", {"a": ints(200)}, [-56]),
    ("Cast <to = 17> (a)", {"a": floats(1000)}, [448]),
    ("QuantizeLinear (a, b, c)",
     {"a": floats(5, -1000), "b": tensor("float32", 2), "c": tensor("uint8", 3)}, [5, 0]),
    ("DequantizeLinear (a, b, c)",
     {"a": tensor("uint8", [5]), "b": tensor("float32", 2), "c": tensor("uint8", 3)}, [4]),
    ('Resize <mode = "linear", coordinate_transformation_mode = "align_corners"> (a, , b)',
     {"a": floats(0, 2), "b": floats(1.5)}, [0, 1, 2]),
    ("GridSample <align_corners = 1> (a, b)",
     {"a": tensor("float32", [[[[0, 1], [2, 3]]]]), "b": tensor("float32", [[[[0, 0]]]])}, [1.5]),
    ("CumSum <exclusive = 1> (a, b)", {"a": floats(1, 2, 3), "b": tensor("int64", 0)}, [0, 1, 3]),
    ("Slice (a, b, c, d, e)",
     {"a": floats(1, 2, 3), "b": ints(-9), "c": ints(-9), "d": ints(0), "e": ints(-1)}, [1]),
    ('Pad <mode = "reflect"> (a, b)', {"a": floats(1, 2, 3), "b": ints(2, 1)},
     [3, 2, 1, 2, 3, 2]),
    ("OneHot (a, b, c)", {"a": ints(1, -1, 9), "b": ints(2), "c": ints(0, 7)},
     [0, 7, 0, 7, 0, 0]),
    ("TopK (a, b)", {"a": floats(1, 3, 3), "b": ints(2)}, [3, 3]),
    ("Gather (a, b)", {"a": floats(1, 2, 3), "b": ints(-1, 0)}, [3, 1]),
    ('ScatterElements <reduction = "add"> (a, b, c)',
     {"a": floats(1, 2), "b": ints(0, 0), "c": floats(10, 20)}, [31, 2]),
    ("DFT (a)", {"a": tensor("float32", [[1], [2]])}, [3, 0, -1, 0]),
    ("LayerNormalization <epsilon = 0.0> (a, b)", {"a": floats(-1, 1), "b": floats(5, 5)},
     [-5, 5]),
    ("InstanceNormalization <epsilon = 0.0> (a, b, c)",
     {"a": tensor("float32", [[[0, 2]]]), "b": floats(1), "c": floats(3)}, [2, 4]),
]  # fmt: skip


@pytest.mark.parametrize(("call", "feeds", "expected"), CALLS, ids=[item[0] for item in CALLS])
def test_the_value_is_the_one_written_by_hand(
    call: str, feeds: dict[str, Arr], expected: list[Any]
) -> None:
    assert [LD(item) for item in expected] == [LD(item) for item in node(call, 25, **feeds)]


def test_an_lstm_of_zeros_halves_its_cell() -> None:
    zeros = {
        "x": tensor("float32", np.zeros((1, 1, 1))),
        "w": tensor("float32", np.zeros((1, 4, 1))),
        "r": tensor("float32", np.zeros((1, 4, 1))),
        "h": tensor("float32", np.zeros((1, 1, 1))),
        "c": tensor("float32", np.full((1, 1, 1), 2.0)),
    }
    inputs = ", ".join(f"float[?] {name}" for name in zeros)
    written = model(f"g ({inputs}) => (float[?] y) {{ a, b, y = LSTM (x, w, r, , , h, c) }}", 22)
    assert [1] == list(run(written, "y", **zeros).data.reshape(-1))


def test_attention_masks_what_is_ahead() -> None:
    v = tensor("float32", [[[[1], [3]]]])
    q = tensor("float32", np.zeros((1, 1, 2, 1)))
    assert [1, 2] == node("Attention <is_causal = 1> (q, k, v)", 25, q=q, k=q, v=v)


def test_a_tree_follows_its_branches() -> None:
    call = (
        "ai.onnx.ml.TreeEnsembleRegressor <n_targets = 1, nodes_treeids = [0, 0, 0],"
        " nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0], nodes_values = [1.0, 0.0, 0.0],"
        ' nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_truenodeids = [1, 0, 0],'
        " nodes_falsenodeids = [2, 0, 0], target_treeids = [0, 0], target_nodeids = [1, 2],"
        " target_ids = [0, 0], target_weights = [5.0, 7.0]> (x)"
    )
    rows = tensor("float32", [[1.0], [1.5], [np.nan]])
    assert [5, 7, 7] == node(call, 25, "ai.onnx.ml", x=rows)


def test_a_loop_stacks_what_its_body_scans() -> None:
    written = model(
        """
        g (int64 most, bool go, int64 start) => (int64[?] y) {
          last, y = Loop (most, go, start) <body = b (int64 i, bool c, int64 s)
            => (bool more, int64 t, int64 out) {
              more = Identity (c)
              t = Add (s, i)
              out = Identity (t)
            }>
        }
        """
    )
    feeds = {
        "most": tensor("int64", 3),
        "go": tensor("bool", [True]),
        "start": tensor("int64", 10),
    }
    assert [10, 11, 13] == list(run(written, "y", **feeds).data)


def test_strings_are_joined_and_split() -> None:
    words = tensor("string", [b"a b", b"c"])
    assert [b"a bx", b"cx"] == node("StringConcat (a, b)", 25, a=words, b=tensor("string", [b"x"]))
    assert [b"a", b"b", b"c", b""] == node("StringSplit (a)", 25, a=words)


def test_what_a_document_leaves_open_is_not_answered() -> None:
    with pytest.raises(CannotAnswerError, match="beyond int8"):
        node("Cast <to = 3> (a)", 25, a=floats(1e9))


def test_a_map_becomes_a_row_in_the_order_of_its_keys() -> None:
    pairs = Mapped(ints(7, 2), (tensor("float32", 1.5), tensor("float32", 2.5)))
    assert [2.5, 1.5] == node("ai.onnx.ml.CastMap (m)", 25, "ai.onnx.ml", m=pairs)


def test_a_zero_between_two_zeros_has_the_sign_of_either() -> None:
    """Min and Max of equal zeros take one operand: what rulings.yaml says of Clip."""
    zero = tensor("float32", 0.0)
    found = node("Clip (a, b, c)", 13, a=floats(-1), b=tensor("float32", -0.0), c=zero)
    assert [0.0] == found
