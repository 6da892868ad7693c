"""tinygrad's ONNX runner.

Runs on the device that the environment variable DEV names; without it on PYTHON, which needs a
compiler (clang) for a few operators that tinygrad computes on its device CPU.
"""

from __future__ import annotations

import os

os.environ.setdefault("DEV", "PYTHON")
os.environ.setdefault("CACHELEVEL", "0")  # no database of compiled kernels in the user's home

import re
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

from tinygrad import Device, dtypes
from tinygrad import Tensor as TinyTensor
from tinygrad.nn.onnx import OnnxRunner

from ..arrays import from_numpy
from ..kit import Model, RejectedError, UnsupportedError, in_order, rejection, without_options
from ..values import ForeignValue, SequenceValue, Tensor, Value

_NAMES = {
    dtypes.bool: "bool",
    dtypes.int8: "int8",
    dtypes.int16: "int16",
    dtypes.int32: "int32",
    dtypes.int64: "int64",
    dtypes.uint8: "uint8",
    dtypes.uint16: "uint16",
    dtypes.uint32: "uint32",
    dtypes.uint64: "uint64",
    dtypes.float16: "float16",
    dtypes.bfloat16: "bfloat16",
    dtypes.float32: "float32",
    dtypes.float64: "float64",
}
_TYPES = {name: kind for kind, name in _NAMES.items()}

# Messages of tinygrad that mean "not implemented" and not "wrong".
_MISSING = re.compile(r"is not a valid (?:OnnxDataType|Domain)|^NotImplementedError: ")


class Tinygrad:
    """Runs a model on tinygrad.nn.onnx.OnnxRunner."""

    def describe(self) -> dict[str, Any]:
        """Name, version and device."""
        return {
            "name": "tinygrad",
            "version": metadata.version("tinygrad"),
            "details": {"device": str(Device.DEFAULT)},
        }

    def load(self, model: Model) -> OnnxRunner:
        """Parse the model."""
        with rejection("load", _MISSING):
            return OnnxRunner(model.path)

    def run(
        self, session: OnnxRunner, inputs: Mapping[str, Value], outputs: Sequence[str]
    ) -> list[Value]:
        """Run one data set."""
        in_order(list(session.graph_inputs), inputs, "tinygrad")
        feeds = {name: _to_tinygrad(value) for name, value in inputs.items()}
        with rejection("run", _MISSING):
            results = session(feeds)
            if any(name not in results for name in outputs):
                raise RejectedError("run", f"tinygrad returned only {sorted(results)}")
            values = [_realized(results[name]) for name in outputs]
        return [_from_tinygrad(value) for value in values]


def _to_tinygrad(value: Value) -> Any:  # noqa: ANN401  a tinygrad.Tensor or what holds some
    if isinstance(value, SequenceValue):
        return [_to_tinygrad(item) for item in value.items]
    if not isinstance(value, Tensor):
        raise UnsupportedError("tinygrad takes tensors and sequences of them only")
    if value.type not in _TYPES or not isinstance(value.data, bytes):
        raise UnsupportedError(f"tinygrad has no {value.type}")
    with rejection("run", _MISSING):
        if not value.data:
            return TinyTensor.empty(*value.shape, dtype=_TYPES[value.type])
        flat = TinyTensor(value.data, dtype=dtypes.uint8).bitcast(_TYPES[value.type])
        return flat.reshape(value.shape).realize()


def _realized(result: Any) -> Any:  # noqa: ANN401  a tinygrad.Tensor, or whatever it returned
    """A tensor as (type, shape, bytes); other results as they are."""
    if not isinstance(result, TinyTensor):
        return result
    if 0 in result.shape:
        return result.dtype, result.shape, b""
    flat = result.reshape(-1).contiguous().bitcast(dtypes.uint8)
    return result.dtype, result.shape, flat.numpy().tobytes()


def _from_tinygrad(result: Any) -> Value:  # noqa: ANN401  what `_realized` returned
    if not isinstance(result, tuple) or len(result) != 3:
        return from_numpy(result)
    kind, shape, data = result
    if kind not in _NAMES:
        return ForeignValue(f"a tinygrad.Tensor of {kind}")
    return Tensor(_NAMES[kind], tuple(int(dimension) for dimension in shape), data)


create = without_options(Tinygrad)
