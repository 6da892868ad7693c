"""The committed specs, planned once for all tests of a process; vectors are built on demand."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.generators.corpus.building import build, situation_of
from onnx_conformance.generators.corpus.making import plan_corpus

if TYPE_CHECKING:
    from onnx_conformance.generators.corpus.building import Built
    from onnx_conformance.generators.corpus.making import CorpusPlan
    from onnx_conformance.generators.situations.plans import Plan
    from onnx_conformance.generators.situations.situations import Situation
    from onnx_conformance.generators.specs.model import Spec

ROOT = Path(__file__).parents[1]
SPECS = ROOT / "specs"
VECTORS = ROOT / "vectors"


@cache
def committed() -> CorpusPlan:
    """The plan of the committed corpus."""
    return plan_corpus(SPECS)


@cache
def plans_by_id() -> dict[str, Plan]:
    """Every plan by the id of its vector."""
    return {plan.id: plan for plan in committed().plans}


def spec_named(operator: str) -> Spec:
    """The spec of an operator."""
    (spec,) = [item for item in committed().specs if item.operator == operator]
    return spec


@cache
def built(vector_id: str) -> Built:
    """One vector, in memory."""
    return build(plans_by_id()[vector_id], committed().facts)


def situation(vector_id: str) -> Situation:
    """What the form of a vector presents."""
    return situation_of(plans_by_id()[vector_id], committed().facts)
