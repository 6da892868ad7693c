"""The modules that oracles share: what an oracle's module imports of its own kind, at any depth.

They are beside the oracles, below `generators/oracle/operators`, and register no operator. The
arithmetic below them is not among them: it knows no operator, and has tests of its own.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType

from onnx_conformance.generators.oracle import operators
from onnx_conformance.generators.oracle.index import MODULES

_PACKAGE = operators.__name__


def helpers_of(module: str) -> tuple[str, ...]:
    """The names of the modules that serve an oracle's module, in the order of their names."""
    registering = {f"{_PACKAGE}.{name}" for name in MODULES}
    found: set[str] = set()
    waiting = [module]
    while waiting:
        for name in _imported(waiting.pop()) - registering - found:
            found.add(name)
            waiting.append(name)
    return tuple(sorted(found))


def rebuilt_with(helper: str, module: str) -> tuple[str, ...]:
    """The modules that must be run anew where one is changed: it, what uses it, the oracle's last.

    Each is behind those that it imports.
    """
    found = [helper]
    for name in all_for(module):
        if name != helper and not _imported(name).isdisjoint(found):
            found.append(name)
    return tuple(found)


def all_for(module: str) -> tuple[str, ...]:
    """An oracle's module and all that serve it, each behind those that it imports."""
    known = {*helpers_of(module), module}
    found: list[str] = []

    def visit(name: str) -> None:
        if name in seen:
            return
        seen.add(name)
        for other in sorted(_imported(name) & known):
            visit(other)
        found.append(name)

    seen: set[str] = set()
    visit(module)
    return tuple(found)


@cache
def _imported(name: str) -> set[str]:
    """The modules below `operators` that a module imports from."""
    module = importlib.import_module(name)
    found = set()
    for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            parts = name.split(".")[: -node.level] if node.level else []
            base = ".".join([*parts, node.module] if node.module else parts)
            found |= {base, *(f"{base}.{item.name}" for item in node.names)}
    return {item for item in found if _is_module(item)}


def _is_module(name: str) -> bool:
    if not name.startswith(f"{_PACKAGE}."):
        return False
    path = Path(str(operators.__file__)).parent.joinpath(*name[len(_PACKAGE) + 1 :].split("."))
    return path.with_suffix(".py").is_file()


def modules(names: Sequence[str]) -> list[ModuleType]:
    """The modules of these names."""
    return [importlib.import_module(name) for name in names]
