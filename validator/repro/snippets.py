"""How each runtime is used by itself: what `onnx-validate repro` writes into a script.

A snippet defines `load(path)` and `run(session, inputs, outputs)`, with NumPy arrays by name in
and a list out, as the runtime's own documentation does it. What it cannot feed that way, the script
says. One snippet for each module in `harnesses`.
"""

from __future__ import annotations

_ONNXRUNTIME = '''
import onnxruntime

options = onnxruntime.SessionOptions()
{options}

def load(path):
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def run(session, inputs, outputs):
    if all(value.dtype.kind in "biufcO" for value in inputs.values()):
        return session.run(outputs, inputs)
    values = {{name: ort_value(value) for name, value in inputs.items()}}
    return [array_of(item) for item in session.run_with_ort_values(outputs, values)]


def ort_value(value):
    """bfloat16 and float8 have no NumPy type of their own: fill an OrtValue with their bytes."""
    import ctypes

    code = {{"bfloat16": 16, "float8_e4m3fn": 17, "float8_e4m3fnuz": 18, "float8_e5m2": 19}}
    code |= {{"float8_e5m2fnuz": 20, "float8_e8m0fnu": 24}}
    if value.dtype.kind in "biuf" and value.dtype.name not in code:
        return onnxruntime.OrtValue.ortvalue_from_numpy(value)
    result = onnxruntime.OrtValue.ortvalue_from_shape_and_type(
        list(value.shape), code[value.dtype.name]
    )
    ctypes.memmove(result.data_ptr(), value.tobytes(), value.nbytes)
    return result


def array_of(value):
    import ctypes

    import ml_dtypes

    names = {{16: "bfloat16", 17: "float8_e4m3fn", 18: "float8_e4m3fnuz", 19: "float8_e5m2"}}
    names |= {{20: "float8_e5m2fnuz", 24: "float8_e8m0fnu"}}
    if value.element_type() not in names:
        return value.numpy()
    dtype = np.dtype(getattr(ml_dtypes, names[value.element_type()]))
    data = ctypes.string_at(value.data_ptr(), value.tensor_size_in_bytes())
    return np.frombuffer(data, dtype).reshape(value.shape())
'''

_REFERENCE = """
import onnx
from onnx.reference import ReferenceEvaluator


def load(path):
    return ReferenceEvaluator(onnx.load(path))


def run(session, inputs, outputs):
    return session.run(outputs, inputs)
"""

_CHECKER = """
import onnx


def load(path):
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    sys.exit("onnx.checker and strict shape inference accept the model")
"""

_ONNX_BACKEND = """
import importlib

import onnx

sys.path.insert(0, "")


def load(path):
    module, _, attribute = {target!r}.partition(":")
    backend = importlib.import_module(module)
    for part in attribute.split(".") if attribute else ():
        backend = getattr(backend, part)
    model = onnx.load(path)
    initialized = {{item.name for item in model.graph.initializer}}
    names = [item.name for item in model.graph.input if item.name not in initialized]
    return backend.prepare(model, "CPU"), names


def run(session, inputs, outputs):
    prepared, names = session
    return list(prepared.run([inputs[name] for name in names if name in inputs]))
"""

_OPENVINO = """
sys.modules["openvino_telemetry"] = None  # openvino reports its import otherwise
import openvino


def load(path):
    options = {{"INFERENCE_NUM_THREADS": 1, "EXECUTION_MODE_HINT": "ACCURACY"}}
    return openvino.Core().compile_model(path, "CPU", options).create_infer_request()


def run(session, inputs, outputs):
    session.start_async(inputs)
    session.wait()
    return [session.get_tensor(name).data for name in outputs]
"""

_TRACT = """
import os

os.environ["RUST_BACKTRACE"] = "0"
import tract


def load(path):
    model = tract.onnx().load(path)
    names = [model.input_name(index) for index in range(model.input_count())]
    return model.into_model().into_runnable(), names


def run(session, inputs, outputs):
    runnable, names = session
    results = runnable.run([inputs[name] for name in names])
    return [{convert}.to_numpy() for result in results]
"""

_TINYGRAD = """
import os

os.environ.setdefault("DEV", "PYTHON")  # needs no compiler
from tinygrad import Tensor
from tinygrad.nn.onnx import OnnxRunner


def load(path):
    return OnnxRunner(path)


def run(session, inputs, outputs):
    results = session(inputs)
    return [
        results[name].numpy() if isinstance(results[name], Tensor) else results[name]
        for name in outputs
    ]
"""

_TVM = """
import onnx
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx


def load(path):
    model = onnx.load(path)
    initialized = {{item.name for item in model.graph.initializer}}
    names = [item.name for item in model.graph.input if item.name not in initialized]
    machine = relax.VirtualMachine(tvm.compile(from_onnx(model), target="llvm"), tvm.cpu())
    return machine, names


def run(session, inputs, outputs):
    machine, names = session
    returned = machine["main"](*(tvm.runtime.tensor(inputs[name]) for name in names))
    if isinstance(returned, tvm.runtime.ShapeTuple):
        return [np.array(list(returned), np.int64)]
    results = list(returned) if isinstance(returned, (tuple, list, tvm.ir.Array)) else [returned]
    return [item.numpy() for item in results]
"""

_OPENCV = """
import cv2


def load(path):
    return cv2.dnn.readNetFromONNX(path)


def run(session, inputs, outputs):
    for name, value in inputs.items():
        session.setInput(value, name)
    return list(session.forward(outputs))
"""

_JAXONNXRUNTIME = """
import os

os.environ["JAX_ENABLE_X64"] = "1"
import onnx
from jaxonnxruntime.backend import Backend


def load(path):
    model = onnx.load(path)
    initialized = {{item.name for item in model.graph.initializer}}
    names = [item.name for item in model.graph.input if item.name not in initialized]
    return Backend.prepare(model, "CPU"), names


def run(session, inputs, outputs):
    prepared, names = session
    return [np.asarray(item) for item in prepared.run([inputs[name] for name in names])]
"""

_NXRT = """
import nxrt


def load(path):
    return nxrt.InferenceSession(path)


def run(session, inputs, outputs):
    return session.run(outputs, inputs)
"""

_AIDGE = """
import aidge_backend_cpu
import aidge_core
import aidge_onnx
import onnx


def load(path):
    graph = aidge_onnx.load_onnx(path)
    graph.set_backend("cpu")
    model = onnx.load(path)
    initialized = {{item.name for item in model.graph.initializer}}
    return graph, [item.name for item in model.graph.input if item.name not in initialized]


def run(session, inputs, outputs):
    graph, names = session
    feeds = [aidge_core.Tensor(inputs[name]) for name in names]
    aidge_core.SequentialScheduler(graph).forward(data=feeds)
    ports = graph.get_ordered_outputs()
    return [np.array(port.node.get_operator().get_output(port.index)) for port in ports]
"""

_IREE = """
import iree.compiler.tools
import iree.runtime
import onnx
from iree.compiler import ir
from iree.compiler.extras import onnx_importer

# Without the last two, double becomes float, and int64 may become int32.
OPTIONS = [
    "--iree-llvmcpu-target-cpu=generic",
    "--iree-input-demote-f64-to-f32=false",
    "--iree-input-demote-i64-to-i32=false",
]


def load(path):
    model = onnx.load(path)
    onnx.checker.check_model(model)
    model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    info = onnx_importer.ModelInfo(model)
    module = info.create_module(context=ir.Context()).operation
    onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    binary = iree.compiler.tools.compile_str(
        str(module), input_type="onnx", target_backends=["llvm-cpu"], extra_args=OPTIONS
    )
    loaded = iree.runtime.load_vm_flatbuffer(binary, driver="local-sync")
    initialized = {{item.name for item in model.graph.initializer}}
    names = [item.name for item in model.graph.input if item.name not in initialized]
    return loaded[model.graph.name], names


def run(session, inputs, outputs):
    function, names = session
    returned = function(*(inputs[name] for name in names))
    results = list(returned) if isinstance(returned, (tuple, list)) else [returned]
    return [item.to_host() for item in results]
"""

_TRANSFORMER = """
import onnx
import onnxruntime
{imports}

options = onnxruntime.SessionOptions()
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL


def load(path):
    model = onnx.load(path)
    try:
        session(model)
        print("onnxruntime takes the model as it is")
    except Exception as error:
        print(f"onnxruntime refuses the model as it is: {{error}}")
    transformed = {transform}
    print("transformed:\\n" + onnx.printer.to_text(transformed))
    return session(transformed)


def session(model):
    data = model.SerializeToString()
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def run(session, inputs, outputs):
    return session.run(outputs, inputs)
"""

_TRANSFORMS = {
    "onnxsim": ("import onnxsim", "onnxsim.simplify(model)[0]"),
    "onnxslim": ("import onnxslim", "onnxslim.slim(model)"),
    "onnxoptimizer": ("import onnxoptimizer", "onnxoptimizer.optimize(model)"),
    "onnxscript": ("import onnxscript.optimizer", "onnxscript.optimizer.optimize(model)"),
    "version-converter": (
        "import onnx.version_converter",
        "onnx.version_converter.convert_version(model, 26)",
    ),
}

_SNIPPETS = {
    "reference": _REFERENCE,
    "checker": _CHECKER,
    "onnx_backend": _ONNX_BACKEND,
    "openvino": _OPENVINO,
    "tract": _TRACT,
    "tinygrad": _TINYGRAD,
    "tvm": _TVM,
    "opencv": _OPENCV,
    "jaxonnxruntime": _JAXONNXRUNTIME,
    "nxrt": _NXRT,
    "aidge": _AIDGE,
    "iree": _IREE,
}


def snippet(harness: str, options: tuple[str, ...]) -> str:
    """`load` and `run` of a harness module started with some options, as Python source."""
    if harness == "onnxruntime":
        level = "options.graph_optimization_level = onnxruntime.GraphOptimizationLevel."
        disabled = "--no-optimization" in options
        return _ONNXRUNTIME.format(
            options=level + ("ORT_DISABLE_ALL" if disabled else "ORT_ENABLE_ALL") + "\n"
        )
    if harness == "transformer":
        imports, transform = _TRANSFORMS[options[0]]
        return _TRANSFORMER.format(imports=imports, transform=transform)
    if harness == "tract":
        convert = "result.convert_to(tract.DatumType.I64)" if "--int64" in options else "result"
        return _TRACT.format(convert=convert)
    if harness == "emx_onnx_cgen":
        target = "emx_onnx_cgen.onnx_backend.backend:EmxOnnxCgenBackend"
        return _ONNX_BACKEND.format(target=target)
    if harness == "onnx_backend":
        return _ONNX_BACKEND.format(target=options[0])
    return _SNIPPETS[harness].format()
