"""jaxonnxruntime: operators of ONNX in JAX, on CPU."""

from __future__ import annotations

import os
import re
from typing import Any

# Otherwise JAX turns 64-bit types into 32-bit ones, as its documentation says.
os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import numpy as np

from ..arrays import from_numpy
from ..kit import without_options
from ..values import Value
from .onnx_backend import OnnxBackend

BACKEND = "jaxonnxruntime.backend:Backend"


class JaxOnnxRuntime(OnnxBackend):
    """Runs a model through jaxonnxruntime's ONNX Backend."""

    missing = re.compile(r"^NotImplementedError: |is not constant but used as ")

    def describe(self) -> dict[str, Any]:
        """Name and version, and those of JAX."""
        return {
            "name": "jaxonnxruntime",
            "version": self._version,
            "details": {"jax": jax.__version__, "64-bit types": "enabled"},
        }

    def _value(self, result: Any) -> Value:  # noqa: ANN401  whatever the backend returned
        return from_numpy(np.asarray(result) if isinstance(result, jax.Array) else result)


create = without_options(lambda: JaxOnnxRuntime(BACKEND))
