"""Profiles that come along: sets of operators that a public source names.

`onnx-opset-N` is computed from the operator versions of ONNX's schemas: those in force at opset N.
The others are files, which name their source.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from .profile import Claim, Profile
from .reading import read_profile

_FOLDER = Path(__file__).parent / "sets"
_OPSET = re.compile(r"onnx-opset-([1-9][0-9]{0,3})")
_FIRST_OPSET = 7  # vectors of older opsets are few, and runtimes for them fewer


def names() -> tuple[str, ...]:
    """The names of the profiles that come along."""
    files = sorted(path.stem for path in _FOLDER.glob("*.yaml"))
    newest = _schemas()["newest_opset"]
    return (*files, *(f"onnx-opset-{number}" for number in range(_FIRST_OPSET, newest + 1)))


def known_profile(name: str) -> Profile | None:
    """The profile of that name; None if there is none."""
    if name not in names():
        return None
    match = _OPSET.fullmatch(name)
    return read_profile(_FOLDER / f"{name}.yaml") if match is None else _of_opset(int(match[1]))


def _of_opset(opset: int) -> Profile:
    """The versions of ONNX's own operators that a model imports with an opset."""
    claims = {}
    for name, versions in _schemas()["operators"].items():
        in_force = [number for number in versions if abs(number) <= opset]
        # A version below 0 is one that ends the operator.
        if in_force and in_force[-1] > 0:
            claims[name.lower()] = Claim(name, (in_force[-1],))
    return Profile(
        name=f"onnx-opset-{opset}",
        source=_schemas()["source"],
        operators=claims,
        opset_to=opset,
    )


@cache
def _schemas() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((_FOLDER / "onnx.json").read_text(encoding="utf-8"))
    return document
