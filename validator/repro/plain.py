"""One file of a few lines that shows a vector with the runtime's own API, without our code.

Only for the runtimes that people use most and for vectors whose types NumPy has; `None` for others.
The exit code of a script: 0 if the runtime does what is required, 3 if it does not. Any other code
says nothing about the runtime: 1 is Python's own, for example if a library is missing or the valid
control does not run either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import Expect
from onnx_conformance.core.text import printable_line
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.limits import limits_for
from onnx_conformance.core.values.tensors import Bounded, NamedValue, Tensor, Value

from .literals import NoLiteralError, array_source, has_nan, model_source

if TYPE_CHECKING:
    from .subject import Subject

# A vector that needs a longer script is better shown by a bundle.
MOST_LINES = 120


@dataclass(frozen=True)
class Runtime:
    """How a script calls a runtime.

    Attributes:
        modules: what a script imports beside numpy and onnx.
        load: expression that loads `model`.
        run: expression that gives the results of `{loaded}` for `{names}` and `feeds`; empty if a
            model is only judged to be valid.
        version: what is printed beside the versions of onnx and numpy.
    """

    modules: tuple[str, ...]
    load: str
    run: str
    version: str = ""


_ORT = "onnxruntime.InferenceSession(model.SerializeToString(){}, providers=PROVIDERS)"
_RUN = "{loaded}.run({names}, feeds)"

RUNTIMES = {
    "onnxruntime": Runtime(
        ("onnxruntime",), _ORT.format(""), _RUN, "onnxruntime {onnxruntime.__version__}, "
    ),
    "onnxruntime-noopt": Runtime(
        ("onnxruntime",),
        _ORT.format(", OPTIONS"),
        _RUN,
        "onnxruntime {onnxruntime.__version__} without optimization, ",
    ),
    "reference": Runtime(
        ("onnx.reference",), "onnx.reference.ReferenceEvaluator(model)", _RUN, "onnx.reference of "
    ),
    "checker": Runtime(("onnx.checker", "onnx.shape_inference"), "check(model)", ""),
}
# Code that a script needs before `load`.
_PROVIDERS = """\
PROVIDERS = ["CPUExecutionProvider"]
assert set(PROVIDERS) <= set(onnxruntime.get_available_providers()), "another would be used"
"""
_BEFORE = {
    "onnxruntime": _PROVIDERS,
    "onnxruntime-noopt": f"""\
{_PROVIDERS}OPTIONS = onnxruntime.SessionOptions()
OPTIONS.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
""",
    "checker": """\
def check(model):
    onnx.checker.check_model(model, full_check=True)
    onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
""",
}


def plain_script(subject: Subject, backend: str) -> str | None:
    """The script, or None if the backend or the vector needs more than that."""
    runtime = RUNTIMES.get(backend)
    if runtime is None or subject.vector.expect is Expect.ANY:
        return None
    rejection = subject.vector.expect is Expect.REJECTION
    try:
        if rejection:
            body = _rejection(subject, runtime)
        elif runtime.run:
            body = _outputs(subject, runtime)
        else:
            body = _acceptance(subject, runtime)
    except NoLiteralError:
        return None
    text = _head(subject, runtime, body) + _BEFORE.get(backend, "") + body
    return text if text.count("\n") <= MOST_LINES else None


def _head(subject: Subject, runtime: Runtime, body: str) -> str:
    """The heading with the subject, imports, and versions."""
    modules = ["platform", "sys", "numpy", "onnx.parser", *runtime.modules]
    if "base64." in body:
        modules.insert(0, "base64")
    corpus = printable_line(subject.corpus)
    lines = [f"# {printable_line(subject.heading)}"]
    # If the vector has no purpose of its own, the heading is a requirement already.
    told = [item for item in subject.requirements if item not in subject.heading]
    lines += [f"# Required: {printable_line(item)}" for item in told]
    name = printable_line(subject.vector.id)
    versions = "onnx {onnx.__version__}, numpy {numpy.__version__}"
    platform = "Python {platform.python_version()}, {platform.platform()}"
    exits = "Exit code: 0 as required, 3 not, any other: could not run"
    lines += [
        f"# Vector {name} of onnx-conformance, corpus {corpus}. {exits}",
        f"import {', '.join(modules)}",
        f'print(f"{runtime.version}{versions}, {platform}")',
    ]
    if '"float64")' in body or '"complex128")' in body:
        lines.append('numpy.set_printoptions(floatmode="unique")')
    return "\n".join(lines) + "\n"


_REFUSED = """\
except Exception as error:
    print("NOT AS REQUIRED: refused:", type(error).__name__, error); sys.exit(3)
"""


def _outputs(subject: Subject, runtime: Runtime) -> str:
    """The script's part for a vector with required outputs."""
    outputs = [item for one in subject.data_sets for item in one.outputs]
    checks = {_check(subject, item.value) for item in outputs}
    if len(checks) != 1:
        raise NoLiteralError("outputs that are judged in different ways")
    check = checks.pop()
    low_and_high = _limits(outputs[0].value, subject.accuracy) if "in_order" in check else ""
    script = f"model = {model_source(subject.model)}\n"
    if len(outputs) == 1:
        (one,) = subject.data_sets
        (output,) = one.outputs
        return (
            f"{script}feeds = {_by_name(one.inputs)}\n"
            f"required = {array_source(output.value)}\n"
            f"{low_and_high}"
            f"try:\n    got = {_run(runtime, runtime.load, [output.name])}[0]\n{_REFUSED}"
            f"{_judging(check, '')}sys.exit(0 if good else 3)\n"
        )
    if low_and_high:
        raise NoLiteralError("limits of several outputs")
    sets = "".join(
        f"    ({_by_name(item.inputs)}, {_by_name(item.outputs)}),\n" for item in subject.data_sets
    )
    return (
        f"{script}failed = False\ndata_sets = [  # inputs and required outputs\n{sets}]\n"
        f"try:\n    loaded = {runtime.load}\n"
        f"    results = [\n        {_run(runtime, 'loaded', 'list(expected)')}\n"
        "        for feeds, expected in data_sets\n    ]\n"
        f"{_REFUSED}"
        "for (_, expected), outputs in zip(data_sets, results):\n"
        "    for (name, required), got in zip(expected.items(), outputs):\n"
        f"{_judging(check, '        ')}"
        "        failed = failed or not good\n"
        "sys.exit(3 if failed else 0)\n"
    )


def _judging(check: str, indentation: str) -> str:
    """Lines that compare `got` with `required`, and print both."""
    lines = (
        "alike = isinstance(got, numpy.ndarray) and got.dtype == required.dtype",
        f"good = alike and got.shape == required.shape and bool({check})",
        'print("as required:" if good else "NOT AS REQUIRED:", repr(got), "due:", repr(required))',
    )
    return "".join(f"{indentation}{line}\n" for line in lines)


def _run(runtime: Runtime, loaded: str, names: object) -> str:
    return runtime.run.format(loaded=loaded, names=names)


_BITS = "got.tobytes() == required.tobytes()"
_EQUAL = "(got == required).all()"
_NAN = (
    "((got == required) & (numpy.signbit(got) == numpy.signbit(required))"
    " | numpy.isnan(got) & numpy.isnan(required)).all()"
)
# Order: -0 before +0; where NaN is required, only NaN is accepted.
_IN_ORDER = """\
def in_order(a, b):
    return (a < b) | (a == b) & (numpy.signbit(a) >= numpy.signbit(b))
"""
_WITHIN = "in_order(low, got) & in_order(got, high) | (low == -numpy.inf) & (high == numpy.inf)"
_BOTH_NAN = "(required != required) & (got != got)"


def _check(subject: Subject, value: Value) -> str:
    """The expression that judges an output of the required type and shape."""
    kind = element_type(value.type).kind if isinstance(value, Tensor) else ""
    rtol, atol = subject.pair
    near = f"numpy.isclose(got, required, {rtol!r}, {atol!r})" if rtol or atol else ""
    if isinstance(value, Bounded) and value.limits:
        if kind == "complex":
            raise NoLiteralError("limits of complex numbers")
        within = f"{_WITHIN} | {near}" if near else _WITHIN
        return f"({within} | {_BOTH_NAN}).all()"
    if near:
        return f"({near} | {_BOTH_NAN}).all()"
    if kind == "string":
        return _EQUAL
    if not has_nan(value):
        return _BITS
    if kind == "complex":
        raise NoLiteralError("a complex NaN")
    return _NAN


def _limits(value: Value, accuracy: str) -> str:
    """The lowest and the highest accepted values, and their order."""
    if not isinstance(value, Bounded):
        raise NoLiteralError("a value without limits")
    low, high = map(array_source, limits_for(value, accuracy))
    return f"low = {low}\nhigh = {high}\n{_IN_ORDER}"


def _rejection(subject: Subject, runtime: Runtime) -> str:
    """The script's part for an invalid vector: its control must run before a refusal counts."""
    control = subject.control
    if control is None:
        raise NoLiteralError("an invalid vector without a control")
    one = _run(runtime, "loaded", "names")
    runs = f"[{one} for feeds in inputs]" if one else "loaded"
    return f"""\
def run(model, inputs, names):
    loaded = {runtime.load}
    return {runs}
control = {model_source(control.model)}
model = {model_source(subject.model)}
# Where the nearest valid model does not run, a refusal proves nothing: that ends this script.
run(control, {_inputs(control)}, {list(control.vector.outputs)!r})
try:
    results = run(model, {_inputs(subject)}, {list(subject.vector.outputs)!r})
except Exception as error:
    if isinstance(error, (ImportError, MemoryError)):
        raise  # says nothing of the model
    print("refused, as required:", type(error).__name__, error); sys.exit(0)
print("NOT AS REQUIRED: accepted, though invalid; the results:", results); sys.exit(3)
"""


def _acceptance(subject: Subject, runtime: Runtime) -> str:
    """The script's part for a valid vector and a backend that only accepts or refuses."""
    return f"""\
model = {model_source(subject.model)}
try:
    {runtime.load}
{_REFUSED}print("accepted, as required")
"""


def _inputs(subject: Subject) -> str:
    return "[" + ", ".join(_by_name(item.inputs) for item in subject.data_sets) + "]"


def _by_name(values: Sequence[NamedValue]) -> str:
    return "{" + ", ".join(f"{item.name!r}: {array_source(item.value)}" for item in values) + "}"
