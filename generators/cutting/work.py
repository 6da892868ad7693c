"""How much the oracle would have to do for a node: about one unit for each exact multiplication.

The numbers decide what is affordable and nothing else: a wrong one costs time, or a vector of the
model's own shapes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from onnx_conformance.core.families import family_of
from onnx_conformance.core.models.attributes import attributes_of

if TYPE_CHECKING:
    import onnx

Shape: TypeAlias = "tuple[int, ...]"

# What one element costs, where it is not one unit.
_ELEMENT = {"functions": 12, "activations": 12, "normalization": 10, "images": 30, "random": 5}
# Powers of numbers that are no integers, for each element.
_POWERS = {"LRN": 100, "Pow": 20}
# Elements that are moved and not computed with, so many for a unit.
_MOVED = frozenset({"shape", "movement", "indexing"})
_MOVED_AT_ONCE = 4
# Those whose elements stay in their order, which nobody looks at.
_PASSED = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"})
_PASSED_AT_ONCE = 32
_CONVOLUTIONS = frozenset({"Conv", "ConvInteger", "QLinearConv", "DeformConv"})
_PRODUCTS = {
    "MatMul": (0, 1),
    "MatMulInteger": (0, 1),
    "QLinearMatMul": (0, 3),
}
_RECURRENT = {"LSTM": 4, "GRU": 3, "RNN": 1}


def work_of(node: onnx.NodeProto, inputs: Sequence[Shape | None], outputs: Sequence[Shape]) -> int:
    """Units of work for a node.

    Args:
        node: the node.
        inputs: the shape of each input by position; None for an absent one.
        outputs: the shapes of its outputs, as far as they are known.
    """
    elements = sum(math.prod(item) for item in (*(i for i in inputs if i is not None), *outputs))
    each = _POWERS.get(node.op_type, _ELEMENT.get(family_of(node.op_type), 1))
    if node.op_type in _PASSED:
        return elements // _PASSED_AT_ONCE
    if family_of(node.op_type) in _MOVED:
        return elements // _MOVED_AT_ONCE
    return max(elements * each, _products(node, inputs, outputs))


def _products(  # noqa: PLR0911  one kind of operator after the other
    node: onnx.NodeProto, inputs: Sequence[Shape | None], outputs: Sequence[Shape]
) -> int:
    name = node.op_type
    given = [item or () for item in inputs]
    made = math.prod(outputs[0]) if outputs else max(map(math.prod, given), default=1)
    if name in _CONVOLUTIONS:
        weights = given[3] if name == "QLinearConv" and len(given) > 3 else given[1]
        if not outputs:
            made = math.prod(given[0][:1] + weights[:1] + given[0][2:]) // math.prod(
                attributes_of(node).get("strides", ())
            )
        return made * math.prod(weights[1:])
    if name == "ConvTranspose":
        return math.prod(given[0]) * math.prod(given[1][1:])
    if name == "Gemm":
        # Each is rows by columns: the size that both have is counted twice.
        return math.isqrt(math.prod(given[0]) * math.prod(given[1]) * made)
    if name in _PRODUCTS and len(given) > _PRODUCTS[name][1]:
        one, other = (given[at] or (1,) for at in _PRODUCTS[name])
        made = math.prod(outputs[0]) if outputs else math.prod(one[:-1]) * other[-1]
        return made * one[-1]
    if name in _RECURRENT and len(given[0]) == 3 and len(given[1]) == 3:
        steps, batch, size = given[0]
        directions, rows, _ = given[1]
        return steps * batch * directions * rows * (size + rows // _RECURRENT[name])
    if name == "Einsum":
        return math.prod({size for item in given for size in item}) * max(map(len, given))
    if name in ("Attention", "FlexAttention") and len(given) > 1:
        return math.prod(given[0]) * max(given[1], default=1) * 3
    return made * _window(node)


def _window(node: onnx.NodeProto) -> int:
    """How many elements one element of a pool or of LRN is made of."""
    attributes = attributes_of(node)
    if node.op_type == "LRN":
        return int(attributes.get("size", 1))
    kernel = attributes.get("kernel_shape")
    return math.prod(kernel) if isinstance(kernel, tuple) else 1
