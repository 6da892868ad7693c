"""The backends `oracle` and `bodies`: the interpreter behind protocol 1 (docs/protocol.md).

`python -m onnx_conformance.generators.interpreter` serves `oracle`, with `--bodies` the other. All
that they know comes from the documents, so what they cannot do is `unsupported` and what they
refuse has a reason.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from onnx_conformance.core.values.wire import from_wire, to_wire

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..signatures.reading import Signatures
    from .model import Model
    from .running import Session

ORACLE, BODIES = "oracle", "bodies"
_OPTION = "--bodies"
_MESSAGE_LIMIT = 2000


def main(arguments: Sequence[str]) -> int:
    """Serve until `stop` or the end of input: 0; 2 for an option that does not exist."""
    if set(arguments) - {_OPTION}:
        print(f"unknown options {list(arguments)}", file=sys.stderr)  # noqa: T201  the reason
        return 2
    if arguments:
        from .by_bodies import BodySession

        serve_here(BODIES, BodySession)
    else:
        from .running import Session

        serve_here(ORACLE, Session)
    return 0


def serve_here(name: str, open_session: Callable[[Model, Signatures], Session]) -> None:
    """Be a harness: serve on standard input and output, which nothing else may then use.

    Args:
        name: what the backend is called.
        open_session: makes of a model, once it is checked, what runs it.
    """
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # nothing but replies goes to the protocol's stream
    serve(Server(name, open_session), requests, replies)


def serve(server: Server, requests: IO[bytes], replies: IO[bytes]) -> None:
    """Answer requests until `stop` or the end of input: exactly one reply to each."""
    for line in requests:
        request = json.loads(line)
        command = request["command"]
        if command == "stop":
            return
        reply = server.describe() if command == "describe" else server.answer(request)
        replies.write(json.dumps(reply, separators=(",", ":")).encode("ascii") + b"\n")
        replies.flush()


class Server:
    """Answers the requests of protocol 1 with an interpreter."""

    def __init__(self, name: str, open_session: Callable[[Model, Signatures], Session]) -> None:
        """Take the backend's name and what makes a session of a model."""
        self._name = name
        self._open = open_session

    def describe(self) -> dict[str, Any]:
        """The handshake: the version is that of the schemas that the oracles follow."""
        from . import installed_signatures

        signatures = installed_signatures()
        return {
            "protocol": 1,
            "name": self._name,
            "version": signatures.onnx_version,
            "model": "path",
            "max_opset": signatures.opsets[""],
        }

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to one run request."""
        from .outcomes import NoOracleError, RefusedError

        reply: dict[str, Any] = {"id": request["id"]}
        try:
            reply["outputs"] = self._run(request)
        except RefusedError as error:
            reply["rejected"] = {"phase": error.phase, "message": str(error)[:_MESSAGE_LIMIT]}
        except NoOracleError as error:
            reply["unsupported"] = str(error)[:_MESSAGE_LIMIT]
        except Exception as error:
            reply["error"] = f"{type(error).__name__}: {error}{_place(error)}"[:_MESSAGE_LIMIT]
        return reply

    def _run(self, request: dict[str, Any]) -> list[list[dict[str, Any]]]:
        """The outputs of every data set on one loaded model."""
        session = self._load(request["model"])
        results = []
        for data_set in request["data_sets"]:
            feeds = {item["name"]: from_wire(item) for item in data_set}
            outputs = session.run(feeds)
            results.append([to_wire(outputs[name]) for name in request["outputs"]])
        return results

    def _load(self, wire: dict[str, str]) -> Session:
        import onnx
        from google.protobuf.message import DecodeError

        from . import installed_signatures
        from .checking import check_model
        from .outcomes import RefusedError
        from .reading import read_model

        folder = None
        if "path" in wire:
            path = Path(wire["path"])
            folder, content = path.parent, path.read_bytes()
        else:
            content = base64.b64decode(wire["data"])
        try:
            proto = onnx.ModelProto.FromString(content)
        except DecodeError as error:
            raise RefusedError(f"the model cannot be parsed: {error}", "decode") from None
        model = read_model(proto, folder)
        signatures = installed_signatures()
        check_model(model, signatures)
        return self._open(model, signatures)


def _place(error: BaseException) -> str:
    """Where it failed, for whoever mends it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})"
