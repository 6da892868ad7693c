"""onnx.checker with full_check and strict shape inference: judges validity alone.

It runs nothing: it accepts or rejects models and produces no values. It cannot notice a fault that
only values show; the host judges that as inconclusive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import onnx
import onnx.checker
import onnx.shape_inference

from ..kit import Model, rejection, without_options
from ..values import Value


class Checker:
    """Accepts what onnx.checker and strict shape inference accept."""

    def describe(self) -> dict[str, Any]:
        """Name and version of the checker: those of onnx."""
        return {
            "name": "onnx.checker",
            "version": onnx.__version__,
            "judges": "validity",
            "details": {"checks": "full_check, strict shape inference with data propagation"},
        }

    def load(self, model: Model) -> None:
        """Check the model."""
        with rejection("decode"):
            proto = onnx.load_model_from_string(model.data)
        with rejection("load"):
            beside = model.keeps_data_beside
            onnx.checker.check_model(model.path if beside else proto, full_check=True)
            onnx.shape_inference.infer_shapes(
                proto, check_type=True, strict_mode=True, data_prop=True
            )

    def run(self, session: None, inputs: Mapping[str, Value], outputs: Sequence[str]) -> None:
        """Accept the model without a value."""


create = without_options(Checker)
