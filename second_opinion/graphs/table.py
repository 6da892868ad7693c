"""The list of evaluators that a module declares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .call import Call

Evaluator = Callable[[Call], Any]


class Table:
    """Evaluators of one module, which a decorator declares."""

    def __init__(self) -> None:
        """An empty one."""
        self.rows: list[tuple[str, str, int, int, Evaluator]] = []

    def of(
        self, *names: str, since: int = 1, until: int = 10_000, domain: str = ""
    ) -> Callable[[Evaluator], Evaluator]:
        """Declare a function as the evaluator of operators, from a version to another."""

        def add(function: Evaluator) -> Evaluator:
            self.rows.extend((domain, name, since, until, function) for name in names)
            return function

        return add
