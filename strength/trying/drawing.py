"""Operators that draw: what tells their mutants apart is what holds for every draw, not one draw.

The vectors of such an operator say laws (core/values/laws.py), by which the validator judges, so
what a vector makes of a mutant needs nothing here. Beyond the corpus, where a mutant's answer is
compared with the oracle's own, another draw that keeps all laws is no difference either: a mutant
that does nothing but draw others is equivalent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from onnx_conformance.core.values.laws import broken
from onnx_conformance.core.values.tensors import Drawn, Tensor
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.oracle.index import module_of
from onnx_conformance.generators.oracle.registry import Result
from onnx_conformance.generators.signatures.model import Signature

from .judged_vectors import JudgedVectors
from .question import EVERYTHING, Plan
from .trial import Trial

#: The modules of oracles that draw: all of their results, or some as those of Dropout.
DRAWING = ("making.drawing", "making.dropping", "making.sampling")


@dataclass(frozen=True, eq=False)
class Lawful:
    """What any draw must be, in the place of one of them.

    Equal to a tensor of the type and shape that keeps every law; `same` and `different` are about
    two outputs of a model, and are left to its vectors.
    """

    drawn: Drawn

    def __eq__(self, other: object) -> bool:
        """Whether a tensor could have been drawn."""
        if not isinstance(other, Tensor):
            return NotImplemented
        if (other.type, other.shape) != (self.drawn.type, self.drawn.shape):
            return False
        return broken(self.drawn.laws, other, {}) is None

    def __hash__(self) -> int:
        """What is equal to many things has no hash."""
        raise TypeError("unhashable")


class DrawnTrial(Trial):
    """The evidence against mutants of an operator that draws."""

    def __init__(
        self,
        evidence: JudgedVectors,
        versions: Mapping[int, Signature],
        samples: int = 1000,
        plan: Plan = EVERYTHING,
    ) -> None:
        """As of any operator; what the sample permits are the laws."""
        super().__init__(evidence, versions, samples, plan)
        self.samples = [
            replace(item, permitted=tuple(map(lawful, item.permitted))) for item in self.samples
        ]


def lawful(result: Result | None) -> Any:  # noqa: ANN401  a result that is compared and no more
    """A result with what any draw must be in the place of one."""
    if result is None:
        return None
    return tuple(Lawful(item) if isinstance(item, Drawn) else item for item in result)


def draws(domain: str, operator: str) -> bool:
    """Whether some results of an operator are drawn."""
    return module_of().get((domain, operator)) in DRAWING


def trial_of(evidence: JudgedVectors, samples: int = 1000, plan: Plan = EVERYTHING) -> Trial:
    """The evidence of this corpus against mutants of an operator."""
    versions = installed_signatures().versions(*evidence.target)
    by_number = {item.since_version: item for item in versions}
    kind = DrawnTrial if draws(*evidence.target) else Trial
    return kind(evidence, by_number, samples, plan)
