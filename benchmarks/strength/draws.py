"""Operators that draw: what tells their mutants apart is what holds for every draw, not one draw.

The vectors of such an operator say laws (core/values/laws.py), by which the validator judges, so
what a vector makes of a mutant needs nothing here. Beyond the corpus, where a mutant's answer is
held against the oracle's own, another draw that keeps all laws is no difference either: a mutant
that does nothing but draw others is alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import IncompleteError
from onnx_conformance.core.values.laws import broken
from onnx_conformance.core.values.tensors import Drawn, Tensor
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.oracle.index import module_of

from . import measuring
from .assessing import Fate, Trial
from .equivalents import arguments_for, key_of
from .evidence import Evidence
from .measuring import Measured
from .mutants import all_mutants

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from onnx_conformance.generators.oracle.registry import Result
    from onnx_conformance.generators.signatures.model import Signature

    from .measuring import Effort

#: The modules of oracles whose results are all drawn.
DRAWING = ("making.drawing", "making.sampling")


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

    __hash__ = None  # type: ignore[assignment]  what is equal to many things has no hash


class DrawnTrial(Trial):
    """The evidence against mutants of an operator that draws."""

    def __init__(
        self, evidence: Evidence, versions: Mapping[int, Signature], samples: int = 1000
    ) -> None:
        """As of any operator; what the sample permits are the laws."""
        super().__init__(evidence, versions, samples)
        self.samples = [
            replace(item, permitted=tuple(map(_lawful, item.permitted))) for item in self.samples
        ]


def _lawful(result: Result | None) -> Any:  # noqa: ANN401  a result that is compared and no more
    if result is None:
        return None
    return tuple(Lawful(item) if isinstance(item, Drawn) else item for item in result)


def draws(domain: str, operator: str) -> bool:
    """Whether an operator's results are drawn."""
    return module_of().get((domain, operator)) in DRAWING


def measure(
    domain: str,
    operator: str,
    vectors: Path,
    effort: Effort,
    upstream: Path | None = None,
) -> Measured:
    """Put every mutant of an operator before its vectors, by laws where it draws.

    Takes and raises what `measuring.measure` does, which it is for every other operator.
    """
    if not draws(domain, operator):
        return measuring.measure(domain, operator, vectors, effort, upstream)
    versions = installed_signatures().versions(domain, operator)
    by_number = {item.since_version: item for item in versions}
    evidence = Evidence(vectors, domain, operator)
    if not evidence.exhibits:
        raise IncompleteError(
            f"{vectors} has no vector of {operator}; `onnx-vectors generate --output DIR"
            f" '{operator.lower()}-*/*'` writes those of a spec"
        )
    trial = DrawnTrial(evidence, by_number, effort.samples)
    mutants = list(all_mutants(domain, operator, versions, trial.recall))
    findings = [trial.finding(mutant, effort.looking) for mutant in mutants]
    theirs, killed = 0, 0
    if upstream is not None:
        other = Evidence(upstream, domain, operator)
        theirs = len(other.exhibits)
        if theirs:
            judge = DrawnTrial(other, by_number, 0)
            killed = sum(judge.finding(item).fate is Fate.KILLED for item in mutants)
    argued = arguments_for(domain, operator)
    living = {item.name: key_of(item.name) for item in findings if item.fate is not Fate.KILLED}
    asked = trial.cases()
    return Measured(
        name=f"{domain}:{operator}" if domain else operator,
        vectors=len(evidence.exhibits),
        calls=len(trial.questions),
        samples=len(trial.samples),
        findings=tuple(findings),
        argued={name: argued[key] for name, key in living.items() if key in argued},
        failures=tuple(trial.failures),
        covers={
            item.vector.case: item.vector.covers
            for item in evidence.exhibits.values()
            if item.calls and item.vector.case in asked
        },
        upstream_vectors=theirs,
        upstream_killed=killed,
    )
