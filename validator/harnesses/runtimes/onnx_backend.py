"""Anything with the interface of onnx.backend.base.Backend: `prepare(model, device).run(inputs)`.

Started as `onnx_backend MODULE[:ATTR]`. MODULE itself, or the class or object ATTR in it, has
`prepare`. A module in the current folder is found.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

import onnx

from ..arrays import from_numpy, to_numpy
from ..kit import Loaded, Model, UnsupportedError, in_order, rejection
from ..values import Value

DEVICE = "CPU"


class OnnxBackend:
    """Runs models through the ONNX Backend interface.

    `missing` matches the backend's messages for "not implemented"; any other exception of the
    backend is a refusal.
    """

    missing = re.compile(r"^(?:NotImplementedError|BackendIsNotSupposedToImplementIt): ")

    def __init__(self, target: str) -> None:
        """Import MODULE[:ATTR]; TypeError if it has no `prepare`."""
        module_name, _, attribute = target.partition(":")
        if "" not in sys.path:
            sys.path.insert(0, "")  # the current folder, as for `python -m`
        found: Any = importlib.import_module(module_name)
        for part in attribute.split(".") if attribute else ():
            found = getattr(found, part)
        if not callable(getattr(found, "prepare", None)):
            raise TypeError(
                f"'{target}' has no prepare(model, device); see onnx.backend.base.Backend"
            )
        self._target = target
        self._version = _version(module_name)
        self._backend = found

    def describe(self) -> dict[str, Any]:
        """The target's name, and the version of its distribution."""
        return {"name": self._target, "version": self._version, "details": {"device": DEVICE}}

    def load(self, model: Model) -> Loaded:
        """Parse the model and prepare it."""
        with rejection("decode"):
            proto = onnx.load_model_from_string(model.data)
        supports = getattr(self._backend, "is_compatible", None)
        with rejection("load", self.missing):
            if callable(supports) and not supports(proto, DEVICE):
                raise UnsupportedError(f"{self._target}.is_compatible says no")
            representation = self._backend.prepare(proto, DEVICE)
        return model.loaded_as(representation)

    def run(
        self, session: Loaded, inputs: Mapping[str, Value], outputs: Sequence[str]
    ) -> list[Value]:
        """Run one data set: inputs are given in the order of the graph, as the interface asks."""
        taken = in_order(session.inputs, inputs, self._target)
        feeds = [to_numpy(value) for value in taken]
        with rejection("run", self.missing):
            results = session.runnable.run(feeds)
        values = [self._value(item) for item in results]
        return session.requested(values, outputs)

    def _value(self, result: Any) -> Value:  # noqa: ANN401  whatever the backend returned
        """The value of one result: the interface demands a NumPy array."""
        return from_numpy(result)


def _version(module_name: str) -> str:
    """Version of the distribution that has the module, or of the module itself."""
    top = module_name.partition(".")[0]
    try:
        return metadata.version(top)
    except (metadata.PackageNotFoundError, ValueError):
        return str(getattr(sys.modules[top], "__version__", "unknown"))


def create(options: Sequence[str]) -> OnnxBackend:
    """The harness for the target, which is the only option."""
    if len(options) != 1:
        raise ValueError("give one MODULE or MODULE:ATTR")
    return OnnxBackend(options[0])
