"""emx-onnx-cgen: a model becomes C code, which the C compiler of this machine compiles.

It is called through its own ONNX Backend, which writes the results as text: floating point in
hexadecimal, so that nothing is lost.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .onnx_backend import OnnxBackend

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def create(options: Sequence[str]) -> EmxOnnxCgen:
    """The harness; it has no options."""
    if options:
        raise ValueError(f"unknown options {list(options)}")
    return EmxOnnxCgen(BACKEND)
