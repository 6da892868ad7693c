"""Which modules of ours a file of tests leads to, by imports and by what is imported by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from onnx_conformance.generators.oracle.index import MODULES

from .sources import Source, read_source

_HOUSE = "onnx_conformance"
PACKAGES = ("core", "generators", "validator")  # of the house
OTHERS = ("strength", "releasing", "tools")
HELPERS = "tests/support"

# Modules that import what is below a package by name, which no import says: always.
LOADERS = {
    "onnx_conformance.generators.families.registry": "onnx_conformance.generators.families.kinds",
    "onnx_conformance.generators.exploring.drawing": "onnx_conformance.generators.exploring",
    "onnx_conformance.generators.exploring.drawers.drawer": (
        "onnx_conformance.generators.exploring.drawers"
    ),
    "onnx_conformance.generators.forms": "onnx_conformance.generators.forms",
    "onnx_conformance.validator.commands.shared.formats": "onnx_conformance.validator.reports",
    "onnx_conformance.validator.host.backends": "onnx_conformance.validator.harnesses.__main__",
    "onnx_conformance.validator.harnesses.__main__": "onnx_conformance.validator.harnesses.serving",
    "strength": "strength",
}
# ... and only where something has the child's name: a command, a backend, an operator.
ORACLES = "onnx_conformance.generators.oracle.registry"
BY_NAME = {
    "onnx_conformance.generators.main": "onnx_conformance.generators.commands",
    "onnx_conformance.validator.main": "onnx_conformance.validator.commands",
    "onnx_conformance.validator.harnesses.serving": (
        "onnx_conformance.validator.harnesses.runtimes"
    ),
    ORACLES: "onnx_conformance.generators.oracle.operators",
}


def module_of(place: str) -> str | None:
    """The dotted name of a Python file of ours, by its place in the checkout; None for others."""
    parts = place.removesuffix(".py").split("/")
    if not place.endswith(".py") or parts[0] not in (*PACKAGES, *OTHERS):
        return None
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join([_HOUSE, *parts] if parts[0] in PACKAGES else parts)


@dataclass(frozen=True)
class Reached:
    """What a file of tests leads to.

    Attributes:
        modules: Dotted names of our modules, packages on the way included.
        helpers: Names of modules in tests/support/.
        words: What the file and its helpers spell out.
    """

    modules: frozenset[str]
    helpers: frozenset[str]
    words: frozenset[str]


class Reaching:
    """Follows imports from files of tests."""

    def __init__(self, root: Path, imported: Mapping[str, Iterable[str]]) -> None:
        """Take the checkout, and which modules of ours each of them imports."""
        self._root = root
        self._always = {
            name: {*names, name.rpartition(".")[0], *self._below(imported, LOADERS.get(name))}
            for name, names in imported.items()
        }
        self._by_name = {
            loader: {child: _names_of(package, child) for child in self._below(imported, package)}
            for loader, package in BY_NAME.items()
        }

    @staticmethod
    def _below(modules: Iterable[str], package: str | None) -> Iterator[str]:
        return (item for item in modules if package and f"{item}.".startswith(f"{package}."))

    @cached_property
    def _helpers(self) -> dict[str, Source]:
        """What tests import by a short name."""
        return {path.stem: read_source(path) for path in (self._root / HELPERS).glob("*.py")}

    def of(self, path: Path) -> Reached:
        """What one file of tests leads to."""
        sources, helpers = [read_source(path)], set[str]()
        for source in sources:  # grows on the way
            for short in sorted(_short_names(source) & self._helpers.keys() - helpers):
                helpers.add(short)
                sources.append(self._helpers[short])
        words = frozenset(word for source in sources for word in source.words)
        found: set[str] = set()
        ahead = [name for source in sources for name in source.imports]
        while ahead:
            name = ahead.pop()
            if name in self._always and name not in found:
                found.add(name)
                ahead += self._always[name]
                called = self._by_name.get(name, {})
                ahead += [child for child, names in called.items() if names & words]
        return Reached(frozenset(found), frozenset(helpers), words)


def _names_of(package: str, child: str) -> set[str]:
    """What a child is called: `from_model` is the command `from-model`, an oracle its operators."""
    below = child.removeprefix(f"{package}.")
    if package == BY_NAME[ORACLES]:
        return {item.split(":")[-1] for item in MODULES.get(below, "").split()}
    stem = below.partition(".")[0]
    return {stem, stem.replace("_", "-")}


def _short_names(source: Source) -> set[str]:
    """Modules that a file may mean by a short name: imported, or started as a program."""
    programs = {
        item.removesuffix(".py") for item in source.words if item.endswith(".py") or "_" in item
    }
    return {item.split(".")[0] for item in source.imports} | programs
