"""Apache TVM: a model is imported into Relax and compiled by LLVM for the CPU."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

from ..arrays import from_numpy, to_array
from ..element_types import PACKED_BITS
from ..kit import Loaded, Model, UnsupportedError, in_order, rejection
from ..values import Tensor, Value

CONVERT = "--int64"
TARGET = "llvm"

# Messages of TVM that mean "not implemented" and not "wrong".
_MISSING = re.compile(
    r"^OpNotImplemented: |^NotImplementedError: |unknown dtype"
    r"|Reshape requires the input new shape to be Shape"
)


class Tvm:
    """Runs a model on TVM's virtual machine."""

    def __init__(self, *, convert: bool) -> None:
        """`convert`: turn results of Relax' shape type into int64; otherwise leave them."""
        self._convert = convert

    def describe(self) -> dict[str, Any]:
        """Name, version and target."""
        description: dict[str, Any] = {
            "name": "tvm",
            "version": tvm.__version__,
            "details": {"target": TARGET},
        }
        if self._convert:
            description["adapts"] = [
                {
                    "adaptation": "int64",
                    "reason": "results of Relax' shape type, which are no tensors, are read as"
                    " one-dimensional int64 tensors",
                }
            ]
        return description

    def load(self, model: Model) -> Loaded:
        """Import and compile the model."""
        with rejection("decode"):
            proto = onnx.load_model_from_string(model.data)
        if not all(item.type.HasField("tensor_type") for item in proto.graph.output):
            # Several outputs come as a tuple as well: what was meant cannot be told.
            raise UnsupportedError("Relax returns a tuple in place of a sequence")
        with rejection("load", _MISSING):
            executable = tvm.compile(from_onnx(proto), target=TARGET)
            return model.loaded_as(relax.VirtualMachine(executable, tvm.cpu()))

    def run(
        self, session: Loaded, inputs: Mapping[str, Value], outputs: Sequence[str]
    ) -> list[Value]:
        """Run one data set."""
        feeds = [_to_tvm(value) for value in in_order(session.inputs, inputs, "TVM")]
        with rejection("run", _MISSING):
            returned = session.runnable["main"](*feeds)
            if isinstance(returned, tvm.runtime.ShapeTuple):
                returned = [returned]
            several = isinstance(returned, (tuple, list, tvm.ir.Array))
            results = [_plain(item) for item in returned] if several else [_plain(returned)]
        return [self._from_tvm(item) for item in session.requested(results, outputs)]

    def _from_tvm(self, result: Any) -> Value:  # noqa: ANN401  whatever TVM returned
        if isinstance(result, tvm.runtime.ShapeTuple):
            if not self._convert:
                raise UnsupportedError("TVM returned a Relax shape, which is no tensor")
            return from_numpy(np.array(list(result), np.int64))
        return from_numpy(result)


def _plain(result: Any) -> Any:  # noqa: ANN401  whatever TVM returned
    """A tensor as a NumPy array; other results as they are."""
    return result.numpy() if isinstance(result, tvm.runtime.Tensor) else result


def _to_tvm(value: Value) -> Any:  # noqa: ANN401  a tvm.runtime.Tensor
    if not isinstance(value, Tensor):
        raise UnsupportedError("TVM takes tensors only")
    if value.type == "string" or value.type in PACKED_BITS:
        raise UnsupportedError(f"tvm.runtime.tensor takes no {value.type}")
    array = to_array(value)
    with rejection("run", _MISSING):
        return tvm.runtime.tensor(array)


def create(options: Sequence[str]) -> Tvm:
    """The harness; `--int64` reads results of Relax' shape type as int64."""
    unknown = [item for item in options if item != CONVERT]
    if unknown:
        raise ValueError(f"unknown options {unknown}")
    return Tvm(convert=CONVERT in options)
