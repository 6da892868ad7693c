"""The backends `oracle`, `bodies` and `inference`: the interpreter behind protocol 1.

`python -m onnx_conformance.generators.interpreter` serves `oracle`, with `--bodies` or
`--inference` the others (docs/protocol.md); `--list-bodies` only prints which vectors `bodies` can
say anything about. All results of `oracle` and `bodies` come from the documents, so what they
cannot do is `unsupported`, and a refusal has a reason.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import IO, TYPE_CHECKING

from .model import Model
from .server import Server

if TYPE_CHECKING:
    from ..signatures.reading import Signatures
    from .running import Session

ORACLE, BODIES = "oracle", "bodies"
_OPTIONS = ("--bodies", "--inference", "--list-bodies")


def main(arguments: Sequence[str]) -> int:
    """Serve until `stop` or the end of input: 0; 2 for an option that does not exist."""
    if len(arguments) > 1 or set(arguments) - set(_OPTIONS):
        print(f"unknown options {list(arguments)}", file=sys.stderr)  # noqa: T201  the reason
        return 2
    if "--list-bodies" in arguments:
        print("\n".join(vectors_with_bodies()))  # noqa: T201  what was asked for
        return 0
    serve_with(_server(arguments[0] if arguments else ""))
    return 0


def vectors_with_bodies() -> list[str]:
    """Patterns of the vectors of each operator version in use that has a function body."""
    from . import installed_signatures

    signatures = installed_signatures()
    return [
        f"{domain}.{operator}-{version.since_version}/*".lstrip(".").lower()
        for domain, operator in signatures.operators()
        for version in signatures.versions(domain, operator)
        if not version.deprecated and (version.function or version.context_function)
    ]


def _server(option: str) -> Server:
    if option == "--bodies":
        from .witnesses.by_bodies import BodySession

        return Server(BODIES, BodySession)
    if option == "--inference":
        from .witnesses.inference import InferenceServer

        return InferenceServer()
    from .running import Session

    return Server(ORACLE, Session)


def serve_here(name: str, open_session: Callable[[Model, Signatures], Session]) -> None:
    """Serve as a harness on standard input and output, which no other code may use from then on.

    Args:
        name: the name of the backend.
        open_session: makes a session from a model that was checked.
    """
    serve_with(Server(name, open_session))


def serve_with(server: Server) -> None:
    """The same with the caller's own server."""
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # only replies go to the protocol's stream
    serve(server, requests, replies)


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
