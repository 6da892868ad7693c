"""The rule by which the output of each operator is sampled."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..questions import NotCutError
from .axes import (
    by_axis,
    channels,
    clipped,
    concat,
    elementwise,
    filled,
    gather,
    rows,
    transpose,
)
from .products import gemm, matmul
from .shaping import attributes_of, axis_of
from .windows import convolution, neighbours, pool, transposed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import onnx

    from .choosing import Chooser, Rule
    from .pieces import Sample, Shape


_ELEMENTWISE = frozenset(
    """
    Abs Acos Acosh Add And Asin Asinh Atan Atanh BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor
    Cast Ceil Celu Cos Cosh Div Elu Equal Erf Exp Floor Gelu Greater GreaterOrEqual HardSigmoid
    HardSwish Identity IsInf IsNaN LeakyRelu Less LessOrEqual Log Max Mean Min Mish Mod Mul Neg Not
    Or PRelu Pow Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Sub
    Sum Swish Tan Tanh ThresholdedRelu Where Xor
    """.split()  # noqa: SIM905  words read better than quoted ones
)
_REDUCED = frozenset(
    """
    ArgMax ArgMin ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin
    ReduceProd ReduceSum ReduceSumSquare
    """.split()  # noqa: SIM905  words read better than quoted ones
)
_RULES: dict[str, Rule] = {
    **dict.fromkeys(_ELEMENTWISE, elementwise),
    **dict.fromkeys(("Conv", "ConvInteger", "QLinearConv"), convolution),
    **dict.fromkeys(("MatMul", "MatMulInteger", "QLinearMatMul"), matmul),
    **dict.fromkeys(("MaxPool", "AveragePool", "LpPool"), pool),
    **dict.fromkeys(("QuantizeLinear", "DequantizeLinear"), by_axis(None, 1)),
    "BatchNormalization": by_axis(1, 1),
    "Clip": clipped,
    "Concat": concat,
    "ConvTranspose": transposed,
    "Dropout": clipped,
    "Gather": gather,
    "Gemm": gemm,
    "InstanceNormalization": channels,
    "LRN": neighbours,
    "Transpose": transpose,
}
_SOFT = frozenset({"Softmax", "LogSoftmax", "Hardmax"})
# The opset since which Softmax and its kin are about one axis, and not all from it on.
_ONE_AXIS = 13
_LAYERS = frozenset({"LayerNormalization", "RMSNormalization"})
_POOLED = frozenset({"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"})


def sample_of(
    node: onnx.NodeProto,
    shapes: Sequence[Shape | None],
    opset: int,
    axes: Callable[[int], tuple[int, ...] | None],
    chooser: Chooser,
) -> Sample:
    """The shape of a node's only output, and pieces of it; NotCutError where no rule says.

    Args:
        node: the node.
        shapes: of its inputs by position; None for an absent one.
        opset: that its domain has in the model.
        axes: the whole numbers that an input holds, by its position, where it is known.
        chooser: of positions.
    """
    name = node.op_type
    if node.domain not in ("", "ai.onnx"):
        raise NotCutError("its shapes are too much for the oracle")
    if sum(map(bool, node.output)) != 1 or not node.output[0]:
        raise NotCutError("its shapes are too much for the oracle, and it has several outputs")
    if name in _RULES:
        return _RULES[name](node, shapes, chooser)
    if name == "ConstantOfShape":
        return filled(node, axes(0), chooser)
    along = partial(_along, node, shapes, opset)
    if name in _SOFT or name in _LAYERS:
        return rows(node, shapes, chooser, along())
    if name == "LpNormalization":
        return rows(node, shapes, chooser, along())
    if name in _POOLED:
        return rows(node, shapes, chooser, range(2, len(shapes[0] or ())), dropped=False)
    if name in _REDUCED:
        listed = _reduced(node, shapes, axes)
        keeps = attributes_of(node).get("keepdims", 1)
        return rows(node, shapes, chooser, listed, dropped=not keeps)
    raise NotCutError("its shapes are too much for the oracle, and no rule samples it")


def _along(node: onnx.NodeProto, shapes: Sequence[Shape | None], opset: int) -> Sequence[int]:
    """The axes of the rows that an operator with the attribute `axis` works on."""
    rank = len(shapes[0] or ())
    whole = node.op_type in _LAYERS or (node.op_type in _SOFT and opset < _ONE_AXIS)
    default = 1 if node.op_type in _SOFT and opset < _ONE_AXIS else -1
    first = axis_of(attributes_of(node).get("axis", default), rank)
    return range(first, rank) if whole else (first,)


def _reduced(
    node: onnx.NodeProto,
    shapes: Sequence[Shape | None],
    axes: Callable[[int], tuple[int, ...] | None],
) -> Sequence[int]:
    """The axes that are reduced; NotCutError where they are not known."""
    rank = len(shapes[0] or ())
    attributes = attributes_of(node)
    if node.op_type.startswith("Arg"):
        return (axis_of(attributes.get("axis", 0), rank),)
    listed = attributes.get("axes")
    if listed is None and len(shapes) > 1 and shapes[1] is not None:
        listed = axes(1)
        if listed is None:
            raise NotCutError("its shapes are too much for the oracle, and its axes are not known")
    if not listed:
        if attributes.get("noop_with_empty_axes"):
            return ()
        return range(rank)
    return tuple({axis_of(item, rank): None for item in listed})
