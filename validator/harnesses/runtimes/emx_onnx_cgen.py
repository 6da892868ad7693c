"""emx-onnx-cgen: a model becomes C code, which the C compiler of this machine compiles.

It is called through its own ONNX Backend, which writes the results as text: floating point in
hexadecimal, so that nothing is lost.
"""

from __future__ import annotations

import re
from typing import Any

from ..kit import without_options
from .onnx_backend import OnnxBackend

BACKEND = "emx_onnx_cgen.onnx_backend.backend:EmxOnnxCgenBackend"


class EmxOnnxCgen(OnnxBackend):
    """Compiles and runs a model."""

    # The last pattern: a type that the C compiler of this machine is too old for.
    missing = re.compile(
        r"^NotImplementedError: |^UnsupportedOpError: |unknown type name .(?:__bf16|_Float16)"
    )

    def describe(self) -> dict[str, Any]:
        """Name and version of the generator."""
        return {"name": "emx-onnx-cgen", "version": self._version}


create = without_options(lambda: EmxOnnxCgen(BACKEND))
