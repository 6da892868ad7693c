"""The second opinion as a harness of protocol 1 (docs/protocol.md), so that results can be kept.

    onnx-validate run --backend 'command:python -m second_opinion.backend' --results FILE

It refuses nothing: what it has no opinion of is unsupported.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

from onnx_conformance.core.corpus.vectors import MODEL_FILE
from onnx_conformance.core.values.wire import from_wire, to_wire

from .graphs.running import run_model
from .values.tensors import given, taken

NAME = "second-opinion"


def main() -> None:
    """Answer requests until `stop` or the end of input."""
    replies = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # standard output belongs to the protocol
    warnings.simplefilter("ignore", RuntimeWarning)
    for line in sys.stdin:
        request = json.loads(line)
        if request["command"] == "stop":
            return
        replies.write(json.dumps(_reply(request)) + "\n")
        replies.flush()


def _reply(request: dict[str, Any]) -> dict[str, Any]:
    if request["command"] == "describe":
        from importlib.metadata import version

        facts = {"protocol": 1, "name": NAME, "version": version("onnx-conformance")}
        return {**facts, "model": "path"}
    try:
        files = _files(Path(request["model"]["path"]))
        outputs = [_outputs(files, data, request["outputs"]) for data in request["data_sets"]]
    except Exception as error:
        return {"id": request["id"], "unsupported": f"{type(error).__name__}: {error}"}
    return {"id": request["id"], "outputs": outputs}


def _outputs(
    files: dict[str, bytes], data_set: list[dict[str, Any]], names: list[str]
) -> list[dict[str, Any]]:
    feeds = {item["name"]: taken(from_wire(item)) for item in data_set}
    return [to_wire(given(value)) for value in run_model(files, feeds, names)]


def _files(model: Path) -> dict[str, bytes]:
    """The model, and what it keeps beside it."""
    folder = model.parent
    found = {
        item.relative_to(folder).as_posix(): item.read_bytes()
        for item in folder.rglob("*")
        if item.is_file()
    }
    return {**found, MODEL_FILE: model.read_bytes()}


if __name__ == "__main__":
    main()
