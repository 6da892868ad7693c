"""ONNX's own runner over its node tests, for pytest: `pytest tools/upstream/onnx_runner.py`.

ONNX_CONFORMANCE_BACKEND is `onnxruntime` (the default) or `reference`.
"""

from __future__ import annotations

import os
from typing import Any

import onnx.backend.base
import onnx.backend.test


class ReferenceRep(onnx.backend.base.BackendRep):
    """A model on onnx.reference."""

    def __init__(self, model: onnx.ModelProto) -> None:
        """Load the model."""
        from onnx.reference import ReferenceEvaluator

        self._session = ReferenceEvaluator(model)

    def run(self, inputs: Any, **_: Any) -> tuple[Any, ...]:  # noqa: ANN401  ONNX's interface
        """Evaluate one data set."""
        names = self._session.input_names
        return tuple(self._session.run(None, dict(zip(names, inputs, strict=True))))


class ReferenceBackend(onnx.backend.base.Backend):
    """onnx.reference as an ONNX Backend, which onnx itself keeps in its tests."""

    @classmethod
    def prepare(cls, model: onnx.ModelProto, *_: Any, **__: Any) -> ReferenceRep:  # noqa: ANN401
        """Load a model."""
        return ReferenceRep(model)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """CPU alone."""
        return device == "CPU"


def backend() -> Any:  # noqa: ANN401  a module or a class
    """The backend that was asked for."""
    if os.environ.get("ONNX_CONFORMANCE_BACKEND", "onnxruntime") == "reference":
        return ReferenceBackend
    import onnxruntime.backend

    return onnxruntime.backend


_runner = onnx.backend.test.BackendTest(backend(), __name__)
_runner.exclude(r"_cuda$")
globals().update(
    {name: case for name, case in _runner.test_cases.items() if name == "OnnxBackendNodeModelTest"}
)
