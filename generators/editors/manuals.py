"""What the manual of a family, its docstring, says of each parameter."""

from __future__ import annotations

import re

from onnx_conformance.core.text import unwrapped


def parameter_text(manual: str, name: str) -> str:
    """A manual's text on a parameter; several may share an entry: `data, bind: as in ...`."""
    for entry in re.split(r"\n(?=    \w)", manual.partition("Parameters:")[2]):
        names, _, text = entry.partition(":")
        if name in re.split(r",\s*", names.strip()):
            return unwrapped(text)
    raise KeyError(f"the manual says nothing of '{name}'")
