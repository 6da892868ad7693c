"""A small backend: onnx.reference with a kernel for BiasSilu of com.example, in NumPy.

    onnx-validate run --backend python:example_backend --vectors DIR

It has the interface of onnx.backend.base.Backend, as far as `onnx-validate` asks for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import helper, inliner
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

if TYPE_CHECKING:
    from collections.abc import Sequence

DOMAIN = "com.example"
_TYPES = (np.float16, np.float32)


class BiasSilu(OpRun):
    """The kernel: v * sigmoid(beta * v) of v = X + bias."""

    op_domain = DOMAIN

    def _run(
        self, x: np.ndarray, bias: np.ndarray | None = None, beta: np.float32 | None = None
    ) -> tuple[np.ndarray]:
        beta = np.float32(1) if beta is None else beta
        _check(x, bias, beta)
        # Steps of float16 would lose digits that the limits of the vectors allow for once.
        v = x.astype(np.float32) if bias is None else x.astype(np.float32) + bias
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = beta * v
            y = v / (1 + np.exp(-scaled))
        # The formula gives NaN there, and the document says the limit.
        y = np.where(np.isinf(v), np.where(scaled == -np.inf, 0, v), y)
        return (y.astype(x.dtype),)


def _check(x: np.ndarray, bias: np.ndarray | None, beta: np.float32) -> None:
    """ValueError for a call that the document calls invalid."""
    if x.dtype not in _TYPES or (bias is not None and bias.dtype != x.dtype):
        raise ValueError(f"BiasSilu is not defined on {x.dtype}")
    if not isinstance(beta, np.float32) or not np.isfinite(beta):
        raise ValueError(f"beta is {beta!r}, no finite number")
    if bias is not None and bias.shape != x.shape[-1:]:
        raise ValueError(f"bias has shape {bias.shape}, the last axis of X is of {x.shape[-1:]}")


class Prepared:
    """A model that is ready to run."""

    def __init__(self, model: onnx.ModelProto) -> None:
        """Look its operators up."""
        model = inliner.inline_local_functions(model)  # the evaluator has no kernels for these
        self._evaluator = ReferenceEvaluator(model, new_ops=[BiasSilu])
        initialized = {item.name for item in model.graph.initializer}
        self._inputs = [item.name for item in model.graph.input if item.name not in initialized]
        self._outputs = {
            item.name: helper.tensor_dtype_to_np_dtype(item.type.tensor_type.elem_type)
            for item in model.graph.output
        }

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        """The outputs for the inputs, both in the order of the graph."""
        outputs = self._evaluator.run(None, dict(zip(self._inputs, inputs, strict=True)))
        for (name, dtype), value in zip(self._outputs.items(), outputs, strict=True):
            if value.dtype != dtype:
                raise ValueError(f"'{name}' is declared as {dtype}, and is {value.dtype}")
        return outputs


def prepare(model: onnx.ModelProto, device: str = "CPU") -> Prepared:
    """The model on a device, of which there is one."""
    if device != "CPU":
        raise ValueError(f"there is no device {device}")
    return Prepared(model)
