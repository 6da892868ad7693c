"""A graph transformer, judged by running the model on onnxruntime before and after.

Started as `transformer NAME`. The original and the transformed model both run on onnxruntime with
its own optimization disabled, so that every difference comes from the transformer:

* If the original model is unsupported, the reply is `unsupported` with that reason.
* If onnxruntime refuses the original and the transformed model, it is `unsupported` too: nothing
  is known.
* Otherwise the reply is the result of the transformed model, or the transformer's own failure.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from typing import Any, NamedTuple

import onnx

from ..kit import Model, RejectedError, UnsupportedError, rejection
from ..values import Value
from .onnxruntime import OnnxRuntime

# The highest opset of released ONNX versions that onnxruntime accepts.
CONVERTED_OPSET = 28

# Name -> (the distribution whose version is reported, the module, its function, more arguments).
TRANSFORMERS: dict[str, tuple[str, str, str, tuple[int, ...]]] = {
    "onnxsim": ("onnxsim", "onnxsim", "simplify", ()),
    "onnxslim": ("onnxslim", "onnxslim", "slim", ()),
    "onnxoptimizer": ("onnxoptimizer", "onnxoptimizer", "optimize", ()),
    "onnxscript": ("onnxscript", "onnxscript.optimizer", "optimize", ()),
    "version-converter": ("onnx", "onnx.version_converter", "convert_version", (CONVERTED_OPSET,)),
}


class Loaded(NamedTuple):
    """The session of the original model, or why there is none, and that of the transformed one."""

    before: Any
    refusal: str | None
    after: Any


class Transformer:
    """Runs transformed models on onnxruntime."""

    def __init__(self, name: str) -> None:
        """Use the transformer that TRANSFORMERS calls `name`."""
        self._name = name
        distribution, module, function, self._more = TRANSFORMERS[name]
        self._version = metadata.version(distribution)
        self._runtime = OnnxRuntime("none")
        self._transform = getattr(importlib.import_module(module), function)

    def describe(self) -> dict[str, Any]:
        """Name and version of the transformer, and of onnxruntime."""
        runtime = self._runtime.describe()
        details = {"judged by": f"onnxruntime {runtime['version']}, graph optimization disabled"}
        if self._name == "version-converter":
            details["target opset"] = str(CONVERTED_OPSET)
        return {"name": self._name, "version": self._version, "details": details}

    def load(self, model: Model) -> Loaded:
        """Transform the model, and load both the original and the transformed one."""
        before, refusal = None, None
        try:
            before = self._runtime.load(model)
        except RejectedError as error:
            refusal = str(error)
        with rejection("decode"):
            proto = onnx.load_model_from_string(model.data)
        with self._blame(refusal), rejection("load"):
            made = self._transform(proto, *self._more)
            transformed = made[0] if isinstance(made, tuple) else made  # onnxsim says if it is sure
            data = transformed.SerializeToString()
        with self._blame(refusal):
            after = self._runtime.load(Model(data=data))
        return Loaded(before, refusal, after)

    def run(
        self, session: Loaded, inputs: Mapping[str, Value], outputs: Sequence[str]
    ) -> list[Value]:
        """Run one data set on both models; the reply is the outcome of the transformed one."""
        refusal = session.refusal
        if refusal is None:
            try:
                self._runtime.run(session.before, inputs, outputs)
            except RejectedError as error:
                refusal = str(error)
        with self._blame(refusal):
            return self._runtime.run(session.after, inputs, outputs)

    @contextlib.contextmanager
    def _blame(self, refusal: str | None) -> Iterator[None]:
        """Decide who is responsible for a failure of the transformed model.

        A refusal is the transformer's fault only if the original was not refused. If onnxruntime
        supports the original and not the transformed model, that is the transformer's fault too.
        """
        try:
            yield
        except (RejectedError, UnsupportedError) as error:
            if refusal is not None:
                raise UnsupportedError(
                    f"onnxruntime refuses the model before {self._name} too: {refusal}"
                ) from None
            phase = error.phase if isinstance(error, RejectedError) else "load"
            raise RejectedError(phase, f"after {self._name}: {error}") from None


def create(options: Sequence[str]) -> Transformer:
    """The harness of the transformer that is the only option."""
    if len(options) != 1 or options[0] not in TRANSFORMERS:
        raise ValueError(f"give one of {', '.join(TRANSFORMERS)}, not {list(options)}")
    return Transformer(options[0])
