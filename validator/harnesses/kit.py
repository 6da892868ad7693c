"""The parts of a harness module: the model, the interface, the ways in which a run can end."""

from __future__ import annotations

import base64
import contextlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .protobuf import input_names, output_names
from .values import Value

MESSAGE_LIMIT = 2000
# What lies beside nearly every model: no file that may hold data of its tensors.
_NO_DATA = frozenset(("model.onnx", "data.json", "test_data_set_0"))
# In a message that begins with source locations, a reason that starts later than this is moved up.
_FAR = 40


class RejectedError(Exception):
    """The runtime refused the model or the run, at `phase`: decode, load or run."""

    def __init__(self, phase: str, message: str) -> None:
        """Keep the phase beside the runtime's message."""
        super().__init__(message)
        self.phase = phase


class UnsupportedError(Exception):
    """The runtime does not implement this, or its interface cannot carry it; with the reason."""


@contextlib.contextmanager
def rejection(phase: str, missing: re.Pattern[str] | None = None) -> Iterator[None]:
    """Mark a call of the runtime: whatever it raises is the runtime's refusal at `phase`.

    An exception outside such a block is the harness' own failure. MemoryError is raised unchanged:
    it says nothing about the model.

    Args:
        phase: decode, load or run.
        missing: matches `Type: message` of exceptions that mean "not implemented" and not "wrong":
            they are raised as UnsupportedError.
    """
    try:
        yield
    except (RejectedError, UnsupportedError, MemoryError):
        raise
    except Exception as error:
        text = describe_exception(error)
        found = None if missing is None else missing.search(text)
        if found is not None:
            far = found.start() > _FAR
            raise UnsupportedError(f"{found.group()} | {text}" if far else text) from error
        raise RejectedError(phase, text) from error


def describe_exception(error: BaseException) -> str:
    """Type and message of an exception, short enough for a report."""
    text = f"{type(error).__name__}: {error}"
    return text if len(text) <= MESSAGE_LIMIT else text[:MESSAGE_LIMIT] + " ..."


def in_order(names: Sequence[str], inputs: Mapping[str, Value], runtime: str) -> list[Value]:
    """The values of a runtime's inputs, in its order.

    Raises UnsupportedError if a value is fed to a name that the runtime does not have as an input:
    by the IR specification, an initializer that is also a graph input is a default that may be
    overridden.
    """
    extra = sorted(set(inputs) - set(names))
    if extra:
        raise UnsupportedError(f"{runtime} takes no value for initialized input '{extra[0]}'")
    lacking = [name for name in names if name not in inputs]
    if lacking:
        raise UnsupportedError(f"{runtime} needs a value for input '{lacking[0]}', which has none")
    return [inputs[name] for name in names]


@dataclass(frozen=True)
class Loaded:
    """What a runtime made of a model, with the names of its inputs and outputs, in order."""

    #: The runtime's own object.
    runnable: Any
    #: The inputs that must be fed.
    inputs: tuple[str, ...]
    #: The outputs.
    outputs: tuple[str, ...]

    def requested(self, results: list[Any], outputs: Sequence[str]) -> list[Any]:
        """Of results in the order of the model, the requested ones.

        If the runtime returned more or fewer than the model has, all of them: nobody knows which.
        """
        if len(results) == len(self.outputs) and set(outputs) <= set(self.outputs):
            return [results[self.outputs.index(name)] for name in outputs]
        return results


class Model:
    """The model of a request, as a path or as bytes: whichever the runtime needs."""

    def __init__(self, *, path: str | None = None, data: bytes | None = None) -> None:
        """A model that is in a file or in memory."""
        self._path = path
        self._data = data
        self._temporary: str | None = None

    @classmethod
    def from_wire(cls, wire: Mapping[str, str]) -> Model:
        """The `model` of a run request."""
        if "path" in wire:
            return cls(path=wire["path"])
        return cls(data=base64.b64decode(wire["data"]))

    @property
    def data(self) -> bytes:
        """The serialized ModelProto."""
        if self._data is None:
            with open(str(self._path), "rb", 0) as file:  # noqa: PTH123  pathlib is a slow import
                self._data = file.read()
        return self._data

    @property
    def path(self) -> str:
        """A file that holds the model; it is written when needed if only the bytes are known."""
        if self._path is not None:
            return self._path
        if self._temporary is None:
            descriptor, self._temporary = tempfile.mkstemp(suffix=".onnx")
            with os.fdopen(descriptor, "wb") as file:
                file.write(self.data)
        return self._temporary

    def loaded_as(self, runnable: Any) -> Loaded:  # noqa: ANN401  the runtime's own object
        """What a runtime made of this model, with its names."""
        return Loaded(runnable, tuple(input_names(self.data)), tuple(output_names(self.data)))

    @property
    def keeps_data_beside(self) -> bool:
        """Whether there are files beside the model that may hold data of its tensors."""
        # A tensor whose data are elsewhere says so under this key; to list a folder takes longer.
        if self._path is None or b"location" not in self.data:
            return False
        folder = os.path.dirname(self._path)  # noqa: PTH120  pathlib is a slow import
        names = os.listdir(folder or os.curdir)  # noqa: PTH208
        others = [name for name in names if name not in _NO_DATA]
        return any(os.path.isfile(os.path.join(folder, name)) for name in others)  # noqa: PTH113, PTH118

    def close(self) -> None:
        """Remove the file that `path` may have written."""
        if self._temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._temporary)  # noqa: PTH108  pathlib is a slow import
            self._temporary = None


class Harness(Protocol):
    """The interface of what each harness module returns from `create(options) -> Harness`.

    `load` and `run` raise RejectedError (or use `rejection`) for the runtime's refusals and
    UnsupportedError for values that cannot be passed; other exceptions are the harness' own errors.
    """

    def describe(self) -> dict[str, Any]:
        """The harness' part of the handshake: at least `name` and `version` of the runtime."""
        ...

    def load(self, model: Model) -> Any:  # noqa: ANN401  whatever the runtime calls a session
        """Load the model; the result is given to `run` for each data set."""
        ...

    def run(
        self,
        session: Any,  # noqa: ANN401  what `load` returned
        inputs: Mapping[str, Value],
        outputs: Sequence[str],
    ) -> Sequence[Value] | None:
        """Run one data set; None if the harness only judges validity and accepts the model."""
        ...


def without_options(harness: Callable[[], Harness]) -> Callable[[Sequence[str]], Harness]:
    """The `create` of a harness that has no options."""

    def create(options: Sequence[str]) -> Harness:
        if options:
            raise ValueError(f"unknown options {list(options)}")
        return harness()

    return create
