"""What a Python file says of others without being run: what it imports, names and spells out."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

_MODULE = re.compile(r"onnx_conformance(?:\.\w+)+")
_WORD = re.compile(r"[\w.-]*\w")


@dataclass(frozen=True)
class Source:
    """One Python file.

    Attributes:
        imports: Dotted names that it imports, lazily and for types as well, and dotted names of our
            modules in its texts (which children are started with); `from a import b` is both
            `a` and `a.b`, as `b` may be a module.
        words: The words of its texts (but for docstrings) and the names that it imports, for what
            is found by name alone: operators, commands, files, folders.
    """

    imports: frozenset[str]
    words: frozenset[str]


def read_source(path: Path) -> Source:
    """What a file says; nothing at all where it is not Python (a test of ours may be spoiled)."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError):
        return Source(frozenset(), frozenset())
    nodes = list(ast.walk(tree))
    # A text that stands alone is a docstring: what it names is not used.
    prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    imports: set[str] = set()
    words: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            imports.update(item.name for item in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imports.add(node.module)
            imports.update(f"{node.module}.{item.name}" for item in node.names)
            words.update(item.name for item in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            imports.update(_MODULE.findall(node.value))
            if id(node) not in prose:
                words.update(_words(node.value))
    return Source(frozenset(imports), frozenset(words))


def _words(text: str) -> set[str]:
    """The words of a text; `relu-14/all/float32` is also `relu-14` and `relu`."""
    found = set(_WORD.findall(text))
    return found | {part for word in found for part in re.split(r"-(?=\d)", word)}
