"""A user's own tags for requirements, such as those of SONNX: a YAML file.

Conv:
  sums-of-products: [E_CONV_FUNC_010, E_CONV_FUNC_020]
  bias: [E_CONV_FUNC_030]
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from onnx_conformance.core.corpus.patterns import near
from onnx_conformance.core.yaml.reading import read_yaml


def read_tags(path: Path, operator: str, known: Collection[str]) -> Mapping[str, tuple[str, ...]]:
    """The tags of an operator's requirements, by id of the requirement.

    Args:
        path: the file; operators beside this one are not looked at.
        operator: its name, after its domain if that is not the default one.
        known: ids of its requirements.

    Raises BadInputError, with file and line, for a requirement that the operator does not have.
    """
    document = read_yaml(path)
    operators = document.mapping()
    if operator not in operators:
        raise document.error(f"has no tags of '{operator}'{near(operator, operators)}")
    found = {}
    node = operators[operator]
    for name, tags in node.mapping().items():
        if name not in known:
            raise node.key_error(name, f"{operator} has no requirement '{name}'{near(name, known)}")
        found[name] = tuple(item.string() for item in tags.sequence())
    return found
