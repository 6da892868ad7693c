"""A harness under the hand of a test: lines in, lines out, and never a hang."""

from __future__ import annotations

import json
import select
import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from onnx_conformance.validator import harnesses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

MAIN = Path(harnesses.__file__).parent / "__main__.py"
DEADLINE = 60.0


class HarnessClient:
    """Starts a harness; use as a context manager."""

    def __init__(
        self,
        *arguments: str,
        python: str = sys.executable,
        folder: Path | None = None,
        command: Sequence[str] = (),
    ) -> None:
        """Start a harness of ours with some arguments, or any other by its whole command."""
        self.process = subprocess.Popen(
            list(command) or [python, str(MAIN), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return the reply to it."""
        self.send(request)
        return self.reply()

    def send(self, request: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()

    def reply(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], DEADLINE)
        assert ready, f"no reply within {DEADLINE} s"
        line = self.process.stdout.readline()
        assert line, f"the harness ended: {self.errors()}"
        document = json.loads(line)
        assert isinstance(document, dict)
        return document

    def describe(self) -> dict[str, Any]:
        return self.ask({"command": "describe", "protocol": 1})

    def run(
        self,
        model: bytes | Path,
        *data_sets: Sequence[dict[str, Any]],
        outputs: Sequence[str] = ("y",),
        vector_id: str = "shape-1/case/float32",
    ) -> dict[str, Any]:
        """Run a model; its reply without the id, which must be the vector's."""
        form = (
            {"data": b64encode(model).decode()}
            if isinstance(model, bytes)
            else {"path": str(model)}
        )
        reply = self.ask(
            {
                "command": "run",
                "id": vector_id,
                "model": form,
                "outputs": list(outputs),
                "data_sets": [list(data_set) for data_set in data_sets],
            }
        )
        assert vector_id == reply.pop("id")
        return reply

    def errors(self) -> str:
        """Everything on standard error; ends the harness."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.stdin = None
        _, errors = self.process.communicate(timeout=DEADLINE)
        return errors.decode()


def tensor(array: Any, name: str | None = None, element_type: str | None = None) -> dict[str, Any]:  # noqa: ANN401
    """The wire form of an array, by NumPy alone."""
    value = np.asarray(array)
    wire = {
        "type": element_type or value.dtype.name,
        "shape": list(value.shape),
        "data": b64encode(value.tobytes()).decode(),
    }
    return wire if name is None else {"name": name, **wire}


def raw(
    element_type: str, shape: Sequence[int], data: bytes, name: str | None = None
) -> dict[str, Any]:
    """The wire form of a tensor given as raw_data."""
    wire: dict[str, Any] = {
        "type": element_type,
        "shape": list(shape),
        "data": b64encode(data).decode(),
    }
    return wire if name is None else {"name": name, **wire}


def strings(
    shape: Sequence[int], items: Sequence[bytes], name: str | None = None
) -> dict[str, Any]:
    """The wire form of a string tensor."""
    wire: dict[str, Any] = {
        "type": "string",
        "shape": list(shape),
        "data": [b64encode(item).decode() for item in items],
    }
    return wire if name is None else {"name": name, **wire}


def shape_model(
    code: int = TensorProto.FLOAT, opset: int = 21, rank: int | None = 2, **attributes: int
) -> bytes:
    """`y = Shape(x)`."""
    dimensions = None if rank is None else [f"d{axis}" for axis in range(rank)]
    graph = helper.make_graph(
        [helper.make_node("Shape", ["x"], ["y"], **attributes)],
        "g",
        [helper.make_tensor_value_info("x", code, dimensions)],
        [helper.make_tensor_value_info("y", TensorProto.INT64, ["n"])],
    )
    return _serialize(graph, opset)


def reshape_model(code: int = TensorProto.FLOAT, opset: int = 21, ir: int = 10) -> bytes:
    """`y = Reshape(x, s)`: both are graph inputs."""
    graph = helper.make_graph(
        [helper.make_node("Reshape", ["x", "s"], ["y"])],
        "g",
        [
            helper.make_tensor_value_info("x", code, ["a", "b"]),
            helper.make_tensor_value_info("s", TensorProto.INT64, [2]),
        ],
        [helper.make_tensor_value_info("y", code, ["c", "d"])],
    )
    return _serialize(graph, opset, ir)


def unknown_operator_model() -> bytes:
    """A model with an operator that no opset has."""
    graph = helper.make_graph(
        [helper.make_node("NoSuchOperator", ["x"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["a", "b"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["a", "b"])],
    )
    return _serialize(graph, 21)


def _serialize(graph: onnx.GraphProto, opset: int, ir: int = 10) -> bytes:
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir)
    return bytes(model.SerializeToString())
