"""Which axes of each operator are independent; None where nothing is known, or none is.

All rules stay in one module (of more than 400 lines): one table says which operators have one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from onnx_conformance.core.values.tensors import Tensor

from ..oracle.arith.grid import broadcast_shape
from ..oracle.errors import InvalidCallError
from ..oracle.registry import Call
from .axes import Axes, Labels, Place

Rule: TypeAlias = Callable[[Call], "Axes | None"]

# The operators that take elements one by one, with the inputs that are for all of them.
_ELEMENTWISE: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        """
        Abs Acos Acosh Add And Asin Asinh Atan Atanh Binarizer BitShift BitwiseAnd BitwiseNot
        BitwiseOr BitwiseXor Cast Ceil Celu Cos Cosh Div Elu Equal Erf Exp Floor Gelu Greater
        GreaterOrEqual HardSigmoid HardSwish Identity IsInf IsNaN LeakyRelu Less LessOrEqual Log Max
        Mean Min Mish Mod Mul Neg Not Or PRelu Pow Reciprocal Relu Round Selu Shrink Sigmoid Sign
        Sin Sinh Softplus Softsign Sqrt Sub Sum SwiGLU Swish Tan Tanh ThresholdedRelu Where Xor
        """.split(),  # noqa: SIM905  words read better than quoted ones
        (),
    ),
    "CastLike": ("target_type",),
    "Clip": ("min", "max"),
    "Dropout": ("ratio", "training_mode"),
}
# Since this version Add and its like broadcast in both directions; before it, by attributes.
_BROADCASTS_SINCE = 7
_REDUCED = frozenset(
    """
    ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd
    ReduceSum ReduceSumSquare
    """.split()  # noqa: SIM905  words read better than quoted ones
)
_LINEAR_AXES = "abcdefghijklmnopqrstuvwxyz"


def axes_of(call: Call) -> Axes | None:
    """Which axes of a call are independent; None where nothing is known."""
    rules = {"": _RULES, "ai.onnx": _RULES, "ai.onnx.ml": _ML_RULES}.get(call.domain, {})
    rule = rules.get(call.operator)
    return None if rule is None else rule(call)


def _named(rank: int) -> Labels:
    return tuple(_LINEAR_AXES[:rank])


def _shape(call: Call, name: str) -> tuple[int, ...] | None:
    value = call.inputs.get(name)
    return value.shape if isinstance(value, Tensor) else None


# --- elements one by one ---------------------------------------------------------------------


def _elementwise(call: Call) -> Axes | None:
    whole = _ELEMENTWISE[call.operator]
    shapes: dict[Place, tuple[int, ...]] = {}
    for name, value in call.inputs.items():
        if name in whole:
            continue
        for index, item in enumerate(value if isinstance(value, tuple) else (value,)):
            if not isinstance(item, Tensor):
                return None
            shapes[name, index] = item.shape
    by_attributes = "broadcast" in call.attributes or call.since_version < _BROADCASTS_SINCE
    if by_attributes and len(shapes) != 1:
        return None
    try:
        shape = broadcast_shape(*shapes.values())
    except InvalidCallError:
        return None
    if call.operator == "PRelu" and shapes["X", 0] != shape:
        return None
    if not shape or len(shape) > len(_LINEAR_AXES):
        return None
    labels = _named(len(shape))
    # Dropout has a mask, too.
    return Axes(dict.fromkeys(shapes, labels), {0: labels, 1: labels}, (labels,), shape=shape)


def _by_extremes(call: Call) -> Axes | None:
    """Elements that are quantized by the least and the greatest of all: of kept ones the same."""
    shape = _shape(call, "x")
    if not shape or len(shape) > len(_LINEAR_AXES):
        return None
    labels = _named(len(shape))
    return Axes({("x", 0): labels}, {0: labels, 1: (), 2: ()}, (labels,))


def _per_channel(call: Call, data: str, axis: int, others: Iterable[str]) -> Axes | None:
    """Elements one by one, with parameters that each channel has of its own."""
    shape = _shape(call, data)
    if not shape:
        return None
    labels = _named(len(shape))
    channel = labels[axis]
    inputs: dict[Place, Labels] = {(data, 0): labels}
    for name in others:
        own = _shape(call, name)
        if own is None or len(own) > 1:
            return None
        if own:
            inputs[name, 0] = (channel,) if own[0] == shape[axis] else ("",)
    rest = tuple(item for item in labels if item != channel)
    return Axes(inputs, {0: labels}, ((channel, *rest),))


def _quantized(call: Call) -> Axes | None:
    shape = _shape(call, "x")
    if not shape or call.attributes.get("block_size"):
        return None
    axis = call.int_attribute("axis", 1)
    axis = axis + len(shape) if axis < 0 else axis
    axis = axis if 0 <= axis < len(shape) else 0  # an element of rank 0 or 1 has one scale
    names = ("y_scale", "y_zero_point", "x_scale", "x_zero_point")
    return _per_channel(call, "x", axis, [name for name in names if call.has(name)])


def _batch_normalized(call: Call) -> Axes | None:
    # Before version 14 it trains where more than one output is wanted, before 7 by `is_test`.
    trains = call.attributes.get("training_mode") or len(call.outputs) > 1 or call.since_version < 7
    shape = _shape(call, "X")
    if trains or not call.attributes.get("spatial", 1) or not shape or len(shape) < 2:
        return None
    names = ("scale", "B", "input_mean", "input_var", "mean", "var")
    return _per_channel(call, "X", 1, [name for name in names if call.has(name)])


# --- rows one by one -------------------------------------------------------------------------


def _rows(
    call: Call, name: str, along: Iterable[int], outputs: dict[int, str], *, scaled: bool = False
) -> Axes | None:
    """Rows along some axes one by one.

    Args:
        call: the call.
        name: the input that has them.
        along: the axes of a row.
        outputs: for each output what becomes of these axes: they are `kept`, become `one` element
            long, or are `dropped`.
        scaled: whether the other inputs belong to positions in a row, and are the same for all.
    """
    shape = _shape(call, name)
    if not shape:
        return None
    rank = len(shape)
    inside = {axis + rank if axis < 0 else axis for axis in along}
    if not all(0 <= axis < rank for axis in inside) or len(inside) == rank:
        return None
    labels = _named(rank)
    free = tuple(label for axis, label in enumerate(labels) if axis not in inside)
    if scaled:
        others = [
            item.shape
            for key, item in call.inputs.items()
            if key != name and isinstance(item, Tensor)
        ]
        # A scale of a higher rank may belong to rows, by broadcasting.
        if any(len(item) > len(inside) for item in others):
            return None
    ways = {
        "kept": labels,
        "one": tuple(label if label in free else "" for label in labels),
        "dropped": free,
    }
    return Axes({(name, 0): labels}, {at: ways[way] for at, way in outputs.items()}, (free,))


def _softmax(call: Call) -> Axes | None:
    if call.since_version >= 13:
        return _rows(call, "input", (call.int_attribute("axis", -1),), {0: "kept"})
    # A row is all from an axis on.
    shape = _shape(call, "input") or ()
    first = call.int_attribute("axis", 1)
    return _rows(call, "input", range(first % len(shape) if shape else 0, len(shape)), {0: "kept"})


def _reduced(call: Call) -> Axes | None:
    listed = call.integers("axes") if call.has("axes") else call.ints_attribute("axes", ())
    if not listed:
        return None
    way = "one" if call.int_attribute("keepdims", 1) else "dropped"
    return _rows(call, "data", listed, {0: way})


def _positions(call: Call) -> Axes | None:
    way = "one" if call.int_attribute("keepdims", 1) else "dropped"
    return _rows(call, "data", (call.int_attribute("axis", 0),), {0: way})


def _cumulative(call: Call) -> Axes | None:
    return _rows(call, "x", (call.integer("axis"),), {0: "kept"})


def _layer(call: Call) -> Axes | None:
    shape = _shape(call, "X")
    if not shape:
        return None
    first = call.int_attribute("axis", -1)
    first = first + len(shape) if first < 0 else first
    ways = {0: "kept", 1: "one", 2: "one"}
    return _rows(call, "X", range(first, len(shape)), ways, scaled=True)


def _losses(scores: str, classes: str) -> Rule:
    """Samples one by one, with the class of each; no loss is added to another."""

    def rule(call: Call) -> Axes | None:
        shape = _shape(call, scores)
        if not shape or len(shape) < 2 or call.string_attribute("reduction", "mean") != "none":
            return None
        labels = _named(len(shape))
        samples = (labels[0], *labels[2:])
        if _shape(call, classes) != (shape[0], *shape[2:]):
            return None
        inputs = {(scores, 0): labels, (classes, 0): samples}
        return Axes(inputs, {0: samples, 1: labels}, (samples,))

    return rule


def _along_axis(name: str, *outputs: int) -> Rule:
    """Rows along the attribute `axis`, which these outputs have as well."""
    kept = dict.fromkeys(outputs, "kept")
    return lambda call: _rows(call, name, (call.int_attribute("axis", -1),), kept)


def _global_pool(call: Call) -> Axes | None:
    shape = _shape(call, "X")
    return None if not shape else _rows(call, "X", range(2, len(shape)), {0: "one"})


def _neighbours(call: Call) -> Axes | None:
    return _rows(call, "X", (1,), {0: "kept"})


def _instance(call: Call) -> Axes | None:
    shape = _shape(call, "input")
    if not shape or len(shape) < 3:
        return None
    labels = _named(len(shape))
    batch, channel = labels[:2]
    inputs = {("input", 0): labels, ("scale", 0): (channel,), ("B", 0): (channel,)}
    return Axes(inputs, {0: labels}, ((channel, batch),))


def _pooled(call: Call) -> Axes | None:
    shape = _shape(call, "X")
    # Indices count elements of the whole input, so that no two planes are alike.
    if not shape or (call.operator == "MaxPool" and call.wants("Indices")):
        return None
    return _rows(call, "X", range(2, len(shape)), {0: "kept"})


# --- rows with columns -----------------------------------------------------------------------


def _matmul(
    first: str,
    second: str,
    *,
    by_row: Iterable[str] = (),
    by_column: Iterable[str] = (),
    scalars: tuple[str, ...] = (),
) -> Rule:
    """A matrix product.

    Args:
        first: the input with the rows.
        second: that with the columns.
        by_row: inputs with an element for each row, or one.
        by_column: inputs with an element for each column, or one.
        scalars: those that must have one element.
    """

    def rule(call: Call) -> Axes | None:
        left, right = _shape(call, first), _shape(call, second)
        if not left or not right or _has_vectors(call, scalars):
            return None
        stacks = (left[:-2], right[:-2])
        depth = max(map(len, stacks))
        names = [f"s{axis}" for axis in range(depth)]

        def of_stack(own: tuple[int, ...]) -> Labels:
            aligned = names[depth - len(own) :]
            return tuple(name if size != 1 else "" for name, size in zip(aligned, own, strict=True))

        rows = (*of_stack(stacks[0]), "m", "k") if len(left) > 1 else ("k",)
        columns = (*of_stack(stacks[1]), "k", "n") if len(right) > 1 else ("k",)
        given = {*rows, *columns} - {"", "k"}
        result = (
            *(name if name in given else "" for name in names),
            *("m",) * (len(left) > 1),
            *("n",) * (len(right) > 1),
        )
        inputs = {(first, 0): rows, (second, 0): columns}
        for others, label in ((by_row, "m"), (by_column, "n")):
            for name in others:
                own = _shape(call, name)
                if own and (len(own) > 1 or (own[0] > 1 and label not in given)):
                    return None
                if own and own[0] > 1:
                    inputs[name, 0] = (label,)
        return Axes(inputs, {0: result}, tuple((name,) for name in result if name))

    return rule


def _has_vectors(call: Call, names: Iterable[str]) -> bool:
    """Whether one of these inputs has more than one element."""
    return any(
        isinstance(value, Tensor) and value.element_count != 1
        for value in map(call.inputs.get, names)
    )


def _gemm(call: Call) -> Axes | None:
    added = _shape(call, "C")
    if added and len(added) > 2:
        return None
    rows = ("k", "m") if call.int_attribute("transA", 0) else ("m", "k")
    columns = ("n", "k") if call.int_attribute("transB", 0) else ("k", "n")
    inputs: dict[Place, Labels] = {("A", 0): rows, ("B", 0): columns}
    if added:
        names = ("m", "n")[2 - len(added) :]
        inputs["C", 0] = tuple(
            name if size != 1 else "" for name, size in zip(names, added, strict=True)
        )
    return Axes(inputs, {0: ("m", "n")}, (("m",), ("n",)))


def _values_of(call: Call, name: str) -> int:
    """How many values a variadic input has."""
    value = call.inputs.get(name)
    return len(value) if isinstance(value, tuple) else 0


def _einsum(call: Call) -> Axes | None:
    equation = call.string_attribute("equation").replace(" ", "")
    terms, arrow, result = equation.partition("->")
    letters = terms.split(",")
    if not arrow or "." in equation or any(len(set(item)) < len(item) for item in letters):
        return None
    if len(letters) != _values_of(call, "Inputs"):
        return None
    inputs = {("Inputs", index): tuple(item) for index, item in enumerate(letters)}
    return Axes(inputs, {0: tuple(result)}, tuple((item,) for item in result))


# --- windows ---------------------------------------------------------------------------------


def _convolution(data: str, weight: str, parts: tuple[str, ...], scalars: tuple[str, ...]) -> Rule:
    """A convolution: batches, and output channels.

    Args:
        data: the input with the images.
        weight: that with the kernels.
        parts: those with an element for each output channel, or one.
        scalars: those that must have one element.
    """

    def rule(call: Call) -> Axes | None:
        shape, kernel = _shape(call, data), _shape(call, weight)
        if not shape or not kernel or _has_vectors(call, scalars):
            return None
        spatial = tuple(f"x{axis}" for axis in range(len(shape) - 2))
        within = tuple(f"y{axis}" for axis in range(len(shape) - 2))
        group = call.int_attribute("group", 1)
        transposed = call.operator == "ConvTranspose"
        batch, channel, made = "b", "c", "m"
        counts: dict[str, int] = {}
        if group == 1:
            kernels = ("c", "m") if transposed else ("m", "c")
            independent: tuple[Labels, ...] = ((made,), (batch,))
        elif group == shape[1] == kernel[0] and kernel[1] == 1:  # each channel by itself
            kernels, made = ("c", ""), "c"
            independent, counts = ((channel,), (batch,)), {"group": 0}
        else:
            kernels, made = ("", ""), ""
            independent = ((batch,),)
        inputs: dict[Place, Labels] = {
            (data, 0): (batch, channel if group == 1 or counts else "", *spatial),
            (weight, 0): (*kernels, *within),
        }
        for name in parts:
            own = _shape(call, name)
            if own:
                inputs[name, 0] = (made if own[0] != 1 else "",)
        if _is_of_points(call, kernel[2:]):
            independent = (*independent[:-1], (batch, *spatial))
        return Axes(inputs, {0: (batch, made, *spatial)}, independent, counts)

    return rule


def _is_of_points(call: Call, kernel: tuple[int, ...]) -> bool:
    """Whether each position of a convolution's output is made of the one at its place alone."""
    steps = (*kernel, *call.ints_attribute("strides", ()))
    pads = any(call.ints_attribute("pads", ()))
    named = call.string_attribute("auto_pad", "NOTSET") != "NOTSET"
    sized = any(name in call.attributes for name in ("output_shape", "output_padding"))
    return all(size == 1 for size in steps) and not (pads or named or sized)


_RULES: dict[str, Rule] = {
    **dict.fromkeys(_ELEMENTWISE, _elementwise),
    **dict.fromkeys(("QuantizeLinear", "DequantizeLinear"), _quantized),
    "DynamicQuantizeLinear": _by_extremes,
    "BatchNormalization": _batch_normalized,
    **dict.fromkeys(("Softmax", "LogSoftmax", "Hardmax"), _softmax),
    **dict.fromkeys(_REDUCED, _reduced),
    **dict.fromkeys(("ArgMax", "ArgMin"), _positions),
    **dict.fromkeys(("CumSum", "CumProd"), _cumulative),
    "TopK": _along_axis("X", 0, 1),
    **dict.fromkeys(("LayerNormalization", "RMSNormalization"), _layer),
    "LpNormalization": _along_axis("input", 0),
    "NegativeLogLikelihoodLoss": _losses("input", "target"),
    "SoftmaxCrossEntropyLoss": _losses("scores", "labels"),
    **dict.fromkeys(("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"), _global_pool),
    "LRN": _neighbours,
    "InstanceNormalization": _instance,
    **dict.fromkeys(("MaxPool", "AveragePool", "LpPool"), _pooled),
    "MatMul": _matmul("A", "B"),
    "MatMulInteger": _matmul("A", "B", by_row=["a_zero_point"], by_column=["b_zero_point"]),
    "QLinearMatMul": _matmul(
        "a",
        "b",
        by_row=["a_scale", "a_zero_point"],
        by_column=["b_scale", "b_zero_point"],
        scalars=("y_scale", "y_zero_point"),
    ),
    "Gemm": _gemm,
    "Einsum": _einsum,
    "Conv": _convolution("X", "W", ("B",), ()),
    "ConvTranspose": _convolution("X", "W", ("B",), ()),
    "ConvInteger": _convolution("x", "w", ("w_zero_point",), ("x_zero_point",)),
    "QLinearConv": _convolution(
        "x",
        "w",
        ("w_scale", "w_zero_point", "B"),
        ("x_scale", "x_zero_point", "y_scale", "y_zero_point"),
    ),
}


def _samples(*outputs: Labels) -> Rule:
    """Samples one by one: the rows of a matrix, whose columns are features."""

    def rule(call: Call) -> Axes | None:
        shape = _shape(call, "X")
        if not shape or len(shape) != 2:
            return None
        return Axes({("X", 0): ("n", "f")}, dict(enumerate(outputs)), (("n",),))

    return rule


_ML_RULES: dict[str, Rule] = {
    "Binarizer": _elementwise,
    **dict.fromkeys(("Scaler", "Normalizer", "LinearRegressor"), _samples(("n", "f"))),
    **dict.fromkeys(("SVMRegressor", "TreeEnsemble"), _samples(("n", "f"))),
    "TreeEnsembleRegressor": _samples(("n", "f")),
    **dict.fromkeys(("LinearClassifier", "SVMClassifier"), _samples(("n",), ("n", "c"))),
    "TreeEnsembleClassifier": _samples(("n",), ("n", "c")),
}
