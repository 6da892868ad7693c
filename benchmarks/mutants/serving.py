"""A mutant as a harness: a child process that speaks protocol 1 (docs/protocol.md)."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.validator.harnesses import values
from onnx_conformance.validator.harnesses.kit import RejectedError, UnsupportedError
from onnx_conformance.validator.harnesses.serving import serve, take_over_streams

from .outcomes import CrashError, HangError, NotImplementedHereError, RefusedError
from .program import read_program

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from onnx_conformance.validator.harnesses.kit import Model

    from .backend import Backend, Session


def serve_backend(name: str, backend: Backend) -> None:
    """Answer requests until `stop`."""
    harness = MutantHarness(name, backend)
    requests, replies = take_over_streams()
    description = {"protocol": 1, "model": "path", **harness.describe()}
    serve(harness, description, requests, replies)


class MutantHarness:
    """Between the protocol's values and a backend here."""

    def __init__(self, name: str, backend: Backend) -> None:
        """Serve a backend under a name."""
        self._name = name
        self._backend = backend

    def describe(self) -> dict[str, Any]:
        """Who is being judged."""
        return {"name": self._name, "version": "1"}

    def load(self, model: Model) -> Session:
        """The loaded model."""
        return self._done(lambda: self._backend.load(read_program(model.data)))

    def run(
        self, session: Session, inputs: Mapping[str, values.Value], outputs: Sequence[str]
    ) -> Sequence[values.Value]:
        """The outputs of one data set."""
        fed = {name: _taken(value) for name, value in inputs.items()}
        results = self._done(lambda: self._backend.run(session, fed, outputs))
        return [_given(item) for item in results]

    def _done(self, step: Any) -> Any:  # noqa: ANN401  whatever the step returns
        try:
            return step()
        except RefusedError as error:
            raise RejectedError(error.phase, str(error)) from None
        except NotImplementedHereError:
            raise UnsupportedError("not implemented") from None
        except CrashError:
            os.abort()
        except HangError:
            while True:
                time.sleep(60)


def _taken(value: values.Value) -> Any:  # noqa: ANN401  a value of the backend's
    if not isinstance(value, values.Tensor):
        raise TypeError("every vector here feeds tensors")
    data = value.data if isinstance(value.data, bytes) else tuple(value.data)
    return Tensor(value.type, value.shape, data)


def _given(value: Any) -> values.Value:  # noqa: ANN401  a value of the backend's
    if not isinstance(value, Tensor):
        raise TypeError("every vector here gives tensors")
    data = value.data if isinstance(value.data, bytes) else list(value.data)
    return values.Tensor(value.type, value.shape, data)
