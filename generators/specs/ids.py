"""Ids in specs: lower case, digits and single separators; permanent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnx_conformance.core.yaml.nodes import Node

CASE_ID = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")
REQUIREMENT_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def read_id(node: Node, pattern: re.Pattern[str]) -> str:
    """An id as a spec writes it; one that is only digits is read as an integer by YAML."""
    text = node.text if node.kind == "integer" else node.string()
    if not pattern.fullmatch(text):
        separator = "-" if pattern is REQUIREMENT_ID else "_"
        raise node.error(f"'{text}' is no id: lower-case letters, digits and single '{separator}'")
    return text
