"""What the numbers of inputs that tell how to do something are in all vectors of an operator.

A single number that is finite, not 0, or between 0 and 1 in every vector stays so, and so do the
numbers of places: the documents refuse others as a rule. Of data nothing is said here: what no
vector has there is what is looked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.values.elements import element_type

from ...oracle.arith.grid import grid_of
from ...oracle.arith.numbers import NEG_ZERO
from ...oracle.arith.rationals import Fraction
from .facts import PLACES, tensors_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from onnx_conformance.core.values.tensors import Tensor

    from ..calls import DrawnCall

# Vectors that must have an input before other numbers are not drawn for it.
_VECTORS = 12
# Elements of an input beyond which its numbers are not looked at: what tells how has a few.
_MOST = 2000


@dataclass(frozen=True)
class Domains:
    """What holds of the numbers of inputs in all vectors of an operator, by their names.

    Attributes:
        single: those that have one element.
        finite: those with neither NaN nor infinities.
        nonzero: those without 0.
        unit: those between 0 and 1.
    """

    single: frozenset[str] = frozenset()
    finite: frozenset[str] = frozenset()
    nonzero: frozenset[str] = frozenset()
    unit: frozenset[str] = frozenset()

    def kept(self, before: DrawnCall, after: DrawnCall) -> bool:
        """Whether what held of an input holds after an edit."""
        old, new = tensors_of(before), tensors_of(after)
        return all(
            self._broken(name, tensor) <= self._broken(name, old.get(name))
            for name, tensor in new.items()
            if tensor != old.get(name)
        )

    def _broken(self, name: str, tensor: Tensor | None) -> frozenset[str]:
        if tensor is None:
            return frozenset()
        return frozenset(
            kind for kind, holds in _facts(tensor) if not holds and name in getattr(self, kind)
        )


def _facts(tensor: Tensor) -> Iterator[tuple[str, bool]]:
    """What holds of the numbers of a tensor; of what holds no numbers, all."""
    yield "single", tensor.element_count == 1
    if element_type(tensor.type).kind not in ("int", "uint", "float"):
        return
    numbers = [0 if item is NEG_ZERO else item for item in grid_of(tensor).items]
    finite = all(isinstance(item, (int, Fraction)) for item in numbers)
    yield "finite", finite
    yield "nonzero", 0 not in numbers
    yield "unit", finite and all(0 <= item <= 1 for item in numbers)


def numbers_in(calls: Sequence[DrawnCall]) -> Domains:
    """What holds in all of some vectors."""
    counts: dict[str, int] = {}
    broken: dict[str, set[str]] = {}
    for call in calls:
        for name, tensor in tensors_of(call).items():
            counts[name] = counts.get(name, 0) + 1
            if tensor.element_count <= _MOST:
                lacking = {kind for kind, holds in _facts(tensor) if not holds}
                broken.setdefault(name, set()).update(lacking)
    known = {name for name, count in counts.items() if count >= _VECTORS}
    single = known - _lacking(broken, "single")
    told = single | known.intersection(PLACES)
    return Domains(
        single=frozenset(single),
        finite=frozenset(told - _lacking(broken, "finite")),
        nonzero=frozenset(told - _lacking(broken, "nonzero")),
        unit=frozenset(told - _lacking(broken, "unit")),
    )


def _lacking(broken: Mapping[str, set[str]], kind: str) -> set[str]:
    """The inputs of which something does not hold in some vector."""
    return {name for name, kinds in broken.items() if kind in kinds}
