"""The mutants by name."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from . import faults
from .backend import Backend

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Kind = TypeVar("Kind", bound=type[Backend])

_MARK = "_mutant"


@dataclass(frozen=True)
class Mutant:
    """A backend with one bug.

    Attributes:
        name: of the mutant.
        part: the part of a runtime in which the bug lives: the module in `faults`.
        bug: what it does wrong, in a sentence.
        origin: where the bug was seen in public, or an empty text.
        backend: makes the backend.
    """

    name: str
    part: str
    bug: str
    origin: str
    backend: Callable[[], Backend]


def mutant(origin: str = "") -> Callable[[Kind], Kind]:
    """Mark a class as a mutant; its docstring says what it does wrong."""

    def mark(kind: Kind) -> Kind:
        setattr(kind, _MARK, (kind, origin))
        return kind

    return mark


@cache
def all_mutants() -> Mapping[str, Mutant]:
    """Every mutant by name, module by module."""
    found: dict[str, Mutant] = {}
    for module_info in pkgutil.iter_modules(faults.__path__):
        module = importlib.import_module(f"{faults.__name__}.{module_info.name}")
        for item in vars(module).values():
            marked = isinstance(item, type) and vars(item).get(_MARK)
            if not marked or item.__module__ != module.__name__:
                continue
            _, origin = marked
            name = snake_case(item.__name__)
            if name in found:
                raise ValueError(f"two mutants are named '{name}'")
            bug = " ".join((item.__doc__ or "").split())
            found[name] = Mutant(name, module_info.name, bug, origin, item)
    return found


# The steps of `Backend` that belong to one operator.
_STEPS = {
    "Shape": {
        "run_shape",
        "slice_attributes",
        "reported_dims",
        "slice_bounds",
        "start_bound",
        "end_bound",
        "selected",
        "shape_result",
    },
    "Size": {"run_size", "size_count", "size_result"},
    "Reshape": {
        "run_reshape",
        "requested",
        "shape_values",
        "literal_zeros",
        "target",
        "check_requested",
        "with_copies",
        "copied_dim",
        "inferred",
        "check_count",
        "copied",
    },
}


def touched_operators(kind: type[Backend]) -> frozenset[str]:
    """The operators without which a model cannot tell a mutant from `Backend`.

    All of them where the class replaces a step that belongs to none.
    """
    replaced = {
        name
        for parent in kind.__mro__
        if parent not in {Backend, object}
        for name in vars(parent)
        if hasattr(Backend, name) and not name.startswith("__")
    }
    touched = frozenset(name for name, steps in _STEPS.items() if replaced & steps)
    return touched if replaced <= set().union(*_STEPS.values()) else frozenset(_STEPS)


def snake_case(name: str) -> str:
    """`EndIsInclusive` as `end_is_inclusive`."""
    text = "".join(
        f"_{letter.lower()}"
        if letter.isupper() or (letter.isdigit() and not name[index - 1].isdigit())
        else letter
        for index, letter in enumerate(name)
    )
    return text.lstrip("_")
