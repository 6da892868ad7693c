"""A harness of onnx-conformance in Python. It works as it is, and supports nothing.

    onnx-validate harness check -- python harness.py
    onnx-validate run --backend 'command:python harness.py'

The road from here:

1. NAME, VERSION: your runtime's.
2. load: give your runtime the model. What it refuses is RejectedError("load", its message); what
   it has not implemented is UnsupportedError, which is no failure. Then `run` is called.
3. run: one data set: tensors in, tensors out. Start with float32 and int64; every type that you
   do not convert is UnsupportedError, never an error and never a guess.
4. Run `harness check` again, then `onnx-validate run`. A crash, a hang or an endless output is the
   verdict of one vector only, so run everything from the first day.

A runtime that has the interface of onnx.backend.base.Backend needs no harness:
`--backend python:MODULE`. docs/protocol.md has the whole protocol.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from typing import Any, NamedTuple

NAME = "my-runtime"
VERSION = "0"
# "inline" instead gives models as bytes, for a harness that does not see the host's files.
MODEL = "path"
# What the runtime supports, once it does: other vectors are not run (docs/profiles.md), as with
# {"operators": {"Relu": "all", "Add": [13, 14]}, "types": ["float32", "int64"]}
PROFILE: dict[str, Any] | None = None


class RejectedError(Exception):
    """The runtime refused the model or the run, at `phase`: decode, load or run."""

    def __init__(self, phase: str, message: str) -> None:
        """Keep the phase beside the runtime's message."""
        super().__init__(message)
        self.phase = phase


class UnsupportedError(Exception):
    """The runtime does not implement this, or its interface cannot carry it."""


class Tensor(NamedTuple):
    """A tensor: `data` is what ONNX's raw_data would hold, a list of bytes for strings.

    With NumPy: numpy.frombuffer(data, type).reshape(shape), and array.tobytes(). Beware that
    numpy.ascontiguousarray gives a scalar a dimension.
    """

    type: str
    shape: list[int]
    data: bytes | list[bytes]


# --- the runtime: this is yours ----------------------------------------------------------------


def load(model: bytes) -> Any:  # noqa: ANN401  your session
    """Load a model; what is returned is given to `run`."""
    if not model:
        raise RejectedError("decode", "the model is empty")
    # try: return your_runtime.load(model)
    # except YourError as error: raise RejectedError("load", str(error)) from error
    return model


def run(session: Any, inputs: dict[str, Tensor], outputs: list[str]) -> list[Tensor]:  # noqa: ANN401, ARG001
    """Run one data set: one tensor for each name in `outputs`, in that order."""
    raise UnsupportedError("run is not written yet")


# --- the protocol: this stays ------------------------------------------------------------------


def serve() -> None:
    """Answer requests until `stop` or the end of input: exactly one reply to each."""
    # Keep standard output to ourselves: whatever the runtime prints goes to standard error.
    replies = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        if request["command"] == "stop":
            return
        if request["command"] == "describe":
            reply = {"protocol": 1, "name": NAME, "version": VERSION, "model": MODEL}
            if PROFILE is not None:
                reply["profile"] = PROFILE
        else:
            reply = {"id": request["id"], **answer(request)}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The result of one run request: outputs, rejected, unsupported, or error where it is ours."""
    try:
        session = load(model_of(request["model"]))
        results = []
        for data_set in request["data_sets"]:
            inputs = {value["name"]: decode(value) for value in data_set}
            results.append([encode(value) for value in run(session, inputs, request["outputs"])])
    except RejectedError as error:
        return {"rejected": {"phase": error.phase, "message": str(error)}}
    except UnsupportedError as error:
        return {"unsupported": str(error)}
    except Exception as error:  # noqa: BLE001, RUF100  whatever it is, the host must hear of it
        return {"error": f"{type(error).__name__}: {error}"}
    return {"outputs": results}


def model_of(wire: dict[str, str]) -> bytes:
    """The bytes of the model of a request."""
    if "data" in wire:
        return base64.b64decode(wire["data"])
    with open(wire["path"], "rb") as file:  # noqa: PTH123  nothing more is needed
        return file.read()


def decode(wire: dict[str, Any]) -> Tensor:
    """The tensor of a request."""
    if "type" not in wire:
        raise UnsupportedError("sequences, optionals and maps are not taken")
    data = wire["data"]
    strings = isinstance(data, list)
    decoded = [base64.b64decode(item) for item in data] if strings else base64.b64decode(data)
    return Tensor(wire["type"], wire["shape"], decoded)


def encode(tensor: Tensor) -> dict[str, Any]:
    """The tensor of a reply."""
    if isinstance(tensor.data, list):
        data: Any = [base64.b64encode(item).decode() for item in tensor.data]
    else:
        data = base64.b64encode(tensor.data).decode()
    return {"type": tensor.type, "shape": list(tensor.shape), "data": data}


if __name__ == "__main__":
    serve()
