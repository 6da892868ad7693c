"""The loop of protocol 1: reads requests, writes replies; the runtime's output goes elsewhere."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Sequence
from typing import IO, Any

from .adapting import ADAPTATIONS, Adapted
from .kit import Harness, Model, RejectedError, UnsupportedError, describe_exception
from .values import decode, encode

PROTOCOL = 1
INLINE_OPTION = "--inline"
# Made once: `json.dumps` with options makes one for each reply.
_ENCODER = json.JSONEncoder(separators=(",", ":"))


def main(arguments: Sequence[str]) -> int:
    """Serve the harness module that the first argument names; the rest are its options.

    Returns 0 at `stop` or at the end of input, and 1 if the runtime cannot be used here; the last
    line on standard error then gives the reason.
    """
    requests, replies = take_over_streams()
    options = list(arguments)
    inline = INLINE_OPTION in options
    if inline:
        options.remove(INLINE_OPTION)
    try:
        harness = _harness(options)
        description = {
            "protocol": PROTOCOL,
            "model": "inline" if inline else "path",
            **harness.describe(),
        }
    except Exception as error:
        print(describe_exception(error), file=sys.stderr)  # noqa: T201  the reason of the exit
        return 1
    serve(harness, description, requests, replies)
    return 0


def _harness(options: Sequence[str]) -> Harness:
    """The harness that the first of `options` names, adapted as the others say."""
    module = importlib.import_module(".runtimes." + options[0], __package__)
    adaptations = [item for item in options[1:] if item in ADAPTATIONS]
    harness: Harness = module.create([item for item in options[1:] if item not in ADAPTATIONS])
    return Adapted(harness, adaptations) if adaptations else harness


def take_over_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Keep the protocol's two streams for this program; return them as (requests, replies).

    Everything that the runtime prints, from Python or native code, then goes to standard error, and
    its standard input is empty.
    """
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    _flush_native_lines()
    # When a runtime crashes, the Python stack is printed on standard error, which the host keeps.
    faulthandler = importlib.import_module("faulthandler")
    faulthandler.enable()
    return requests, replies


def _flush_native_lines() -> None:
    """Make the C library write its standard output line by line, as on a terminal.

    Otherwise a runtime's last lines would stay in a buffer, and be lost when it crashes.
    """
    line_buffered = 1  # _IOLBF of glibc and musl
    try:
        import ctypes

        library = ctypes.CDLL(None)
        stream = ctypes.c_void_p.in_dll(library, "stdout")
        library.setvbuf(stream, None, line_buffered, 0)
    except (ImportError, OSError, ValueError, AttributeError, TypeError):
        return  # another C library: its output comes late, which is harmless


def serve(
    harness: Harness, description: dict[str, Any], requests: IO[bytes], replies: IO[bytes]
) -> None:
    """Answer requests until `stop` or the end of input: exactly one reply to each."""
    for line in requests:
        request = json.loads(str(line, "utf-8"))
        command = request["command"]
        if command == "stop":
            return
        reply = description if command == "describe" else answer(harness, request)
        replies.write(_ENCODER.encode(reply).encode("ascii") + b"\n")
        replies.flush()


def answer(harness: Harness, request: dict[str, Any]) -> dict[str, Any]:
    """The reply to one run request: outputs, accepted, rejected, unsupported or error."""
    model = Model.from_wire(request["model"])
    reply: dict[str, Any] = {"id": request["id"]}
    try:
        results = _run(harness, model, request)
        if results is None:
            reply["accepted"] = True
        else:
            reply["outputs"] = results
    except RejectedError as error:
        reply["rejected"] = {"phase": error.phase, "message": str(error)}
    except UnsupportedError as error:
        reply["unsupported"] = str(error)
    except Exception as error:
        reply["error"] = describe_exception(error) + _place(error)
    finally:
        model.close()
    return reply


def _run(harness: Harness, model: Model, request: dict[str, Any]) -> list[Any] | None:
    """The outputs of every data set on one loaded model; None if it was only accepted."""
    outputs = request["outputs"]
    data_sets = [
        {value["name"]: decode(value) for value in data_set} for data_set in request["data_sets"]
    ]
    session = harness.load(model)
    results = []
    for data_set in data_sets:
        produced = harness.run(session, data_set, outputs)
        if produced is None:
            return None
        results.append([encode(value) for value in produced])
    return results


def _place(error: BaseException) -> str:
    """The place where a harness failed, for the person who fixes it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    file = trace.tb_frame.f_code.co_filename.rpartition(os.sep)[2]
    return f" ({file}:{trace.tb_lineno})"
