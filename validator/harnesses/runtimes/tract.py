"""tract, through its Python package.

Tensors are passed as bytes, with the same C functions that the package's NumPy conversion wraps:
that conversion has no complex types.
"""

from __future__ import annotations

import os

# Otherwise tract's errors contain a Rust backtrace of hundreds of lines.
os.environ["RUST_BACKTRACE"] = "0"

import ctypes
import re
from collections.abc import Mapping, Sequence
from typing import Any

import tract
from tract.bindings import TractError, check, lib
from tract.tensor import DatumType
from tract.tensor import Tensor as TractTensor

from ..arrays import byte_count
from ..kit import Loaded, Model, UnsupportedError, in_order, rejection
from ..values import ForeignValue, Tensor, Value

CONVERT = "--int64"

_TYPES = {
    "bool": DatumType.BOOL,
    "uint8": DatumType.U8,
    "uint16": DatumType.U16,
    "uint32": DatumType.U32,
    "uint64": DatumType.U64,
    "int8": DatumType.I8,
    "int16": DatumType.I16,
    "int32": DatumType.I32,
    "int64": DatumType.I64,
    "float16": DatumType.F16,
    "float32": DatumType.F32,
    "float64": DatumType.F64,
    "complex64": DatumType.COMPLEX_F32,
    "complex128": DatumType.COMPLEX_F64,
}
_NAMES = {kind: name for name, kind in _TYPES.items()}

# Messages of tract that mean "not implemented" and not "wrong".
_MISSING = re.compile(
    r"Unknown DatumType|unknown ONNX TensorProto"
    r"|Unimplemented\("
    r"|Unsupported DatumType in the public API"
    r"|shape input is variable"
    r"|Source node without a determined fact"
)


class Tract:
    """Runs a model on tract."""

    def __init__(self, *, convert: bool) -> None:
        """`convert`: turn results of tract's dimension type into int64; otherwise leave them."""
        self._convert = convert

    def describe(self) -> dict[str, Any]:
        """Name and version."""
        description: dict[str, Any] = {"name": "tract", "version": tract.version()}
        if self._convert:
            description["adapts"] = [
                {
                    "adaptation": "int64",
                    "reason": "results of tract's own dimension type, which its Python package"
                    " cannot read, are converted to int64 by Tensor.convert_to",
                }
            ]
        return description

    def load(self, model: Model) -> Loaded:
        """Load, type and optimize the model."""
        with rejection("load", _MISSING):
            inferred = tract.onnx().load(model.path)
            inputs = tuple(inferred.input_name(i) for i in range(inferred.input_count()))
            outputs = tuple(inferred.output_name(i) for i in range(inferred.output_count()))
            return Loaded(inferred.into_model().into_runnable(), inputs, outputs)

    def run(
        self, session: Loaded, inputs: Mapping[str, Value], outputs: Sequence[str]
    ) -> list[Value]:
        """Run one data set."""
        feeds = [_to_tract(value) for value in in_order(session.inputs, inputs, "tract")]
        with rejection("run", _MISSING):
            results = session.runnable.run(feeds)
        results = session.requested(results, outputs)
        if self._convert:
            results = [_converted(item) for item in results]
        return [_from_tract(item) for item in results]


def _to_tract(value: Value) -> TractTensor:
    if not isinstance(value, Tensor):
        raise UnsupportedError("tract's Python package takes tensors only")
    if value.type not in _TYPES or not isinstance(value.data, bytes):
        raise UnsupportedError(f"tract's Python package has no {value.type}")
    rank = len(value.shape)
    pointer = ctypes.c_void_p()
    with rejection("run", _MISSING):
        check(
            lib.tract_tensor_from_bytes(
                _TYPES[value.type],
                ctypes.c_size_t(rank),
                (ctypes.c_size_t * rank)(*value.shape),
                ctypes.c_char_p(value.data),
                ctypes.byref(pointer),
            )
        )
    return TractTensor(pointer)


def _converted(result: TractTensor) -> TractTensor:
    """A tensor of tract's dimension type as int64; any other as it is."""
    try:
        result.datum_type()
    except TractError:
        with rejection("run", _MISSING):
            return result.convert_to(DatumType.I64)
    return result


def _from_tract(result: TractTensor) -> Value:
    kind, rank = ctypes.c_uint32(), ctypes.c_size_t()
    dimensions, data = ctypes.POINTER(ctypes.c_size_t)(), ctypes.c_void_p()
    pointers = [ctypes.byref(item) for item in (kind, rank, dimensions, data)]
    with rejection("run", _MISSING):
        check(lib.tract_tensor_as_bytes(result.ptr, *pointers))
    shape = tuple(dimensions[axis] for axis in range(rank.value))
    name = _NAMES.get(kind.value)
    if name is None:
        return ForeignValue(f"a tract.Tensor of datum type {kind.value:#x}")
    empty = Tensor(name, shape, b"")
    size = byte_count(name, empty.size)
    return Tensor(name, shape, ctypes.string_at(data, size)) if size else empty


def create(options: Sequence[str]) -> Tract:
    """The harness; `--int64` reads results of tract's dimension type as int64."""
    unknown = [item for item in options if item != CONVERT]
    if unknown:
        raise ValueError(f"unknown options {unknown}")
    return Tract(convert=CONVERT in options)
