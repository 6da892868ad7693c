"""OpenCV's dnn module, with the engine that it chooses by itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import cv2
import numpy as np

from ..arrays import from_numpy, to_array
from ..kit import Loaded, Model, UnsupportedError, in_order, rejection, without_options
from ..values import Tensor, Value

# Element types of cv::Mat that NumPy has too.
_TYPES = frozenset(
    ["float16", "float32", "float64", "bool"]
    + [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
)

# Messages of OpenCV that mean "not implemented" and not "wrong": -213 is StsNotImplemented.
_MISSING = re.compile(r"Can't create layer|\(-213:")


class OpenCv:
    """Runs a model on cv2.dnn."""

    def describe(self) -> dict[str, Any]:
        """Name and version."""
        return {"name": "opencv", "version": cv2.__version__}

    def load(self, model: Model) -> Loaded:
        """Import the model."""
        with rejection("load", _MISSING):
            net = cv2.dnn.readNetFromONNX(np.frombuffer(model.data, np.uint8))
        return model.loaded_as(net)

    def run(
        self, session: Loaded, inputs: Mapping[str, Value], outputs: Sequence[str]
    ) -> list[Value]:
        """Run one data set."""
        in_order(session.inputs, inputs, "cv2.dnn")
        feeds = [(name, _array(inputs[name])) for name in session.inputs]
        with rejection("run", _MISSING):
            for name, array in feeds:
                session.runnable.setInput(array, name)
            results = session.runnable.forward(list(outputs))
        return [_value(item) for item in results]


def _array(value: Value) -> np.ndarray[Any, Any]:
    if not isinstance(value, Tensor):
        raise UnsupportedError("cv2.dnn takes tensors only")
    if value.type not in _TYPES:
        raise UnsupportedError(f"cv2 has no {value.type} in NumPy arrays")
    return to_array(value)


def _value(result: Any) -> Value:  # noqa: ANN401  whatever cv2 returned
    if result is None:
        raise UnsupportedError(
            "cv2 returned None, which it does for an empty array: element type and shape are lost"
        )
    return from_numpy(result)


create = without_options(OpenCv)
