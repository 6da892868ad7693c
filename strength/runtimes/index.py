"""All runtimes: the modules that they are in."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .registry import CORRECT, runtimes_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .registry import Runtime

#: The modules in `faults`, and that of the runtimes that are right.
MODULES = (
    "correct",
    "faults.versions",
    "faults.validity",
    "faults.constants",
    "faults.caches",
    "faults.functions",
    "faults.subgraphs",
    "faults.names",
    "faults.fusions",
    "faults.simplifying",
    "faults.shapes",
    "faults.dimensions",
    "faults.reshape",
    "faults.views",
    "faults.reused_memory",
    "faults.types",
    "faults.elements",
)


def all_runtimes() -> Iterator[Runtime]:
    """Every runtime, those that are right first."""
    package = __package__ or ""
    return runtimes_of(import_module(f"{package}.{name}") for name in MODULES)


def wrong_runtimes() -> tuple[Runtime, ...]:
    """Those that are wrong."""
    return tuple(item for item in all_runtimes() if item.area != CORRECT)


def correct_runtimes() -> tuple[Runtime, ...]:
    """Those that work in the same ways, and are right."""
    return tuple(item for item in all_runtimes() if item.area == CORRECT)
