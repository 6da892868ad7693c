"""The ways in which a model can present one case.

A form takes a situation and builds a model around the operator under test. It decides where the
inputs come from, how they are declared, and which nodes are before and after it. The required
result does not change, and that is the purpose: a runtime that folds, fuses, caches or infers
executes other code for each form.

A module here declares its forms in a tuple `FORMS`; the order of `_MODULES` is that of reports.

May come in: models around the operator under test.
May not: other values or results than the situation has.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError

if TYPE_CHECKING:
    from ..situations.situations import Situation
    from .models import Presentation

STATIC_FORM = "static"

_MODULES = ("declarations", "constants", "computed_inputs", "subgraphs", "functions", "other_nodes")


# Forms with other nodes for the operator's inputs or outputs, and the types those nodes lack.
_WITH_OTHER_NODES = (
    *("constant", "unknown_rank", "produced", "through_sequence", "through_optional"),
    *("chained", "chained_inferred", "consumed", "if_branch", "loop_body", "loop_carried"),
)
_TYPES_OF_FEW = ("float6e2m3", "float6e3m2")


@dataclass(frozen=True)
class Form:
    """One way to present a situation.

    Attributes:
        name: its name in ids and in `forms:` of a case.
        summary: what it is and what it catches, for the documents.
        applies: whether the form can present a situation.
        build: makes the model; called only if the form applies.
        refusal: why a runtime may refuse a model in this form, if the standard permits that: a
            valid case then becomes latitude, with its result and a refusal permitted.
        swept: whether a case uses the form without naming it.
    """

    name: str
    summary: str
    applies: Callable[[Situation], bool]
    build: Callable[[Situation], Presentation]
    refusal: str | None = None
    swept: bool = True


@cache
def all_forms() -> Mapping[str, Form]:
    """Every form by name, in the order of reports."""
    forms: dict[str, Form] = {}
    for name in _MODULES:
        for form in importlib.import_module(f"{__name__}.{name}").FORMS:
            if form.name in forms:
                raise ValueError(f"two forms are named '{form.name}'")
            forms[form.name] = form
    return forms


@cache
def swept_forms() -> tuple[str, ...]:
    """Names of the forms that a case uses without naming them."""
    return tuple(name for name, form in all_forms().items() if form.swept)


def form_named(name: str) -> Form:
    """The form `name`; BadInputError if there is none."""
    try:
        return all_forms()[name]
    except KeyError:
        raise BadInputError(f"unknown form '{name}'") from None


def presents(name: str, situation: Situation) -> bool:
    """Whether a form, with its other nodes, can present a situation."""
    if name in _WITH_OTHER_NODES and any(
        item in situation.types.values() for item in _TYPES_OF_FEW
    ):
        return False
    return form_named(name).applies(situation)
