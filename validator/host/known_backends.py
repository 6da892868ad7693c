"""The backends that come with a harness here: a table, and nothing else.

docs/runtimes.md says how to install each, docs/scoreboard.md how each does on the vectors.
"""

from __future__ import annotations

from dataclasses import dataclass

from .optimizers import ONNXRUNTIME, Optimizer

# Changes that any harness can make before its runtime sees the model (harnesses/adapting.py).
ADAPTATIONS = ("freeze", "static", "reload")


@dataclass(frozen=True)
class KnownBackend:
    """A backend that comes with a harness here.

    Attributes:
        name: its column in reports.
        summary: what it is, in one line.
        modules: what its interpreter must be able to import.
        install: arguments of `pip install` that install them.
        harness: module in `harnesses.runtimes` that starts it.
        options: further arguments of the harness.
        own_adaptations: adaptations beyond ADAPTATIONS, which only this harness has.
        adapted: combinations of adaptations that deserve a column, e.g. `freeze+static`.
        unoptimized: the backend that is this one without what optimizes a model, or ''.
        optimizer: what its optimizer can be told; None if nothing.
        remark: why it may not run on every machine: slow, fragile ...
    """

    name: str
    summary: str
    modules: tuple[str, ...]
    install: str
    harness: str
    options: tuple[str, ...] = ()
    own_adaptations: tuple[str, ...] = ()
    adapted: tuple[str, ...] = ()
    unoptimized: str = ""
    optimizer: Optimizer | None = None
    remark: str = ""


@dataclass(frozen=True)
class OwnBackend:
    """A backend that is part of this project: not a runtime, so the scoreboard leaves it out.

    Attributes:
        name: its column in reports.
        summary: what it is, in one line.
        module: module that serves protocol 1 as `python -m MODULE`.
        options: further arguments for it.
    """

    name: str
    summary: str
    module: str
    options: tuple[str, ...] = ()


OWN_BACKENDS: tuple[OwnBackend, ...] = (
    OwnBackend(
        name="oracle",
        summary="an interpreter over the oracles that the expected values come from",
        module="onnx_conformance.generators.interpreter",
    ),
    OwnBackend(
        name="bodies",
        summary="the same, with operators run by their function bodies in the standard",
        module="onnx_conformance.generators.interpreter",
        options=("--bodies",),
    ),
    OwnBackend(
        name="inference",
        summary="ONNX's shape inference, compared with the types and shapes that the oracles give",
        module="onnx_conformance.generators.interpreter",
        options=("--inference",),
    ),
)

KNOWN_BACKENDS: tuple[KnownBackend, ...] = (
    KnownBackend(
        name="reference",
        summary="onnx.reference, ONNX's own evaluator",
        modules=("onnx",),
        install="onnx",
        harness="reference",
    ),
    KnownBackend(
        name="checker",
        summary="onnx.checker with full_check and strict shape inference: validity alone",
        modules=("onnx",),
        install="onnx",
        harness="checker",
    ),
    KnownBackend(
        name="onnxruntime",
        summary="onnxruntime on CPU, graph optimization as it comes",
        modules=("onnxruntime",),
        install="onnxruntime",
        harness="onnxruntime",
        unoptimized="onnxruntime-noopt",
        optimizer=ONNXRUNTIME,
    ),
    KnownBackend(
        name="onnxruntime-noopt",
        summary="onnxruntime on CPU, graph optimization disabled",
        modules=("onnxruntime",),
        install="onnxruntime",
        harness="onnxruntime",
        options=("--no-optimization",),
    ),
    KnownBackend(
        name="openvino",
        summary="OpenVINO, CPU plug-in",
        modules=("openvino",),
        install="openvino",
        harness="openvino",
        adapted=("static",),
    ),
    KnownBackend(
        name="tract",
        summary="tract (Rust) through its Python package",
        modules=("tract",),
        install="tract",
        harness="tract",
        own_adaptations=("int64",),
        adapted=("freeze+static+int64",),
    ),
    KnownBackend(
        name="tinygrad",
        summary="tinygrad's ONNX runner, on the device PYTHON unless DEV names another",
        modules=("tinygrad",),
        install="tinygrad",
        harness="tinygrad",
        adapted=("reload",),
    ),
    KnownBackend(
        name="tvm",
        summary="Apache TVM: Relax, compiled by LLVM for the CPU",
        modules=("tvm", "onnx"),
        install="apache-tvm onnx",
        harness="tvm",
        own_adaptations=("int64",),
        adapted=("freeze+static+int64",),
        remark="compiles: 30 to 150 ms for each vector",
    ),
    KnownBackend(
        name="opencv",
        summary="OpenCV's dnn module",
        modules=("cv2",),
        install="opencv-python-headless",
        harness="opencv",
        adapted=("freeze+static",),
        remark="fragile",
    ),
    KnownBackend(
        name="jaxonnxruntime",
        summary="jaxonnxruntime: ONNX operators in JAX",
        modules=("jaxonnxruntime", "absl", "onnx"),
        install="jaxonnxruntime absl-py onnx",
        harness="jaxonnxruntime",
        adapted=("freeze",),
        remark="no release since 2023",
    ),
    KnownBackend(
        name="nxrt",
        summary="nxrt (Rust), CPU provider",
        modules=("nxrt",),
        install="nxrt ml_dtypes",
        harness="nxrt",
        remark="a preview: 0.1.0.dev6",
    ),
    KnownBackend(
        name="aidge",
        summary="Aidge of Eclipse, CPU backend",
        modules=("aidge_core", "aidge_onnx", "aidge_backend_cpu"),
        install="aidge-core aidge-onnx aidge-backend-cpu",
        harness="aidge",
        adapted=("reload",),
    ),
    KnownBackend(
        name="iree",
        summary="IREE: MLIR, compiled by LLVM for the CPU",
        modules=("iree.compiler", "iree.runtime", "onnx"),
        install="iree-base-compiler iree-base-runtime onnx",
        harness="iree",
        adapted=("freeze+static",),
        remark="slow: compiles for half a second for each vector",
    ),
    KnownBackend(
        name="emx-onnx-cgen",
        summary="emx-onnx-cgen: C code, compiled by the C compiler of this machine",
        modules=("emx_onnx_cgen",),
        install="emx-onnx-cgen",
        harness="emx_onnx_cgen",
        adapted=("freeze+static",),
        remark="slow: compiles for a second for each vector; needs a C compiler",
    ),
    *(
        KnownBackend(
            name=name,
            summary=f"{what}, then onnxruntime with graph optimization disabled",
            modules=(module, "onnxruntime", "onnx"),
            install=f"{distribution} onnxruntime onnx",
            harness="transformer",
            options=(name,),
            remark="a graph transformer",
        )
        for name, what, module, distribution in (
            ("onnxsim", "onnxsim.simplify", "onnxsim", "onnxsim"),
            ("onnxslim", "onnxslim.slim", "onnxslim", "onnxslim"),
            ("onnxoptimizer", "onnxoptimizer's default passes", "onnxoptimizer", "onnxoptimizer"),
            ("onnxscript", "onnxscript.optimizer.optimize", "onnxscript", "onnxscript"),
            ("version-converter", "onnx.version_converter to opset 28", "onnx", "onnx"),
        )
    ),
)
