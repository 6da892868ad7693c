"""Models written as texts, run on the second opinion's evaluators."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx.parser
from second_opinion.graphs.running import run_model
from second_opinion.values.formats import LD
from second_opinion.values.tensors import Arr, fit, is_float, storage


def tensor(name: str, values: Any) -> Arr:  # noqa: ANN401  whatever NumPy takes
    """A tensor of a type; floats are rounded to it."""
    if name == "string":
        made = np.array(values, object)
        return Arr(name, made)
    return (
        fit(name, np.array(values, LD))
        if is_float(name)
        else Arr(name, np.array(values, storage(name)))
    )


def model(body: str, opset: int = 25, domain: str = "") -> bytes:
    """A model of ONNX's text format: `agraph (float[2] x) => (float[2] y) { y = Relu(x) }`."""
    extra = f', "{domain}" : 1' if domain else ""
    text = f'<ir_version: 10, opset_import: ["" : {opset}{extra}]>\n{body}'
    content: bytes = onnx.parser.parse_model(text).SerializeToString()
    return content


def run(content: bytes, wanted: str, **feeds: Any) -> Any:  # noqa: ANN401  values
    """One output of a model."""
    (value,) = run_model({"model.onnx": content}, feeds, [wanted])
    return value


def node(call: str, opset: int = 25, domain: str = "", **feeds: Any) -> list[Any]:  # noqa: ANN401
    """The elements of `y` where `y = CALL`, as a flat list."""
    inputs = ", ".join(f"float[?] {name}" for name in feeds)
    written = model(f"g ({inputs}) => (float[?] y) {{ y = {call} }}", opset, domain)
    return list(run(written, "y", **feeds).data.reshape(-1))
