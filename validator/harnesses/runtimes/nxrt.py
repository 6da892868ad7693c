"""nxrt, an ONNX runtime in Rust, on its CPU provider."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

import nxrt

from ..arrays import from_numpy, to_numpy
from ..kit import Model, in_order, rejection, without_options
from ..values import Value

# Messages of nxrt that mean "not implemented" and not "wrong".
_MISSING = re.compile(
    r"which nxrt does not support|^NotImplementedError: |not (?:yet )?(?:implemented|supported)"
    r"|no (?:CPU )?kernel|[Uu]nsupported (?:data ?type|element type|dtype|operator|op)"
)


class Nxrt:
    """Runs a model on nxrt.InferenceSession."""

    def describe(self) -> dict[str, Any]:
        """Name and version."""
        return {"name": "nxrt", "version": metadata.version("nxrt")}

    def load(self, model: Model) -> Any:  # noqa: ANN401  an nxrt.InferenceSession
        """Load the model."""
        with rejection("load", _MISSING):
            return nxrt.InferenceSession(model.path)

    def run(self, session: Any, inputs: Mapping[str, Value], outputs: Sequence[str]) -> list[Value]:  # noqa: ANN401
        """Run one data set."""
        in_order([name for name in inputs if name in session.input_names], inputs, "nxrt")
        feeds = {name: to_numpy(value) for name, value in inputs.items()}
        with rejection("run", _MISSING):
            results = session.run(list(outputs), feeds)
        return [from_numpy(item) for item in results]


create = without_options(Nxrt)
