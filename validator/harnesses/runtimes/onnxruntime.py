"""onnxruntime on its CPU provider.

Tensors of types that NumPy has go in and come out as its arrays, the fastest way there is. All
others, and a run that fails so, take OrtValue, byte for byte through `data_ptr()`: NumPy would turn
float8 into uint8, cannot hold bfloat16, 4- and 2-bit elements, and has no zero-size array with huge
dimensions.
"""

from __future__ import annotations

import contextlib
import ctypes
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime

from ..arrays import byte_count, dtype_of, from_array, from_numpy, to_array, to_numpy
from ..element_types import DATA_TYPES
from ..kit import Model, UnsupportedError, describe_exception, rejection
from ..values import ForeignValue, MapValue, OptionalValue, Tensor, Value

NO_OPTIMIZATION = "--no-optimization"
LEVEL, WITHOUT = "--optimization=", "--without="
_LEVELS = {
    "none": "ORT_DISABLE_ALL",
    "basic": "ORT_ENABLE_BASIC",
    "extended": "ORT_ENABLE_EXTENDED",
    "all": "ORT_ENABLE_ALL",
}

# The values of TensorProto.DataType that have a fixed width, which is all that OrtValue needs.
_CODES = {name: code for name, code in DATA_TYPES.items() if name != "string"}
_NAMES = {code: name for name, code in _CODES.items()}
_STRING_CODE = DATA_TYPES["string"]
# Types whose arrays NumPy and the Python API exchange bit for bit, as both call them.
_PLAIN = {
    "float16": "tensor(float16)",
    "float32": "tensor(float)",
    "float64": "tensor(double)",
    "bool": "tensor(bool)",
    **{name: f"tensor({name})" for name in ("int8", "int16", "int32", "int64")},
    **{name: f"tensor({name})" for name in ("uint8", "uint16", "uint32", "uint64")},
}
_PLAIN_OUTPUTS = frozenset(_PLAIN.values())
_TAKES_CODES = tuple(int(part) for part in onnxruntime.__version__.split(".")[:2]) >= (1, 20)

# Messages of onnxruntime that mean "not implemented" and not "wrong".
_MISSING = re.compile(
    r"^NotImplemented: "
    r"|Current official support for domain \S+ is till opset \d+"
    r"|Unsupported model IR version: \d+, max supported IR version: \d+"
    r"|MLDataType for: tensor\(\w+\) is not currently registered or supported"
    r"|Invalid tensor data type (?:2[1-8])\b"
    r"|ai\.onnx\.preview\.training:\w+\(-1\) is not a registered function/op"
    # Somebody's own domain, such as com.example; functions of ONNX's test models are in `local`.
    r"|Fatal error: (?!ai\.onnx\.)\w+(?:\.\w+)+:\w+\(-1\) is not a registered function/op"
)


class OnnxRuntime:
    """Runs a model on onnxruntime, one thread, at a level of graph optimization."""

    def __init__(self, level: str = "all", disabled: Sequence[str] = ()) -> None:
        """Set the options of every session: a level of `_LEVELS`, and passes to be left out."""
        self._level = level
        self._disabled = list(disabled)
        self._options = onnxruntime.SessionOptions()
        # Vectors are small: threads cost more to start than they save.
        self._options.intra_op_num_threads = 1
        self._options.inter_op_num_threads = 1
        self._options.graph_optimization_level = getattr(
            onnxruntime.GraphOptimizationLevel, _LEVELS[level]
        )

    def describe(self) -> dict[str, Any]:
        """Name, version and the options of sessions."""
        return {
            "name": "onnxruntime",
            "version": onnxruntime.__version__,
            "details": {
                "provider": "CPUExecutionProvider",
                "graph optimization": "disabled" if self._level == "none" else self._level,
                **({"disabled passes": ", ".join(self._disabled)} if self._disabled else {}),
            },
        }

    def load(self, model: Model) -> onnxruntime.InferenceSession:
        """Create the session."""
        with rejection("load", _MISSING):
            return onnxruntime.InferenceSession(
                # From memory is faster, but external data is searched beside the file.
                model.path if model.keeps_data_beside else model.data,
                self._options,
                providers=["CPUExecutionProvider"],
                disabled_optimizers=self._disabled or None,
            )

    def run(
        self,
        session: onnxruntime.InferenceSession,
        inputs: Mapping[str, Value],
        outputs: Sequence[str],
    ) -> list[Value]:
        """Run one data set."""
        produced = {item.name: item.type for item in session.get_outputs()}
        arrays = _plain_arrays(inputs)
        if arrays is not None and all(produced.get(name) in _PLAIN_OUTPUTS for name in outputs):
            # What fails so is run again below: perhaps only an array was not to be made.
            with contextlib.suppress(Exception):
                returned = session.run(list(outputs), arrays)
                return [from_array(item) for item in returned]
        tensors = all(_has_fixed_width(value) for value in inputs.values())
        if tensors and all(produced.get(name, "").startswith("tensor(") for name in outputs):
            feeds = {name: _ort_value(value) for name, value in inputs.items()}
            with rejection("run", _MISSING):
                results = session.run_with_ort_values(list(outputs), feeds)
            return [_from_ort_value(item) for item in results]
        for name in outputs:
            _check_is_in_numpy(produced.get(name, ""))
        for value in inputs.values():
            _check_is_in_numpy(f"{value.type})" if isinstance(value, Tensor) else "")
            _check_is_a_python_map(value)
        plain = {name: to_numpy(value) for name, value in inputs.items()}
        with rejection("run", _MISSING):
            returned = session.run(list(outputs), plain)
        return [
            OptionalValue(None if item is None else from_numpy(item))
            if produced.get(name, "").startswith("optional(")
            else from_numpy(_with_typed_maps(item, produced.get(name, "")))
            for name, item in zip(outputs, returned)  # noqa: B905  Python 3.8
        ]


def _check_is_in_numpy(type_text: str) -> None:
    """Raise UnsupportedError for a type without an array in the Python API, or with one of bytes.

    Except for strings and values that are not tensors, all inputs and outputs are NumPy arrays.
    """
    found = re.search(r"(bfloat16|u?int[24]|float[468]e\w+)\)", type_text)
    if found:
        raise UnsupportedError(f"the Python API has no array of {found[1]}, for use beside strings")


def _check_is_a_python_map(value: Value) -> None:
    """Raise UnsupportedError for a map that the Python API does not accept."""
    if not isinstance(value, MapValue):
        return
    if not value.values:
        raise UnsupportedError("the Python API takes no empty map")
    for item in value.values:
        if not isinstance(item, Tensor) or item.type != "float32":
            found = item.type if isinstance(item, Tensor) else "no tensor"
            raise UnsupportedError(f"the Python API takes maps to float32 alone, not to {found}")


def _with_typed_maps(result: Any, type_text: str) -> Any:  # noqa: ANN401  whatever was returned
    """The values of maps in their declared type: the Python API returns plain Python numbers."""
    found = re.search(r"map\(\w+,tensor\((float|double|int64)\)\)", type_text)
    if not found:
        return result
    if isinstance(result, list):
        return [_with_typed_maps(item, type_text) for item in result]
    if not isinstance(result, dict):
        return result
    kinds: dict[str, Any] = {"float": np.float32, "double": np.float64, "int64": np.int64}
    kind = kinds[found[1]]
    # A value of another numeric kind than declared is left unchanged, and becomes a ForeignValue.
    expected = int if found[1] == "int64" else float
    return {key: kind(item) if type(item) is expected else item for key, item in result.items()}


def _plain_arrays(inputs: Mapping[str, Value]) -> dict[str, np.ndarray[Any, Any]] | None:
    """The arrays of all inputs; None if NumPy may lack the type or the shape of one."""
    arrays = {}
    for name, value in inputs.items():
        if not isinstance(value, Tensor) or value.type not in _PLAIN or not value.data:
            return None
        arrays[name] = to_array(value)
    return arrays


def _has_fixed_width(value: Value) -> bool:
    """Whether an OrtValue can be made of a value here: Python has no OrtValue of strings."""
    return isinstance(value, Tensor) and value.type in _CODES


def _ort_value(value: Value) -> onnxruntime.OrtValue:
    if not isinstance(value, Tensor) or not isinstance(value.data, bytes):
        raise TypeError("only tensors of fixed width become an OrtValue")
    try:
        result = onnxruntime.OrtValue.ortvalue_from_shape_and_type(
            list(value.shape), _element_type(value.type)
        )
    except (RuntimeError, ValueError) as error:
        raise UnsupportedError(
            f"no OrtValue of {value.type} {list(value.shape)}: {describe_exception(error)}"
        ) from None
    if value.data:
        ctypes.memmove(result.data_ptr(), value.data, len(value.data))
    return result


def _element_type(name: str) -> Any:  # noqa: ANN401  a code, or a NumPy type
    """How OrtValue wants an element type: as a code; before version 1.20 only as a NumPy type."""
    return _CODES[name] if _TAKES_CODES else dtype_of(name).type


def _from_ort_value(value: onnxruntime.OrtValue) -> Value:
    if not value.is_tensor():
        # Of an output that was never set, data_type() ends the process.
        if not value.has_value():
            return ForeignValue("an output without a value")
        return ForeignValue(f"an OrtValue of {value.data_type()}")
    code = value.element_type()
    if code == _STRING_CODE:
        return from_numpy(value.numpy())
    name = _NAMES[code]
    empty = Tensor(name, tuple(value.shape()), b"")
    size = byte_count(name, empty.size)
    return Tensor(name, empty.shape, ctypes.string_at(value.data_ptr(), size)) if size else empty


def create(options: Sequence[str]) -> OnnxRuntime:
    """The harness.

    `--no-optimization` disables every change of the graph, `--optimization=LEVEL` sets how far it
    goes (none, basic, extended, all), `--without=PASS,PASS` leaves passes out.
    """
    level = "all"
    disabled: list[str] = []
    unknown: list[str] = []
    for item in options:
        if item == NO_OPTIMIZATION:
            level = "none"
        elif item.startswith(LEVEL) and item[len(LEVEL) :] in _LEVELS:
            level = item[len(LEVEL) :]
        elif item.startswith(WITHOUT):
            disabled += [name for name in item[len(WITHOUT) :].split(",") if name]
        else:
            unknown.append(item)
    if unknown:
        raise ValueError(f"unknown options {unknown}")
    return OnnxRuntime(level, disabled)
