"""Smaller dimensions for a node that the oracle cannot afford, which keep what matters to it.

An operator's inputs are given labels: dimensions with one label have one size, now and afterwards.
Some labels may shrink, in the order in which they matter least; kernels, strides, dilations, groups
and axes stay as they are, and channels of a group shrink last, to 16.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from onnx_conformance.core.families import family_of
from onnx_conformance.core.models.attributes import attributes_of

if TYPE_CHECKING:
    import onnx

Shape: TypeAlias = "tuple[int, ...]"
Labels: TypeAlias = "tuple[str, ...]"
Attributes: TypeAlias = "Mapping[str, object]"
Given: TypeAlias = "Sequence[Shape | None]"

_ELEMENTWISE = frozenset({"arithmetic", "functions", "logic", "conversion"})
# fmt: off
_POINTWISE = frozenset({
    "Celu", "Elu", "Gelu", "HardSigmoid", "HardSwish", "LeakyRelu", "Mish", "PRelu", "Relu",
    "Selu", "Shrink", "Sigmoid", "Softplus", "Softsign", "Swish", "ThresholdedRelu", "Identity",
    "Dropout",
})
# fmt: on
# fmt: off
_ALONG_AXES = frozenset({
    "Softmax", "LogSoftmax", "Hardmax", "ArgMax", "ArgMin", "CumSum", "LayerNormalization",
    "RMSNormalization", "LpNormalization", "TopK", "Concat", "Transpose", "ReduceL1",
    "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
    "ReduceProd", "ReduceSum", "ReduceSumSquare",
})
# fmt: on
_POOLS = frozenset({"AveragePool", "MaxPool", "LpPool"})
_GLOBAL_POOLS = frozenset({"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"})
_SMALLEST = 2
# A row of a product, a normalization or a reduction that is long enough to sum in blocks.
_ROW = 64
_MOST_CHANNELS = 16


@dataclass(frozen=True)
class Plan:
    """How a node's inputs may shrink.

    Attributes:
        labels: of each input, by position; None for one that stays as it is.
        least: label -> the least size, in the order in which labels shrink.
    """

    labels: tuple[Labels | None, ...]
    least: Mapping[str, int]


def reduced_shapes(
    node: onnx.NodeProto,
    inputs: Sequence[Shape | None],
    affordable: Callable[[Sequence[Shape | None]], bool],
) -> tuple[Shape | None, ...] | None:
    """The largest of the tried smaller shapes that are affordable; None if no rule leads there.

    Args:
        node: the node.
        inputs: the shapes of its inputs by position; None for an absent one.
        affordable: says it of shapes.
    """
    plan = _plan(node, inputs)
    if plan is None:
        return None
    sizes: dict[str, int] = {}
    for shape, labels in zip(inputs, plan.labels, strict=True):
        if shape is not None and labels is not None:
            for size, label in zip(shape, labels, strict=True):
                name, factor = _parts(label)
                if size % factor or sizes.setdefault(name, size // factor) != size // factor:
                    return None
    for label, least in plan.least.items():
        while label in sizes and sizes[label] > least:
            sizes[label] = max(least, sizes[label] // 2)
            found = _shapes(inputs, plan, sizes)
            if affordable(found):
                return found
    return None


def _shapes(
    inputs: Sequence[Shape | None], plan: Plan, sizes: Mapping[str, int]
) -> tuple[Shape | None, ...]:
    return tuple(
        shape
        if shape is None or labels is None
        else tuple(sizes[name] * factor for name, factor in map(_parts, labels))
        for shape, labels in zip(inputs, plan.labels, strict=True)
    )


def _parts(label: str) -> tuple[str, int]:
    """The name of a label, and the whole number that its size is multiplied by: `C*2`."""
    name, _, factor = label.partition("*")
    return name, int(factor or 1)


def _plan(node: onnx.NodeProto, inputs: Sequence[Shape | None]) -> Plan | None:
    name = node.op_type
    if family_of(name) in _ELEMENTWISE or name in _POINTWISE:
        return _broadcast(inputs)
    if not inputs or inputs[0] is None:
        return None
    rule = _RULES.get(name)
    return None if rule is None else rule(name, attributes_of(node), inputs)


def _axes(count: int) -> list[str]:
    return [f"s{axis}" for axis in range(count)]


def _broadcast(inputs: Sequence[Shape | None]) -> Plan | None:
    """Equal sizes shrink together wherever they are; ones stay."""
    sizes = {size for shape in inputs if shape is not None for size in shape if size > 1}
    least = {str(size): min(3, size) for size in sorted(sizes, reverse=True)}
    labels = tuple(None if shape is None else tuple(map(str, shape)) for shape in inputs)
    return Plan(labels, least)


def _convolution(name: str, attributes: Attributes, inputs: Given) -> Plan | None:
    """Space shrinks to the kernel and two strides, then outputs per group, then the batch."""
    at = 3 if name == "QLinearConv" else 1
    image, weights = inputs[0], inputs[at] if len(inputs) > at else None
    if image is None or weights is None or len(image) != len(weights):
        return None
    rank = len(image) - 2
    least = _least_space(image, weights[2:], attributes)
    groups = attributes.get("group", 1)
    if not isinstance(groups, int) or groups < 1:
        return None
    # Of each group, whose number stays, there are C inputs and M outputs.
    outputs = f"M*{groups}"
    labels: list[Labels | None] = [None] * len(inputs)
    labels[0] = ("N", f"C*{groups}", *_axes(rank))
    labels[at] = (outputs, "C", *(f"k{axis}" for axis in range(rank)))
    for position in range(1, len(inputs)):
        if position != at and inputs[position] == (weights[0],):
            labels[position] = (outputs,)
    order = {**least, "N": 1, "M": _SMALLEST if groups == 1 else 1, "C": _MOST_CHANNELS}
    return Plan(tuple(labels), order)


def _least_space(
    image: Shape, kernel: Sequence[int], attributes: Mapping[str, object]
) -> dict[str, int]:
    """For each spatial axis the kernel with its dilation, and two strides."""
    found = {}
    for axis, size in enumerate(kernel):
        stride, dilation = (
            value[axis] if isinstance(value := attributes.get(key), tuple) else 1
            for key in ("strides", "dilations")
        )
        found[f"s{axis}"] = min(image[axis + 2], (size - 1) * dilation + 1 + 2 * stride)
    return found


def _pool(_name: str, attributes: Attributes, inputs: Given) -> Plan | None:
    image = inputs[0]
    if image is None or len(image) < 2:
        return None
    kernel = attributes.get("kernel_shape")
    if not isinstance(kernel, tuple):  # of a global pool, which takes all there is
        kernel = (1,) * (len(image) - 2)
    labels: list[Labels | None] = [("N", "C", *_axes(len(image) - 2))]
    order = {"C": _SMALLEST, "N": 1, **_least_space(image, kernel, attributes)}
    return Plan((*labels, *[None] * (len(inputs) - 1)), order)


def _by_channel(_name: str, _attributes: Attributes, inputs: Given) -> Plan | None:
    """Every other input has one number for each channel."""
    image = inputs[0]
    if image is None or len(image) < 2:
        return None
    axes = _axes(len(image) - 2)
    labels: list[Labels | None] = [("N", "C", *axes), *[("C",)] * (len(inputs) - 1)]
    return Plan(tuple(labels), {**dict.fromkeys(axes, 4), "C": _SMALLEST, "N": _SMALLEST})


def _across_channels(_name: str, attributes: Attributes, inputs: Given) -> Plan | None:
    """LRN: as many channels stay as two windows have."""
    image, size = inputs[0], attributes.get("size", 1)
    if image is None or len(image) < 2 or not isinstance(size, int):
        return None
    axes = _axes(len(image) - 2)
    return Plan((("N", "C", *axes),), {**dict.fromkeys(axes, 3), "C": 2 * size})


def _product(name: str, attributes: Attributes, inputs: Given) -> Plan | None:
    """Rows and columns shrink first, then what is summed, to a length that is summed in blocks."""
    second = 3 if name == "QLinearMatMul" else 1
    one, other = inputs[0], inputs[second] if len(inputs) > second else None
    if one is None or other is None or not one or not other:
        return None
    labels: list[Labels | None] = [None] * len(inputs)
    rows, columns = ["m", "k"], ["k", "n"]
    if name == "Gemm":
        rows = rows[::-1] if attributes.get("transA") else rows
        columns = columns[::-1] if attributes.get("transB") else columns
    batch = max(len(one), len(other)) - 2
    # Sizes of batch axes are labels themselves, so that a 1 that is broadcast stays a 1.
    labels[0] = (*(f"b{size}" for size in one[:-2]), *rows[-min(len(one), 2) :])
    columns = columns if len(other) > 1 else ["k"]
    labels[second] = (*(f"b{size}" for size in other[:-2]), *columns)
    if name == "Gemm" and len(inputs) > 2 and inputs[2] is not None:
        bias = inputs[2]
        ends = ("m", "n")[2 - len(bias) :] if len(bias) <= 2 else ()
        labels[2] = tuple(
            f"one{axis}" if size == 1 else end
            for axis, (size, end) in enumerate(zip(bias, ends, strict=False))
        )
    elif name != "Gemm":
        for position, shape in enumerate(inputs):
            if position not in (0, second) and shape not in (None, (), (1,)):
                return None
    sizes = {size for shape in (one, other) for size in shape[:-2] if size > 1}
    order = {f"b{size}": 2 for size in sorted(sizes, reverse=True)} if batch > 0 else {}
    return Plan(tuple(labels), {**order, "n": 4, "m": 4, "k": _ROW})


def _gather(_name: str, attributes: Attributes, inputs: Given) -> Plan | None:
    """The axes that are not gathered from shrink, and the indices; the gathered one stays last."""
    data, indices = inputs[0], inputs[1] if len(inputs) > 1 else None
    if data is None or indices is None:
        return None
    axis = attributes.get("axis", 0)
    at = axis % len(data) if isinstance(axis, int) and data else 0
    labels = tuple("g" if index == at else f"d{index}" for index in range(len(data)))
    order = {f"d{index}": 4 for index in range(len(data)) if index != at}
    taken = tuple(f"i{index}" for index in range(len(indices)))
    return Plan((labels, taken), {**order, **dict.fromkeys(taken, 2), "g": 8})


def _along_axes(_name: str, _attributes: Attributes, inputs: Given) -> Plan | None:
    """Every axis is its own label, the first shrink first; the last keeps a row."""
    first = inputs[0]
    if first is None:
        return None
    sizes = list(first)
    labels: list[Labels | None] = []
    for shape in inputs:
        if shape is None:
            labels.append(None)
        elif len(shape) == len(first):
            labels.append(
                tuple(
                    f"a{axis}" if size == sizes[axis] else f"x{axis}_{len(labels)}"
                    for axis, size in enumerate(shape)
                )
            )
        elif 0 < len(shape) < len(first) and shape == first[-len(shape) :]:
            offset = len(first) - len(shape)
            labels.append(tuple(f"a{offset + axis}" for axis in range(len(shape))))
        else:
            labels.append(None)
    order = {f"a{axis}": 2 for axis in range(len(first) - 1)}
    for labelled in labels:
        order |= {name: 2 for name in labelled or () if name.startswith("x")}
    return Plan(tuple(labels), {**order, f"a{len(first) - 1}": _ROW})


_RULES: Mapping[str, Callable[[str, Attributes, Given], Plan | None]] = {
    **dict.fromkeys(("Conv", "ConvInteger", "QLinearConv"), _convolution),
    **dict.fromkeys((*_POOLS, *_GLOBAL_POOLS), _pool),
    **dict.fromkeys(("BatchNormalization", "InstanceNormalization"), _by_channel),
    **dict.fromkeys(("MatMul", "MatMulInteger", "QLinearMatMul", "Gemm"), _product),
    **dict.fromkeys(_ALONG_AXES, _along_axes),
    "Gather": _gather,
    "LRN": _across_channels,
}
