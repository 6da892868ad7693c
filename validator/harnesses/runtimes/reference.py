"""onnx.reference, ONNX's own evaluator."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import onnx
from onnx.reference import ReferenceEvaluator

from ..arrays import from_numpy, to_numpy
from ..kit import Model, rejection, without_options
from ..values import Value

# Messages of the evaluator for an operator or version that it does not have, or for a missing
# library that ImageDecoder needs.
_MISSING = re.compile(
    r"No (?:default |registered )?implementation for operator |^RuntimeImplementationError: "
    r"|^ImportError: Pillow must be installed "
    # Somebody's own domain, such as com.example; functions of ONNX's test models are in `local`.
    r"|^NotImplementedError: Node type '\w+' from domain '\w+(?:\.\w+)+' is unknown"
)


class Reference:
    """Runs a model on onnx.reference.ReferenceEvaluator."""

    def describe(self) -> dict[str, Any]:
        """Name and version of the evaluator: those of onnx."""
        return {"name": "onnx.reference", "version": onnx.__version__}

    def load(self, model: Model) -> ReferenceEvaluator:
        """Parse the model and look its operators up."""
        with rejection("decode"):
            proto = onnx.load_model_from_string(model.data)
        with rejection("load", _MISSING):
            if model.keeps_data_beside:
                proto = onnx.load_model(model.path)
            return ReferenceEvaluator(proto)

    def run(
        self, session: ReferenceEvaluator, inputs: Mapping[str, Value], outputs: Sequence[str]
    ) -> list[Value]:
        """Evaluate one data set."""
        feeds = {name: to_numpy(value) for name, value in inputs.items()}
        with rejection("run", _MISSING):
            results = session.run(list(outputs), feeds)
        return [from_numpy(result) for result in results]


create = without_options(Reference)
