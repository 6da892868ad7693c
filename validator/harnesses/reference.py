"""onnx.reference, ONNX's own evaluator."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any

import onnx
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import RuntimeImplementationError

from .arrays import from_numpy, to_numpy
from .kit import RejectedError, UnsupportedError, rejection

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .kit import Model
    from .values import Value


# What the evaluator says where it knows the operator but not this version of it.
_NOT_IMPLEMENTED = re.compile(r"No (?:default )?implementation for operator ")


class Reference:
    """Runs a model on onnx.reference.ReferenceEvaluator."""

    def describe(self) -> dict[str, Any]:
        """Name and version of the evaluator, which are onnx's."""
        return {"name": "onnx.reference", "version": onnx.__version__}

    def load(self, model: Model) -> ReferenceEvaluator:
        """Parse the model and look its operators up."""
        with rejection("decode"):
            proto = onnx.load_model_from_string(model.data)
        with _refusals("load"):
            return ReferenceEvaluator(proto)

    def run(
        self, session: ReferenceEvaluator, inputs: Mapping[str, Value], outputs: Sequence[str]
    ) -> list[Value]:
        """Evaluate one data set."""
        feeds = {name: to_numpy(value) for name, value in inputs.items()}
        with _refusals("run"):
            results = session.run(list(outputs), feeds)
        return [from_numpy(result) for result in results]


@contextlib.contextmanager
def _refusals(phase: str) -> Iterator[None]:
    """Tell what the evaluator has not implemented from what it refuses."""
    try:
        with rejection(phase):
            yield
    except RejectedError as error:
        missing = isinstance(error.__cause__, RuntimeImplementationError)
        if missing or _NOT_IMPLEMENTED.search(str(error)):
            raise UnsupportedError(str(error)) from None
        raise


def create(options: Sequence[str]) -> Reference:
    """The harness; it has no options."""
    if options:
        raise ValueError(f"unknown options {list(options)}")
    return Reference()
