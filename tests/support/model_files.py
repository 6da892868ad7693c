"""Models of users, written as texts, and the command on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx
import onnx.parser

from onnx_conformance.core.models.listing import list_uses
from onnx_conformance.validator.main import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from onnx_conformance.core.models.listing import ModelUses
    from onnx_conformance.core.models.uses import Use

TWO_RELUS = """<ir_version: 8, opset_import: ["": 17]>
two_relus (float[N,3] x) => (float[N,3] y)
<float[3] bias = {1, 2, 3}>
{
  a = Relu(x)
  b = Add(a, bias)
  y = Relu(b)
}"""


def write_model(folder: Path, text: str, name: str = "model.onnx") -> Path:
    """A file with the model of a text."""
    path = folder / name
    onnx.save(onnx.parser.parse_model(text), path)
    return path


def uses_in(folder: Path, text: str) -> ModelUses:
    """What the model of a text uses."""
    return list_uses(write_model(folder, text))


def use_of_operator(listed: ModelUses, operator: str) -> Use:
    """The first use of an operator."""
    return next(item.use for item in listed.found if item.use.operator == operator)


def run_command(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    """Run `onnx-validate` in this process."""
    monkeypatch.setattr("sys.argv", ["onnx-validate", *map(str, words)])
    return main()
