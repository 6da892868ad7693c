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

from onnx_conformance.core.values.tensors import from_wire, to_wire

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .running import Session

ORACLE, BODIES = "oracle", "bodies"
_OPTION = "--bodies"
_MESSAGE_LIMIT = 2000


def main(arguments: Sequence[str]) -> int:
    """Serve until `stop` or the end of input: 0; 2 for an option that does not exist."""
    if set(arguments) - {_OPTION}:
        print(f"unknown options {list(arguments)}", file=sys.stderr)  # noqa: T201  the reason
        return 2
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # nothing but replies goes to the protocol's stream
    serve(requests, replies, BODIES if arguments else ORACLE)
    return 0


def serve(requests: IO[bytes], replies: IO[bytes], name: str = ORACLE) -> None:
    """Answer requests as one of the two backends: exactly one reply to each."""
    for line in requests:
        request = json.loads(line)
        command = request["command"]
        if command == "stop":
            return
        reply = describe(name) if command == "describe" else answer(request, name)
        replies.write(json.dumps(reply, separators=(",", ":")).encode("ascii") + b"\n")
        replies.flush()


def describe(name: str = ORACLE) -> dict[str, Any]:
    """The handshake: the version is that of the schemas that the oracles follow."""
    from . import installed_signatures

    signatures = installed_signatures()
    return {
        "protocol": 1,
        "name": name,
        "version": signatures.onnx_version,
        "model": "path",
        "max_opset": signatures.opsets[""],
    }


def answer(request: dict[str, Any], name: str = ORACLE) -> dict[str, Any]:
    """The reply to one run request."""
    from .outcomes import NoOracleError, RefusedError

    reply: dict[str, Any] = {"id": request["id"]}
    try:
        reply["outputs"] = _run(request, name)
    except RefusedError as error:
        reply["rejected"] = {"phase": error.phase, "message": str(error)[:_MESSAGE_LIMIT]}
    except NoOracleError as error:
        reply["unsupported"] = str(error)[:_MESSAGE_LIMIT]
    except Exception as error:
        reply["error"] = f"{type(error).__name__}: {error}{_place(error)}"[:_MESSAGE_LIMIT]
    return reply


def _run(request: dict[str, Any], name: str) -> list[list[dict[str, Any]]]:
    """The outputs of every data set on one loaded model."""
    session = _load(request["model"], name)
    results = []
    for data_set in request["data_sets"]:
        feeds = {item["name"]: from_wire(item) for item in data_set}
        outputs = session.run(feeds)
        results.append([to_wire(outputs[name]) for name in request["outputs"]])
    return results


def _load(wire: dict[str, str], name: str) -> Session:
    import onnx
    from google.protobuf.message import DecodeError

    from . import installed_signatures
    from .by_bodies import BodySession
    from .checking import check_model
    from .outcomes import RefusedError
    from .reading import read_model
    from .running import Session

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
    return BodySession(model, signatures) if name == BODIES else Session(model, signatures)


def _place(error: BaseException) -> str:
    """Where it failed, for whoever mends it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})"
