"""A folder with the harness itself and one request, if a plain script is not enough.

`repro.py` in it needs the standard library and the runtime. The harness is copied unchanged, so
that nobody has to trust a second description of how the runtime is called.
"""

from __future__ import annotations

import ast
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.vectors import ELEMENT, Expect
from onnx_conformance.core.values.limits import limits_for
from onnx_conformance.core.values.tensors import Bounded, NamedValue, Value
from onnx_conformance.core.values.wire import to_wire

from ..host.backends import HARNESSES, RUNTIMES

if TYPE_CHECKING:
    from .subject import Subject

SCRIPT = "repro.py"
REQUEST = "request.json"
MODEL = "model.onnx"
CONTROL = "control.onnx"
# Every harness needs these; `serving` imports the runtime's module by its name.
_STARTED = ("__main__", "serving")
_FOLDER = "harness"
_TABLE = "element_types.json"  # the data that its modules read


def bundle_files(subject: Subject, command: Sequence[str]) -> dict[str, str | bytes]:
    """The files of the folder, by their paths in it.

    Args:
        subject: the vector.
        command: the command that starts the harness; one of ours is copied into the folder.
    """
    files: dict[str, str | bytes] = {
        SCRIPT: (Path(__file__).parent / "bundled.py").read_text(encoding="utf-8"),
        MODEL: subject.model,
    }
    controls = []
    if subject.control is not None:
        files[CONTROL] = subject.control.model
        controls.append(_request(subject.control, CONTROL))
    words, harness = _command(command)
    files.update(harness)
    document = {
        "about": f"Vector {subject.vector.id} of onnx-conformance, corpus {subject.corpus}."
        f" {subject.heading}",
        "required": list(subject.requirements),
        "command": words,
        "controls": controls,
        "request": _request(subject, MODEL),
    }
    files[REQUEST] = json.dumps(document, indent=1) + "\n"
    return files


def _command(command: Sequence[str]) -> tuple[list[str], dict[str, str | bytes]]:
    """The command line for use in the folder, and the files of a harness of ours."""
    words = list(command)
    if str(HARNESSES) not in words:
        return [_from_anywhere(word) for word in words], {}
    place = words.index(str(HARNESSES))
    name = words[place + 1]
    files: dict[str, str | bytes] = {
        f"{_FOLDER}/{path.relative_to(HARNESSES.parent).as_posix()}": path.read_text("utf-8")
        for path in harness_files(name)
    }
    return ["{python}", f"{{here}}/{_FOLDER}/{HARNESSES.name}", *words[place + 1 :]], files


def _from_anywhere(word: str) -> str:
    """A word of a command line in a form that is valid in any folder."""
    path = Path(word)
    if path.exists():
        return str(path.absolute())  # not resolved: a link may be the program's name
    return shutil.which(word) or word


def harness_files(name: str) -> list[Path]:
    """The files of `harnesses` that a harness consists of: modules, through imports, and data."""
    root = HARNESSES.parent
    found: set[Path] = {root / _TABLE}
    waiting = [*(root / f"{item}.py" for item in _STARTED), root / RUNTIMES / f"{name}.py"]
    while waiting:
        path = waiting.pop()
        if path in found or not path.is_file():
            continue
        found.add(path)
        waiting.append(path.parent / "__init__.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                folder = path.parents[node.level - 1]
                names = [node.module] if node.module else [item.name for item in node.names]
                waiting += [folder / f"{item}.py" for item in names]
    return sorted(found)


def _request(subject: Subject, model: str) -> dict[str, Any]:
    """One request of protocol 1, with everything that is needed to judge the reply."""
    vector, (rtol, atol) = subject.vector, subject.pair
    if vector.expect is Expect.OUTPUTS:
        permitted = {"": [_values(subject, item.outputs) for item in subject.data_sets]}
    else:
        permitted = {
            label: [_values(subject, outputs)] * len(subject.data_sets)
            for label, outputs in subject.permitted.items()
        }
    return {
        "id": vector.id,
        "model": model,
        "outputs": list(vector.outputs),
        "data_sets": [
            [{"name": item.name, **to_wire(item.value)} for item in one.inputs]
            for one in subject.data_sets
        ],
        "expect": vector.expect.value,
        "permitted": permitted,
        "rejection_permitted": vector.expect is Expect.REJECTION
        or any(item.folder is None for item in vector.permitted),
        "by_eye": vector.permitted_by == ELEMENT or any(item.any for item in vector.permitted),
        "rtol": rtol,
        "atol": atol,
    }


def _values(subject: Subject, values: Sequence[NamedValue]) -> list[dict[str, Any]]:
    return [_wire(item.value, subject.accuracy) for item in values]


def _wire(value: Value, accuracy: str) -> dict[str, Any]:
    wire = to_wire(value)
    if isinstance(value, Bounded) and value.limits:
        low, high = limits_for(value, accuracy)
        wire = {**wire, "low": to_wire(low), "high": to_wire(high)}
    return wire
