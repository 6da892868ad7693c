"""Why a fault of size need not be noticed in an operator: arguments.yaml beside this file.

    - because: "its result is one number"
      faults: ["written: *"]
      operators: [Size, Det]

A fault is named whole, or by a pattern with `*`; `operators: all` is for those that have no vector
which is large enough in that respect, and for no fault that a vector meets and lets pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from onnx_conformance.core.errors import BadInputError

FILE = Path(__file__).with_name("arguments.yaml")
_EVERY = "all"


@dataclass(frozen=True)
class Argument:
    """Why some faults need not be noticed in some operators.

    Attributes:
        because: the reason.
        faults: names of faults, or patterns of names.
        operators: their names; None for all.
    """

    because: str
    faults: tuple[str, ...]
    operators: frozenset[str] | None

    def covers(self, operator: str, fault: str, *, idle: bool) -> bool:
        """Whether it is about a fault in an operator; `idle`: no vector of it is large enough."""
        named = idle if self.operators is None else operator in self.operators
        return named and any(fnmatchcase(fault, pattern) for pattern in self.faults)


def read_arguments(path: Path = FILE) -> tuple[Argument, ...]:
    """The arguments; BadInputError where one lacks a part."""
    import yaml

    document = yaml.safe_load(path.read_text(encoding="utf-8")) or []
    try:
        return tuple(_argument(item) for item in document)
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInputError(
            f"{path}: an argument has the keys because, faults and operators: {error!r}"
        ) from None


def _argument(item: Any) -> Argument:  # noqa: ANN401  YAML
    operators = item["operators"]
    if operators != _EVERY and not isinstance(operators, list):
        raise TypeError(f"operators {operators!r}")
    if not item["because"] or not item["faults"] or set(item) != {"because", "faults", "operators"}:
        raise TypeError(f"{item!r}")
    named = None if operators == _EVERY else frozenset(map(str, operators))
    return Argument(str(item["because"]), tuple(map(str, item["faults"])), named)


def argued(arguments: Sequence[Argument], operator: str, fault: str, *, idle: bool) -> str:
    """Why a fault need not be noticed in an operator; empty where nothing is argued."""
    return next((it.because for it in arguments if it.covers(operator, fault, idle=idle)), "")


def unneeded(
    arguments: Iterable[Argument], pairs: Iterable[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Operators, each with the argument about it that no fault needs.

    Args:
        arguments: all of them.
        pairs: operators, each with a fault that is not noticed in it.
    """
    missed = list(pairs)
    return [
        (operator, item.because)
        for item in arguments
        for operator in sorted(item.operators or ())
        if not any(one == operator and item.covers(one, fault, idle=False) for one, fault in missed)
    ]
