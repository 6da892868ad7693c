"""OpenVINO on its CPU device.

Values are passed as bytes of `openvino.Tensor`, because NumPy has no type for half of them.
Inference is started and then awaited: the synchronous call corrupts memory with one thread.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

# If this package is installed, `import openvino` reports its use to its makers. Without it
# OpenVINO falls back to a stub that does nothing.
sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]

import openvino  # noqa: E402  after the line above

from ..arrays import clear_unused_bits, from_array, to_array  # noqa: E402
from ..element_types import PACKED_BITS  # noqa: E402
from ..kit import UnsupportedError, in_order, rejection, without_options  # noqa: E402
from ..values import ForeignValue, Tensor  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..kit import Model
    from ..values import Value

_TYPES = {
    "float32": openvino.Type.f32,
    "float64": openvino.Type.f64,
    "float16": openvino.Type.f16,
    "bfloat16": openvino.Type.bf16,
    "int8": openvino.Type.i8,
    "int16": openvino.Type.i16,
    "int32": openvino.Type.i32,
    "int64": openvino.Type.i64,
    "uint8": openvino.Type.u8,
    "uint16": openvino.Type.u16,
    "uint32": openvino.Type.u32,
    "uint64": openvino.Type.u64,
    "bool": openvino.Type.boolean,
    "float8e4m3fn": openvino.Type.f8e4m3,
    "float8e5m2": openvino.Type.f8e5m2,
    "float8e8m0": openvino.Type.f8e8m0,
    "float4e2m1": openvino.Type.f4e2m1,
    "int4": openvino.Type.i4,
    "uint4": openvino.Type.u4,
    "uint2": openvino.Type.u2,
}
_NAMES = {kind.to_string(): name for name, kind in _TYPES.items()}

# Messages of OpenVINO that mean "not implemented" and not "wrong".
_MISSING = re.compile(
    r"Unsupported data type \w+ expected:"
    r"|No conversion rule found for operations"
    r"|doesn't support \w+ operation with dynamic rank"
    r"|doesn't support .{0,80} precision"
    r"|[Uu]nsupported (?:element type|precision)"
)

# One thread: vectors are small. Accuracy: otherwise float32 may be computed in bfloat16.
_OPTIONS = {"INFERENCE_NUM_THREADS": 1, "EXECUTION_MODE_HINT": "ACCURACY"}


class OpenVino:
    """Runs a model on OpenVINO's CPU plug-in."""

    def __init__(self) -> None:
        """Find the plug-ins."""
        self._core = openvino.Core()

    def describe(self) -> dict[str, Any]:
        """Name, version and the options of every model."""
        return {
            "name": "openvino",
            "version": openvino.__version__,
            "details": {"device": "CPU", "execution mode": "accuracy", "threads": "1"},
        }

    def load(self, model: Model) -> Any:  # noqa: ANN401  an InferRequest
        """Read and compile the model."""
        with rejection("load", _MISSING):
            read = self._core.read_model(model.data)
            return self._core.compile_model(read, "CPU", _OPTIONS).create_infer_request()

    def run(self, session: Any, inputs: Mapping[str, Value], outputs: Sequence[str]) -> list[Value]:  # noqa: ANN401
        """Run one data set."""
        known = {name for port in session.model_inputs for name in port.names}
        in_order([name for name in inputs if name in known], inputs, "OpenVINO")
        feeds = {name: _to_openvino(value) for name, value in inputs.items()}
        with rejection("run", _MISSING):
            session.start_async(feeds, share_inputs=True)
            session.wait()
            results = [session.get_tensor(name) for name in outputs]
        return [_from_openvino(item) for item in results]


def _to_openvino(value: Value) -> openvino.Tensor:
    if not isinstance(value, Tensor):
        raise UnsupportedError("openvino.Tensor holds tensors only")
    if not isinstance(value.data, bytes):
        if any(item.endswith(b"\0") for item in value.data):
            raise UnsupportedError("openvino.Tensor drops trailing NULs of strings")
        result = openvino.Tensor(openvino.Type.string, openvino.Shape(list(value.shape)))
        if value.data:
            result.str_data = to_array(value).astype(str)
        return result
    if value.type not in _TYPES:
        raise UnsupportedError(f"openvino.Type has no {value.type}")
    result = openvino.Tensor(_TYPES[value.type], openvino.Shape(list(value.shape)))
    if value.data:
        result.data.reshape(-1).view(np.uint8)[:] = np.frombuffer(value.data, np.uint8)
    return result


def _from_openvino(result: openvino.Tensor) -> Value:
    kind = result.element_type.to_string()
    shape = tuple(int(dimension) for dimension in result.shape)
    if kind == "string":
        return from_array(result.str_data.reshape(shape))
    name = _NAMES.get(kind)
    if name is None:
        return ForeignValue(f"an openvino.Tensor of {kind}")
    if 0 in shape:
        return Tensor(name, shape, b"")
    data = bytes(result.data.tobytes())
    if name in PACKED_BITS:
        data = clear_unused_bits(data, shape, name)
    return Tensor(name, shape, data)


create = without_options(OpenVino)
