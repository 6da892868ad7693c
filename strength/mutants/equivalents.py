"""Mutants that no vector can kill, with the argument: equivalents.yaml beside this file.

Arguments:
      no-integer: no integer stands for it, so that any value is permitted
    mutants:
      Reshape:
        no-integer: ["reshape.py _copied: 0 -> 1", ...]
        it copies what is never read: ["reshape.py _copied: 1 -> 2"]

An argument is said once: by its name where it has one, in words where it is one operator's. A
mutant is named without its line, so that an argument outlives an edit further up.
"""

from __future__ import annotations

import re
from pathlib import Path

from onnx_conformance.core.errors import BadInputError

from ..names import name_of

#: In the place of an operator: the wrong runtimes.
RUNTIMES = "runtimes"
FILE = Path(__file__).with_name("equivalents.yaml")


def arguments_for(domain: str, operator: str, path: Path = FILE) -> dict[str, str]:
    """The arguments for an operator by the mutant's name.

    Raises BadInputError for a document that is none, a mutant that is named twice, and an argument
    that has a name and is not there.
    """
    import yaml

    document = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    try:
        known, mutants = document["arguments"], document["mutants"]
        found = mutants.get(name_of(domain, operator), {})
        pairs = [(name, key) for key, names in found.items() for name in names]
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInputError(
            f"{path}: needs 'arguments' and 'mutants' as its page says: {error}"
        ) from None
    arguments = {}
    for name, key in pairs:
        if name in arguments:
            raise BadInputError(f"{path}: '{name}' of {operator} has two arguments")
        if not isinstance(name, str) or (key not in known and " " not in key):
            raise BadInputError(f"{path}: '{name}' of {operator} has no argument: {key}")
        arguments[name] = known.get(key, key)
    return arguments


def key_of(name: str) -> str:
    """The name of a mutant without the number of its line."""
    return re.sub(r"^(\w+\.py):\d+ ", r"\1 ", name)
