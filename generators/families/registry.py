"""Registered families: how one is found by name, and called with parameters from a spec."""

from __future__ import annotations

import difflib
import importlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import BadInputError

from ..specs.model import Case
from .checking import check_case
from .parameters import check_parameters

if TYPE_CHECKING:
    from .operator import Operator

_MODULES = (
    "structure",
    "elementwise",
    "combinations",
    "axis",
    "containers",
    "reduction",
    "movement",
    "indexing",
    "conversions",
    "quantization",
    "trees",
    "images",
    "sizes",
)


@dataclass(frozen=True)
class Template:
    """A requirement that a family adds: the same statement for every operator.

    Attributes:
        text: in our words; `{operator}` stands for the operator's name.
        part: the part of the operator's page that states it.
    """

    text: str
    part: str


@dataclass(frozen=True)
class Family:
    """A registered family.

    Attributes:
        name: its name in specs.
        function: takes an `Operator` and the parameters by keyword, and yields cases.
        templates: requirements that its cases may cover besides those that the spec names.
    """

    name: str
    function: Callable[..., Iterable[Case]]
    templates: Mapping[str, Template]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that a spec may give."""
        return tuple(list(inspect.signature(self.function).parameters)[1:])


_FAMILIES: dict[str, Family] = {}


def family(
    name: str, templates: Mapping[str, Template] | None = None
) -> Callable[[Callable[..., Iterable[Case]]], Callable[..., Iterable[Case]]]:
    """Register a function as the family `name`."""

    def register(function: Callable[..., Iterable[Case]]) -> Callable[..., Iterable[Case]]:
        if name in _FAMILIES:
            raise ValueError(f"two families are named '{name}'")
        _FAMILIES[name] = Family(name, function, templates or {})
        return function

    return register


def all_families() -> Mapping[str, Family]:
    """Every family by name, in the order of the modules, whichever of them was imported first."""
    order = {f"{__package__}.kinds.{module}": place for place, module in enumerate(_MODULES)}
    for module in order:
        importlib.import_module(module)
    places = {name: order.get(item.function.__module__, -1) for name, item in _FAMILIES.items()}
    return {name: _FAMILIES[name] for name in sorted(places, key=places.__getitem__)}


def family_named(name: str) -> Family:
    """The family `name`; BadInputError, with similar names, if there is none."""
    families = all_families()
    if name not in families:
        raise BadInputError(f"unknown family '{name}'{_hint(name, families)}")
    return families[name]


def cases_of(chosen: Family, operator: Operator, parameters: Mapping[str, Any]) -> tuple[Case, ...]:
    """The cases that a family yields; BadInputError for a parameter that it does not know."""
    for name in parameters:
        if name not in chosen.parameters:
            known = ", ".join(chosen.parameters) or "none"
            raise BadInputError(
                f"family '{chosen.name}' has no parameter '{name}'"
                f"{_hint(name, chosen.parameters)}; it has: {known}"
            )
    signature = inspect.signature(chosen.function)
    for name, parameter in list(signature.parameters.items())[1:]:
        if parameter.default is inspect.Parameter.empty and name not in parameters:
            raise BadInputError(f"family '{chosen.name}' needs the parameter '{name}'")
    try:
        check_parameters(chosen.function, parameters)
    except BadInputError as error:
        manual = f"see `onnx-vectors families {chosen.name}`"
        raise BadInputError(f"{error}; {manual}") from None
    made = tuple(chosen.function(operator, **parameters))
    for case in made:
        check_case(case, operator.versions)
    return made


def _hint(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean '{near[0]}'?" if near else ""
