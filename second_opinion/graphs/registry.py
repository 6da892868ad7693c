"""Which evaluator an operator has, by domain, name and version."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

from .call import Call

ML = "ai.onnx.ml"
PREVIEW = "ai.onnx.preview"
TRAINING = "ai.onnx.preview.training"
EVALUATORS = "second_opinion.evaluators"

Evaluator = Callable[[Call], Any]

_BY_OPERATOR: dict[tuple[str, str], list[tuple[int, int, Evaluator]]] = {}


def evaluates(
    *names: str, since: int = 1, until: int = 10_000, domain: str = ""
) -> Callable[[Evaluator], Evaluator]:
    """Declare a function as the evaluator of operators, from a version to another."""

    def add(function: Evaluator) -> Evaluator:
        for name in names:
            _BY_OPERATOR.setdefault((domain, name), []).append((since, until, function))
        return function

    return add


@cache
def _import_evaluators() -> None:
    for item in walk_packages(import_module(EVALUATORS).__path__, f"{EVALUATORS}."):
        import_module(item.name)


def evaluator_of(domain: str, operator: str, version: int) -> Evaluator | None:
    """The evaluator of an operator version; None where there is none."""
    _import_evaluators()
    rows = _BY_OPERATOR.get((domain, operator), ())
    return next((item for since, until, item in rows if since <= version <= until), None)
