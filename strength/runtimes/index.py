"""All runtimes: the modules that they are in."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from .registry import CORRECT, Runtime, runtimes_of

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
