"""Results files like those of real runs, made through the writer that runs use.

Verdicts follow from rules and from a hash of backend and id, so that a sample is the same
everywhere and has every verdict in it.
"""

from __future__ import annotations

import hashlib
import io
import itertools
from typing import TYPE_CHECKING, Any

from onnx_conformance.validator.results.file_format import ResultsWriter, read_results
from onnx_conformance.validator.results.records import Header, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results

TYPES = ("float32", "float64", "float16", "bfloat16", "int8", "int32", "int64", "uint8", "bool")
MORE_TYPES = (*TYPES, "string", "int16", "uint16", "uint32", "uint64", "complex64", "float8e4m3fn")
VERSIONS = {"Reshape": (1, 5, 13, 14), "Shape": (1, 13, 15), "Size": (1, 13)}
CASES = {
    "Reshape": ("negative_dim", "zero_dim", "allowzero_reordered", "one_dim"),
    "Shape": ("clip_start", "clip_end", "start_greater_than_end", "example"),
    "Size": ("example", "scalar", "zero_size"),
}
FORMS = ("", "initializer", "symbolic", "unknown_rank")

REQUIREMENTS = {
    "Reshape": {
        "infer-one": {
            "text": "A single -1 is inferred from the element count and the other dimensions.",
            "document": "Reshape-14",
            "part": "summary",
            "url": "https://onnx.ai/onnx/operators/onnx__Reshape.html",
        },
        "keep-order": {
            "text": "Elements keep their row-major order.",
            "document": "Reshape-14",
            "part": "summary",
        },
    },
    "Shape": {
        "clamp-start": {
            "text": "A start below -r selects from the first axis.",
            "document": "Shape-15",
            "part": "summary",
            "url": "https://onnx.ai/onnx/operators/onnx__Shape.html",
        }
    },
    "Size": {
        "scalar-result": {
            "text": "The result is an int64 scalar.",
            "document": "Size-13",
            "part": "outputs",
        }
    },
}

MODEL = """<ir_version: 10, opset_import: ["" : 15]>
shape_15 (float[3,4,5] data) => (int64[3] shape) {
   shape = Shape <start: int = -10> (data)
}"""


def row(vector_id: str = "shape-15/clip_start/float32", verdict: str = "pass", **facts: Any) -> Row:  # noqa: ANN401  any field of Row
    """One row; what the id tells is taken from it."""
    prefix, case, variant = vector_id.split("/")
    operator, _, version = prefix.rpartition("-")
    element, _, form = variant.partition(".")
    known: dict[str, Any] = {
        "phase": None,
        "message": "" if verdict == "pass" else f"{verdict} happened",
        "seconds": 0.001,
        "operator": operator.capitalize(),
        "since_version": int(version),
        "opset": int(version),
        "types": {"T": element},
        "case": case,
        "form": form,
        "covers": ("clamp-start",) if operator == "shape" else (),
    }
    return Row(id=vector_id, verdict=verdict, **{**known, **facts})


def header(backend: str, planned: Sequence[str], **facts: Any) -> Header:  # noqa: ANN401  any field of Header
    """A header for the planned ids."""
    known: dict[str, Any] = {
        "describe": {"name": backend, "version": "1.0", "model": "path", "protocol": 1},
        "corpus": {"version": "2026.11", "digest": "a" * 64, "root": "vectors"},
        "requirements": REQUIREMENTS,
        "command": f"onnx-validate run --backend {backend}",
        "started": "2026-11-21T09:00:00+00:00",
    }
    return Header(backend=backend, planned=tuple(planned), **{**known, **facts})


def write(path: Path, head: Header, rows: Sequence[Row], *, footer: bool = True) -> Results:
    """Write a results file as a run does, and give what a report reads from it."""
    stream = io.StringIO()
    writer = ResultsWriter(stream)
    writer.header(head)
    for item in rows:
        writer.row(item)
    if footer:
        writer.footer(seconds=1.5)
    path.write_text(stream.getvalue(), encoding="utf-8")
    return read_results(path)


def simple(path: Path, backend: str, verdicts: dict[str, str], **facts: Any) -> Results:  # noqa: ANN401  any field of Header
    """A results file with the given verdict for each id."""
    rows = [row(vector_id, verdict) for vector_id, verdict in verdicts.items()]
    return write(path, header(backend, list(verdicts), **facts), rows)


def identities(operators: int = 3, cases: int = 4, types: Sequence[str] = TYPES) -> Iterator[str]:
    """Ids of a corpus: real names first, made-up operators and cases beyond them."""
    names = [*VERSIONS, *(f"Operator{number:03d}" for number in range(operators))][:operators]
    for name in names:
        for version in VERSIONS.get(name, (1, 7, 13)):
            known = CASES.get(name, ())
            for number in range(cases):
                case = known[number] if number < len(known) else f"case_{number}"
                for element, form in itertools.product(types, FORMS):
                    variant = f"{element}.{form}" if form else element
                    yield f"{name.lower()}-{version}/{case}/{variant}"


def realistic(path: Path, backend: str, ids: Sequence[str], *, weakness: int = 3) -> Results:
    """A run with every verdict in it; the greater `weakness`, the more goes wrong."""
    rows = [_judged(backend, vector_id, weakness) for vector_id in ids]
    return write(path, header(backend, ids), rows)


def _judged(backend: str, vector_id: str, weakness: int) -> Row:
    element = vector_id.split("/")[2].partition(".")[0]
    digest = hashlib.sha256(f"{backend} {vector_id}".encode()).digest()
    type_digest = hashlib.sha256(f"{backend} {element}".encode()).digest()
    if element != "float32" and type_digest[0] < 12 * weakness:
        return row(vector_id, "unsupported", message=f"the Python API carries no {element}")
    if digest[0] >= 8 * weakness:
        return row(vector_id)
    return _wrong(vector_id, digest[1] % 9, digest[2])


def _wrong(vector_id: str, kind: int, noise: int) -> Row:
    outputs = [{"name": "shape", "type": "int64", "shape": [3], "values": [3, 4, 5]}]
    facts: dict[str, Any] = {
        "expected": outputs,
        "details": {
            "model": MODEL,
            "inputs": ["data: float32[3,4,5], 60 elements, 0 .. 59"],
            "difference": f"shape[0]: expected 3, got {noise}",
        },
    }
    if kind <= 1:
        got = [{"name": "shape", "type": "int64", "shape": [3], "values": [noise, 4, 5]}]
        message = f"output 'shape' [0] is {noise}, expected 3"
        return row(vector_id, "wrong-value", message=message, got=got, **facts)
    if kind == 2:
        got = [{"name": "shape", "type": "int32", "shape": [3], "values": [3, 4, 5]}]
        message = "output 'shape' is int32, expected int64"
        return row(vector_id, "wrong-type", message=message, got=got, **facts)
    if kind == 3:
        got = [{"name": "shape", "type": "int64", "shape": [1, 3], "values": [3, 4, 5]}]
        message = "output 'shape' has shape [1, 3], expected [3]"
        return row(vector_id, "wrong-shape", message=message, got=got, **facts)
    if kind == 4:
        message = "[ONNXRuntimeError] : 9 : NOT_IMPLEMENTED : Could not find an implementation"
        return row(vector_id, "rejected", phase="load", message=message, **facts)
    return _without_outputs(vector_id, kind, facts)


def _without_outputs(vector_id: str, kind: int, facts: dict[str, Any]) -> Row:
    details = facts["details"]
    if kind == 5:
        return row(vector_id, "crashed", message="signal SIGSEGV", stderr="boom", **facts)
    if kind == 6:
        message = "no reply within 10 s"
        return row(vector_id, "timed-out", message=message, details=details)
    if kind == 7:
        invalid = {"kind": "invalid", "expect": "rejection", "expected": "a rejection at load"}
        return row(
            vector_id,
            "accepted-invalid",
            message="accepted; a rejection at load was expected",
            got=[{"name": "shape", "type": "int64", "shape": [0], "values": []}],
            details=details,
            **invalid,
        )
    return row(vector_id, kind="latitude", expect="any", taken="a scalar")
