"""Which evaluator an operator has, by domain, name and version."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import walk_packages

from .table import Evaluator

ML = "ai.onnx.ml"
PREVIEW = "ai.onnx.preview"
TRAINING = "ai.onnx.preview.training"
EVALUATORS = "second_opinion.evaluators"


@cache
def _by_operator() -> dict[tuple[str, str], list[tuple[int, int, Evaluator]]]:
    found: dict[tuple[str, str], list[tuple[int, int, Evaluator]]] = {}
    package = import_module(EVALUATORS)
    for item in walk_packages(package.__path__, f"{EVALUATORS}."):
        table = getattr(import_module(item.name), "TABLE", None)
        for domain, operator, since, until, function in table.rows if table else ():
            found.setdefault((domain, operator), []).append((since, until, function))
    return found


def evaluator_of(domain: str, operator: str, version: int) -> Evaluator | None:
    """The evaluator of an operator version; None where there is none."""
    rows = _by_operator().get((domain, operator), ())
    return next((item for since, until, item in rows if since <= version <= until), None)
