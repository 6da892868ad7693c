"""Answers requests of protocol 1 with an interpreter (docs/protocol.md)."""

from __future__ import annotations

import base64
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.wire import from_wire, to_wire

from .model import Model

if TYPE_CHECKING:
    import onnx

    from ..signatures.reading import Signatures
    from .running import Session

MESSAGE_LIMIT = 2000


class Server:
    """Answers the requests of protocol 1 with an interpreter."""

    def __init__(self, name: str, open_session: Callable[[Model, Signatures], Session]) -> None:
        """`open_session` makes a session of a model; `name` is that of the backend."""
        self._name = name
        self._open = open_session

    def describe(self) -> dict[str, Any]:
        """The handshake; the version is that of the schemas that the oracles follow."""
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
            reply.update(self.reply(request))
        except RefusedError as error:
            reply["rejected"] = {"phase": error.phase, "message": str(error)[:MESSAGE_LIMIT]}
        except NoOracleError as error:
            reply["unsupported"] = str(error)[:MESSAGE_LIMIT]
        except Exception as error:
            reply["error"] = f"{type(error).__name__}: {error}{_place(error)}"[:MESSAGE_LIMIT]
        return reply

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        """The outputs of every data set on one loaded model."""
        session = self.load(request["model"])
        results = []
        for data_set in request["data_sets"]:
            feeds = {item["name"]: from_wire(item) for item in data_set}
            outputs = session.run(feeds)
            results.append([to_wire(outputs[name]) for name in request["outputs"]])
        return {"outputs": results}

    @staticmethod
    def parsed(wire: dict[str, str]) -> onnx.ModelProto:
        """The model of a request; RefusedError if its bytes are not a model."""
        import onnx
        from google.protobuf.message import DecodeError

        from .outcomes import RefusedError

        content = base64.b64decode(wire["data"]) if "data" in wire else b""
        if "path" in wire:
            content = Path(wire["path"]).read_bytes()
        try:
            return onnx.ModelProto.FromString(content)
        except DecodeError as error:
            raise RefusedError(f"the model cannot be parsed: {error}", "decode") from None

    def load(self, wire: dict[str, str]) -> Session:
        """The model of a request, checked and ready to run."""
        from . import installed_signatures
        from .reading import read_model
        from .validity.checking import check_model

        proto = self.parsed(wire)
        model = read_model(proto, Path(wire["path"]).parent if "path" in wire else None)
        signatures = installed_signatures()
        check_model(model, signatures)
        return self._open(model, signatures)


def _place(error: BaseException) -> str:
    """The place where it failed, for the person who fixes it."""
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
