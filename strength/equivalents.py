"""Mutants that no vector can kill, with the argument: equivalents.yaml beside this file.

    Reshape:
      "reshape.py _copied: ...": why the two are the same

A mutant is named without its line, so that an argument outlives an edit further up.
"""

from __future__ import annotations

import re
from pathlib import Path

from onnx_conformance.core.errors import BadInputError

AROUND = "around"
FILE = Path(__file__).with_name("equivalents.yaml")


def arguments_for(domain: str, operator: str, path: Path = FILE) -> dict[str, str]:
    """The arguments for an operator by the mutant's name; BadInputError where one is no text."""
    import yaml

    document = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    found = document.get(f"{domain}:{operator}" if domain else operator, {})
    for name, text in found.items():
        if not isinstance(text, str) or not text.strip():
            raise BadInputError(f"{path}: '{name}' of {operator} has no argument")
    return dict(found)


def key_of(name: str) -> str:
    """The name of a mutant without the number of its line."""
    return re.sub(r"^(\w+\.py):\d+ ", r"\1 ", name)
