"""A backend that runs old versions of operators as newer ones that say the same.

`onnx-validate run --backend python:newer_versions` rewrites the node of each model for the version
that is beside it here, and hands the model to onnxruntime or onnx.reference. What a version is
rewritten to follows from its page: an attribute renamed, an input that was an attribute. It shares
nothing with the oracles. Models whose first node is none of these are not taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from onnx import ModelProto, NodeProto

    Feeds = Mapping[str, np.ndarray[Any, Any]]
    Rewrite = Callable[["Node"], None]


class Node(NamedTuple):
    """The node to rewrite in place, its model, and what is fed."""

    proto: NodeProto
    model: ModelProto
    feeds: Feeds

    def take(self, name: str, default: Any = None) -> Any:  # noqa: ANN401  as the attribute is
        """The value of an attribute, which the node loses."""
        for item in self.proto.attribute:
            if item.name == name:
                value = helper.get_attribute_value(item)
                self.proto.attribute.remove(item)
                return value
        return default

    def give(self, name: str, value: Any) -> None:  # noqa: ANN401  as the attribute is
        """Give the node an attribute."""
        self.proto.attribute.append(helper.make_attribute(name, value))

    def fed(self, index: int) -> np.ndarray[Any, Any] | None:
        """The value that is fed to an input, or None if there is none."""
        names = self.proto.input
        return self.feeds[names[index]] if index < len(names) and names[index] else None

    def feed(self, values: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Let these be the inputs after the first."""
        del self.proto.input[1:]
        self.proto.input.extend(values)
        self.model.graph.initializer.extend(
            numpy_helper.from_array(value, name) for name, value in values.items()
        )


class Newer(NamedTuple):
    """What a version is rewritten to.

    Attributes:
        opset: of the model.
        rewrite: changes the node.
        reference: whether onnx.reference runs it; else onnxruntime does.
    """

    opset: int
    rewrite: Rewrite
    reference: bool = False


def same(_node: Node) -> None:
    """The versions differ in their types alone."""


def without_consumed_inputs(node: Node) -> None:
    """consumed_inputs was about memory."""
    node.take("consumed_inputs")


def cast(node: Node) -> None:
    """The type was a text."""
    code = onnx.TensorProto.DataType.Value(node.take("to").decode())
    node.give("to", code)


def dropout(node: Node) -> None:
    """is_test was an attribute, 0 by default, and so was the ratio; the mask was no bool."""
    node.take("consumed_inputs")
    ratio = node.take("ratio", 0.5)
    training = not node.take("is_test", 0)
    node.feed({"ratio_": np.array(ratio, np.float32), "mode_": np.array(training)})
    for name in node.proto.output[1:]:
        kind = node.model.graph.output[1].type.tensor_type.elem_type
        node.proto.output[1] = "mask_"
        node.model.graph.node.append(helper.make_node("Cast", ["mask_"], [name], to=kind))


def gemm(node: Node) -> None:
    """C broadcasts by itself now."""
    node.take("broadcast")


def global_lp_pool(node: Node) -> None:
    """P was a float, of which whole numbers are left."""
    power = node.take("p", 2.0)
    if power != int(power):
        raise ValueError(f"p is {power}")
    node.give("p", int(power))


def rnn(node: Node) -> None:
    """Y is an output if the node names it."""
    node.take("output_sequence")


def split(node: Node) -> None:
    """The lengths were an attribute or an input, which had the type of the data."""
    lengths, written = node.fed(1), node.take("split")
    node.feed({})
    if lengths is not None:
        node.give("split", [int(item) for item in lengths])
    elif written is not None:
        node.give("split", list(written))


def tile(node: Node) -> None:
    """One axis was repeated."""
    data, tiles, axis = (node.fed(index) for index in range(3))
    if data is None or tiles is None or axis is None:
        raise ValueError("Tile-1 has three inputs")
    repeats = np.ones(data.ndim, np.int64)
    repeats[int(axis.item())] = int(tiles.item())
    node.feed({"repeats_": repeats})


def upsample(node: Node) -> None:
    """Height and width had a scale each, and linear was called bilinear."""
    height, width = node.take("height_scale"), node.take("width_scale")
    node.give("scales", [1.0, 1.0, height, width])
    if node.take("mode", b"nearest") == b"bilinear":
        node.give("mode", "linear")


NEWER = {
    ("BatchNormalization", 1): Newer(6, without_consumed_inputs, reference=True),
    ("Cast", 1): Newer(6, cast),
    ("Clip", 1): Newer(6, without_consumed_inputs),
    ("Dropout", 1): Newer(12, dropout),
    ("Dropout", 6): Newer(12, dropout),
    ("Gemm", 1): Newer(7, gemm),
    ("GlobalLpPool", 1): Newer(2, global_lp_pool),
    ("GlobalLpPool", 22): Newer(21, same),
    ("MaxRoiPool", 22): Newer(21, same),
    ("Multinomial", 22): Newer(21, same),
    ("Optional", 28): Newer(15, same),
    ("RNN", 1): Newer(7, rnn),
    ("Split", 1): Newer(2, split),
    ("Tile", 1): Newer(6, tile),
    ("Upsample", 1): Newer(7, upsample),
}


class Prepared:
    """A model that is rewritten when it is known what is fed."""

    def __init__(self, model: ModelProto, newer: Newer) -> None:
        """Keep both until then."""
        self._model, self._newer = model, newer

    def run(self, inputs: Sequence[np.ndarray[Any, Any]]) -> Sequence[Any]:
        """The results of the rewritten model."""
        model = onnx.ModelProto()
        model.CopyFrom(self._model)
        names = [item.name for item in model.graph.input]
        feeds = dict(zip(names, inputs, strict=True))
        node = model.graph.node[0]
        self._newer.rewrite(Node(node, model, feeds))
        model.opset_import[0].version = self._newer.opset
        model.ir_version = 8
        left = set(node.input)
        for item in list(model.graph.input):
            if item.name not in left:
                model.graph.input.remove(item)
        feeds = {name: value for name, value in feeds.items() if name in left}
        if self._newer.reference:
            return list(ReferenceEvaluator(model).run(None, feeds))
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        return list(session.run(None, feeds))


def prepare(model: ModelProto, _device: str = "CPU", **_options: object) -> Prepared:
    """As onnx.backend says; KeyError for a model that is not rewritten."""
    (node,), (imported,) = model.graph.node, model.opset_import
    since = onnx.defs.get_schema(node.op_type, imported.version, "").since_version
    return Prepared(model, NEWER[node.op_type, since])
