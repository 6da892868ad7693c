"""Which engines share the code that decides a verdict: such count as one witness.

An engine is what a harness calls itself in its handshake. One that is not named here is a family of
its own.
"""

from __future__ import annotations

from collections.abc import Iterable

#: Our own interpreter over the oracles: what the expected values come from is no witness of them.
ORACLE = "oracle"

ONNX_PYTHON = "onnx's definitions"
ONNX_NATIVE = "onnx's checker"
ONNXRUNTIME = "onnxruntime"

#: What refuses a model inside onnxruntime where the words are those of onnx's own library, which it
#: links: its checker, and the schemas' inference of types and shapes.
LINKED = "onnx in onnxruntime"

_FAMILIES = {
    # onnx.reference runs the function body where it has no implementation of an operator.
    ONNX_PYTHON: ("onnx.reference", "bodies"),
    # The checker calls shape inference; both read the schemas in C++.
    ONNX_NATIVE: ("onnx.checker", "onnx.shape_inference", LINKED),
    # Transformers hand what they made to onnxruntime, which computes it.
    ONNXRUNTIME: (
        "onnxruntime",
        "onnxruntime-node",
        "onnxruntime-web",
        # tests/support/newer_versions.py: old versions as newer ones, which onnxruntime then runs.
        "newer_versions",
        "onnxsim",
        "onnxslim",
        "onnxoptimizer",
        "onnxscript",
        "onnx.version_converter",
    ),
}
_FAMILY_OF = {engine: family for family, engines in _FAMILIES.items() for engine in engines}


def family_of(engine: str) -> str:
    """The family of an engine, by the name in its handshake."""
    return _FAMILY_OF.get(engine, engine)


def families_of(engines: Iterable[str]) -> tuple[str, ...]:
    """The families of some engines, each once, in the order in which they come."""
    return tuple(dict.fromkeys(map(family_of, engines)))
