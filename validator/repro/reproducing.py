"""A failing vector as files that show the failure with the runtime alone, for its bug tracker.

`script` gives Python source that needs NumPy and the runtime, nothing of this project. What an
adapted backend changes in the model is changed in the model that is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import Expect
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.limits import IEEE, ONNX, limits_for
from onnx_conformance.core.values.tensors import (
    Bounded,
    MapValue,
    OptionalValue,
    SequenceValue,
    Tensor,
)

from .snippets import snippet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.corpus.vectors import DataSet, Vector
    from onnx_conformance.core.values.tensors import NamedValue, Value

MODEL = "model.onnx"
LITERAL_ELEMENTS = 64

_PRELUDE = '''
import base64
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def dtype(name):
    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name))


def array(name, shape, data):
    """A tensor from the base64 of its elements, row-major and little-endian."""
    return np.frombuffer(base64.b64decode(data), dtype(name)).reshape(shape).copy()


def strings(shape, items):
    result = np.empty(len(items), object)
    result[:] = items
    return result.reshape(shape)
'''

_PACKED = '''

def packed(name, shape, data):
    """6-, 4- or 2-bit elements, the first in the lowest bits of its byte."""
    bits = 6 if "float6" in name else 2 if name.endswith("2") else 4
    count = int(np.prod(shape))
    raw = np.frombuffer(base64.b64decode(data), np.uint8)
    each = np.unpackbits(raw, count=count * bits, bitorder="little").reshape(count, bits)
    elements = (each << np.arange(bits, dtype=np.uint8)).sum(axis=1).astype(np.uint8)
    if name.startswith("int"):
        half = 1 << (bits - 1)
        elements = ((elements.astype(np.int8) ^ half) - half).astype(np.int8)
        return elements.astype(dtype(name)).reshape(shape)
    if name.startswith("float"):
        return elements.view(dtype(name)).reshape(shape)
    return elements.astype(dtype(name)).reshape(shape)
'''

_WITHIN = '''

def within(got, want, low, high):
    """Between the limits, with -0 below 0; where NaN is expected, NaN."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if want.dtype.kind == "c":
        got, want, low, high = (item.view(item.real.dtype) for item in (got, want, low, high))

    def in_order(one, other):
        signs = np.signbit(one.astype(float)), np.signbit(other.astype(float))
        return (one < other) | ((one == other) & (signs[0] >= signs[1]))

    near = in_order(low, got) & in_order(got, high)
    if PAIR:
        near |= np.isclose(got.astype(float), want.astype(float), *PAIR)
    return bool(np.where(want != want, got != got, near).all())
'''

_RUN_OUTPUTS = '''

def same(got, want):
    """Equal bit for bit, except that any NaN equals any NaN."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if want.dtype == object or want.size == 0:
        return got.tolist() == want.tolist()
    if RTOL or ATOL:
        return bool(np.allclose(got, want, RTOL, ATOL, equal_nan=True))
    got, want = got.reshape(-1), want.reshape(-1)
    pairs = [np.frombuffer(item.tobytes(), np.uint8).reshape(item.size, -1) for item in (got, want)]
    return bool(((pairs[0] == pairs[1]).all(axis=1) | ((got != got) & (want != want))).all())


def describe(value):
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {list(value.shape)} {value.tolist()}"
    return f"{type(value).__name__} {value!r}"


failed = False
loaded = None
for number, (file, inputs, expected, limits) in enumerate(DATA_SETS):
    if loaded is None or loaded[0] != file or RELOAD:
        loaded = file, load(str(HERE / file))
    results = run(loaded[1], inputs, OUTPUTS)
    if len(results) != len(OUTPUTS):
        failed = True
        print(f"data set {number}: {len(results)} outputs, not {len(OUTPUTS)}")
    for name, got, want, bounds in zip(OUTPUTS, results, expected, limits):
        good = isinstance(got, np.ndarray) and isinstance(want, np.ndarray)
        good = good and (within(got, want, *bounds) if bounds else same(got, want))
        failed |= not good
        print(f"data set {number}, {name}: {'as expected' if good else 'DIFFERS'}")
        print(f"  expected {describe(want)}")
        print(f"  got      {describe(got)}")
        if bounds and not good:
            print(f"  lowest   {describe(bounds[0])}")
            print(f"  highest  {describe(bounds[1])}")
sys.exit(1 if failed else 0)
'''

_RUN_REJECTION = """

try:
    for file, inputs, *_ in DATA_SETS:
        results = run(load(str(HERE / file)), inputs, OUTPUTS)
        for name, got in zip(OUTPUTS, results):
            print(f"{name} = {got!r}")
except Exception as error:
    print(f"refused, as it must be: {type(error).__name__}: {error}")
    sys.exit(0)
print("ACCEPTED: this model or these inputs must be refused (see the top of this file)")
sys.exit(1)
"""


@dataclass(frozen=True)
class Subject:
    """The vector that is shown, with all that is known of it.

    Attributes:
        vector: its metadata.
        model: the serialized model.
        data_sets: inputs and expected outputs.
        requirements: the words of what it tests, and where they come from.
        text: the model in words; empty where it cannot be printed.
        accuracy: which limits of the outputs count, one of `limits.PROFILES`.
    """

    vector: Vector
    model: bytes
    data_sets: tuple[DataSet, ...]
    requirements: tuple[str, ...]
    text: str
    accuracy: str = IEEE


def script(
    subject: Subject, backend: str, harness: str, options: tuple[str, ...]
) -> dict[str, str | bytes]:
    """The files that show the failure: repro.py and the models, by name.

    Args:
        subject: the vector.
        backend: the backend's name, for the head of the script.
        harness: module of `harnesses` that serves it.
        options: the options of that module, adaptations among them.
    """
    models, data_sets = _adapted(subject, options)
    source = _head(subject, backend) + _PRELUDE
    literals = "".join(
        f"    ({file!r}, {_named(inputs)}, {_listed(item.outputs)},"
        f" {_limits(item.outputs, subject.accuracy)}),\n"
        for (file, inputs), item in zip(data_sets, subject.data_sets, strict=True)
    )
    if "packed(" in literals:
        source += _PACKED
    source += "\n" + snippet(harness, options)
    source += f"\n\nOUTPUTS = {list(subject.vector.outputs)!r}\n"
    bounded = subject.vector.accuracy is not None
    # What has limits is judged by them; what has none beside it is exact.
    pair = (0.0, 0.0) if bounded else (subject.vector.rtol, subject.vector.atol)
    source += f"RTOL, ATOL = {pair[0]!r}, {pair[1]!r}\n"
    source += f"RELOAD = {'--reload' in options!r}\n"
    source += "# Model, inputs by name, expected outputs, and the limits of each, if any.\n"
    source += f"DATA_SETS = [\n{literals}]\n"
    rejection = subject.vector.expect == Expect.REJECTION
    if bounded and not rejection:
        vector = subject.vector
        allowed = (vector.rtol, vector.atol) if subject.accuracy == ONNX else None
        source += f"PAIR = {allowed!r}  # accepted as well: rtol, atol\n" + _WITHIN
    source += _RUN_REJECTION if rejection else _RUN_OUTPUTS
    return {"repro.py": source, **models}


def _adapted(
    subject: Subject, options: tuple[str, ...]
) -> tuple[dict[str, bytes], list[tuple[str, list[NamedValue]]]]:
    """The models to write, and for each data set its model and what is fed to it."""
    from ..harnesses.protobuf import freeze, input_names, with_static_inputs
    from ..harnesses.values import Tensor as HarnessTensor

    freezes, static = "--freeze" in options, "--static" in options
    if not (freezes or static):
        return {MODEL: subject.model}, [(MODEL, list(item.inputs)) for item in subject.data_sets]
    models, data_sets = {}, []
    first = input_names(subject.model)[:1]
    for number, item in enumerate(subject.data_sets):
        tensors = {
            named.name: HarnessTensor(
                named.value.type,
                named.value.shape,
                list(named.value.data) if isinstance(named.value.data, tuple) else named.value.data,
            )
            for named in item.inputs
            if isinstance(named.value, Tensor)
        }
        data = subject.model
        if freezes:
            frozen = {named.name for named in item.inputs if named.name not in first}
            data = freeze(data, {name: tensors.pop(name) for name in frozen})
        if static:
            data = with_static_inputs(data, {name: value.shape for name, value in tensors.items()})
        file = f"model_{number}.onnx"
        models[file] = data
        data_sets.append((file, [named for named in item.inputs if named.name in tensors]))
    return models, data_sets


def _head(subject: Subject, backend: str) -> str:
    vector = subject.vector
    lines = [
        f"{vector.operator}-{vector.since_version}, case '{vector.case}': {vector.purpose}".rstrip(
            ": "
        ),
        "",
        f"Shows what {backend} does, with the runtime alone: `python repro.py`.",
        "Ends with 1 where the failure is there, 0 where it is not. Needs NumPy and the runtime,",
        "and ml_dtypes for element types that NumPy has not.",
        "",
        f"Made from vector {vector.id} of onnx-conformance.",
    ]
    if subject.requirements:
        lines += ["", "What the operator's document requires:"]
        lines += [f"* {item}" for item in subject.requirements]
    if vector.expect == Expect.REJECTION:
        lines += [
            "",
            f"The model is invalid: it must be refused, at the latest at {vector.reject}.",
        ]
    if vector.expect == Expect.ANY:
        lines += ["", "The document permits several results:"]
        lines += [f"* {item.taken}: {item.reason}" for item in vector.permitted]
    if subject.text:
        lines += ["", "The model:", "", *subject.text.strip().splitlines()]
    text = "\n".join(lines).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""{text}\n"""\n'


def _named(values: Sequence[NamedValue]) -> str:
    inner = ", ".join(f"{item.name!r}: {source_of(item.value)}" for item in values)
    return "{" + inner + "}"


def _listed(values: Sequence[NamedValue]) -> str:
    return "[" + ", ".join(source_of(item.value) for item in values) + "]"


def _limits(values: Sequence[NamedValue], accuracy: str) -> str:
    """The limits of each output, or None where it has none."""
    sources = []
    for item in values:
        if isinstance(item.value, Bounded):
            low, high = limits_for(item.value, accuracy)
            sources.append(f"({source_of(low)}, {source_of(high)})")
        else:
            sources.append("None")
    return "[" + ", ".join(sources) + "]"


def source_of(value: Value) -> str:
    """A value as Python source, with the helpers of the script's head."""
    if isinstance(value, SequenceValue):
        return "[" + ", ".join(source_of(item) for item in value.items) + "]"
    if isinstance(value, OptionalValue):
        return "None" if value.value is None else source_of(value.value)
    if isinstance(value, MapValue):
        inner = ", ".join(source_of(item) for item in value.values)
        return f"dict(zip({source_of(value.keys)}.tolist(), [{inner}]))"
    if not isinstance(value, Tensor):
        raise BadInputError(f"{value.description} has no Python form")
    return _tensor_source(value)


def _tensor_source(tensor: Tensor) -> str:
    shape = list(tensor.shape)
    if isinstance(tensor.data, tuple):
        items = [item.decode("utf-8", "surrogateescape") for item in tensor.data]
        return f"strings({shape}, {items!r})"
    element = element_type(tensor.type)
    name = _dtype_name(tensor.type)
    if tensor.element_count == 0:
        return f"np.empty({shape}, dtype({name!r}))"
    if element.bits < 8:
        return f"packed({name!r}, {shape}, {_base64(tensor.data)!r})"
    if element.kind in ("int", "uint", "bool") and tensor.element_count <= LITERAL_ELEMENTS:
        return f"np.array({_literal(tensor)}, {name!r})"
    return f"array({name!r}, {shape}, {_base64(tensor.data)!r})"


def _literal(tensor: Tensor) -> str:
    import numpy as np

    flat = np.frombuffer(bytes(tensor.data), _dtype_name(tensor.type))  # type: ignore[arg-type]
    return repr(flat.reshape(tensor.shape).tolist())


def _base64(data: bytes) -> str:
    import base64

    return base64.b64encode(data).decode("ascii")


def _dtype_name(type_name: str) -> str:
    """The name that NumPy or ml_dtypes has for an element type."""
    from ..harnesses.arrays import dtype_of

    return str(dtype_of(type_name).name)
