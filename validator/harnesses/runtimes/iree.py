"""IREE: a model is imported to MLIR as `iree-import-onnx` does, and compiled for the CPU."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any, NamedTuple

import iree.compiler.tools
import iree.runtime
import onnx
from iree.compiler import ir
from iree.compiler.extras import onnx_importer

from ..arrays import from_numpy, to_array
from ..element_types import PACKED_BITS
from ..kit import Loaded, Model, UnsupportedError, in_order, rejection, without_options
from ..values import Tensor, Value

# Without the last two, double becomes float and, in some front ends, int64 becomes int32.
COMPILER_OPTIONS = (
    "--iree-llvmcpu-target-cpu=generic",
    "--iree-input-demote-f64-to-f32=false",
    "--iree-input-demote-i64-to-i32=false",
)
DRIVER = "local-sync"

# Messages of IREE that mean "not implemented" and not "wrong".
_MISSING = re.compile(
    r"^OnnxImportError: Unknown ONNX tensor element type"
    r"|^NotImplementedError: "
    r"|failed to legalize operation 'torch.operator'"
    r"|cannot be mapped to an IREE element type"
)


class Compiled(NamedTuple):
    """A compiled function, and the array type of each output that is declared as unsigned."""

    function: Any
    unsigned: tuple[Any, ...]


class Iree:
    """Runs a model on IREE's CPU driver."""

    def describe(self) -> dict[str, Any]:
        """Name, version and options."""
        return {
            "name": "iree",
            "version": metadata.version("iree-base-runtime"),
            "details": {"driver": DRIVER, "options": " ".join(COMPILER_OPTIONS)},
        }

    def load(self, model: Model) -> Loaded:
        """Check, infer shapes, import and compile, as IREE's tools do."""
        with rejection("decode"):
            proto = onnx.load_model_from_string(model.data)
        with rejection("load", _MISSING):
            onnx.checker.check_model(proto)
            proto = onnx.shape_inference.infer_shapes(proto, data_prop=True)
            text = _imported(proto)
            binary = iree.compiler.tools.compile_str(
                text,
                input_type="onnx",
                target_backends=["llvm-cpu"],
                extra_args=list(COMPILER_OPTIONS),
            )
            module = iree.runtime.load_vm_flatbuffer(binary, driver=DRIVER)
            function = module[proto.graph.name]
        return model.loaded_as(Compiled(function, tuple(map(_unsigned, proto.graph.output))))

    def run(
        self, session: Loaded, inputs: Mapping[str, Value], outputs: Sequence[str]
    ) -> list[Value]:
        """Run one data set."""
        feeds = [_array(value) for value in in_order(session.inputs, inputs, "IREE")]
        with rejection("run", _MISSING):
            returned = session.runnable.function(*feeds)
            results = list(returned) if isinstance(returned, (tuple, list)) else [returned]
            arrays = [item.to_host() if hasattr(item, "to_host") else item for item in results]
        # A result more than the model has keeps its place, and its type.
        declared = (*session.runnable.unsigned, *(None for _ in arrays))
        results = [_as_declared(item, kind) for kind, item in zip(declared, arrays, strict=False)]
        return [from_numpy(item) for item in session.requested(results, outputs)]


def _as_declared(array: Any, unsigned: Any) -> Any:  # noqa: ANN401  a NumPy array and type
    """An array with the sign that its output has: IREE's buffers have none, the caller knows it."""
    if unsigned is None or array.dtype.kind != "i" or array.dtype.itemsize != unsigned.itemsize:
        return array
    return array.view(unsigned)


def _unsigned(output: onnx.ValueInfoProto) -> Any:  # noqa: ANN401  a NumPy type
    """The array type of an output that is declared as unsigned integers; else None."""
    type_ = onnx.helper.tensor_dtype_to_np_dtype(output.type.tensor_type.elem_type or 1)
    return type_ if type_.kind == "u" else None


def _imported(proto: onnx.ModelProto) -> str:
    """The model as MLIR text."""
    info = onnx_importer.ModelInfo(proto)
    module = info.create_module(context=ir.Context()).operation
    onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    module.verify()
    return str(module)


def _array(value: Value) -> Any:  # noqa: ANN401  a NumPy array
    if not isinstance(value, Tensor):
        raise UnsupportedError("IREE takes tensors only")
    if value.type == "string" or value.type in PACKED_BITS:
        raise UnsupportedError(f"iree.runtime takes no {value.type}")
    return to_array(value)


create = without_options(Iree)
