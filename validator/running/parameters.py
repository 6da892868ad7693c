"""The parameters of a run: what is judged, by which limits, and what verdicts depend on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.corpus import Corpus
from onnx_conformance.core.values.limits import IEEE

from ..gate.expectations import Expectations
from ..host.backends import Backend
from ..host.protocol import Description
from ..profiles.profile import Profile
from ..results.records import RunFacts
from .planning import RunPlan
from .reuse.identity import identity_of
from .rows import RowJudge

if TYPE_CHECKING:
    from ..host.worker import Settings


@dataclass(frozen=True)
class RunParameters:
    """The parameters of a run.

    Attributes:
        backend: the backend to judge.
        corpus, plan: the vectors.
        settings: limits of the children.
        tolerance: mode of `tolerance_rules.rule_for`.
        accuracy: profile of `tolerance_rules.rule_for`.
        expectations: the baseline: losses that it lists do not make the backend unusable.
        extra: further facts for the header.
        profile: what the backend claims: to refuse that is a failure. None if it claims nothing.
        asked: what it said of itself when it was asked before; None if it was not.
    """

    backend: Backend
    corpus: Corpus
    plan: RunPlan
    settings: Settings
    tolerance: str
    expectations: Expectations
    accuracy: str = IEEE
    extra: RunFacts = field(default_factory=RunFacts)
    profile: Profile | None = None
    asked: Description | None = None

    def row_judge(self, verdicts: Mapping[str, str]) -> RowJudge:
        """Judges the vectors of the plan, `verdicts` being known already."""
        return RowJudge(self.plan, verdicts, self.tolerance, self.accuracy, self.profile)

    def identity(self, description: Description) -> dict[str, str]:
        """What the verdicts of this run depend on beside the vectors."""
        return identity_of(
            self.extra.get("backend", self.backend.name), self.backend, description, self.options()
        )

    def options(self) -> dict[str, Any]:
        """The options on which a verdict depends."""
        return {
            "tolerance": self.tolerance,
            "accuracy": self.accuracy,
            **self.settings.of_verdicts(),
            "claims": self.extra.get("profile", {}).get("claims"),
        }
