"""Aidge, the framework of Eclipse, on its CPU backend."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

import aidge_backend_cpu  # noqa: F401  its import registers the CPU kernels
import aidge_core
import aidge_onnx
import numpy as np

from ..arrays import from_numpy, to_array
from ..kit import Loaded, Model, UnsupportedError, in_order, rejection, without_options
from ..values import Tensor, Value

# Element types that aidge_core.Tensor takes from and gives to NumPy.
_TYPES = frozenset(["float16", "float32", "float64", "bool"]) | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}

# Messages of Aidge that mean "not implemented" and not "wrong".
_MISSING = re.compile(
    r"[Nn]ot (?:yet )?(?:implemented|supported)|[Uu]nsupported|has no implementation"
    r"|could not find|has no Aidge equivalent|GenericOperator|is not registered"
)


class Aidge:
    """Runs a model on Aidge's sequential scheduler."""

    def describe(self) -> dict[str, Any]:
        """Name and version, and those of the importer."""
        return {
            "name": "aidge",
            "version": metadata.version("aidge-core"),
            "details": {"aidge-onnx": metadata.version("aidge-onnx"), "backend": "cpu"},
        }

    def load(self, model: Model) -> Loaded:
        """Import the model."""
        with rejection("load", _MISSING):
            graph = aidge_onnx.load_onnx(model.path)
            if graph is None:
                raise RuntimeError("aidge_onnx.load_onnx returned None")
            graph.set_backend("cpu")
        return model.loaded_as(graph)

    def run(
        self, session: Loaded, inputs: Mapping[str, Value], outputs: Sequence[str]
    ) -> list[Value]:
        """Run one data set."""
        feeds = [_to_aidge(value) for value in in_order(session.inputs, inputs, "Aidge")]
        with rejection("run", _MISSING):
            aidge_core.SequentialScheduler(session.runnable).forward(data=feeds)
            results = [
                np.array(port.node.get_operator().get_output(port.index))
                for port in session.runnable.get_ordered_outputs()
            ]
        return [from_numpy(item) for item in session.requested(results, outputs)]


def _to_aidge(value: Value) -> Any:  # noqa: ANN401  an aidge_core.Tensor
    if not isinstance(value, Tensor):
        raise UnsupportedError("Aidge takes tensors only")
    if value.type not in _TYPES:
        raise UnsupportedError(f"aidge_core.Tensor takes no {value.type} from NumPy")
    with rejection("run", _MISSING):
        return aidge_core.Tensor(to_array(value))


create = without_options(Aidge)
