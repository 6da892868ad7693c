"""The vectors of the corpus that edits begin with: what the lock lists, from its specs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import BadInputError, IncompleteError

from ..corpus.lock import Lock, lock_beside
from ..corpus.making import plan_corpus
from ..interpreter import SPECS
from ..planning.plans import Plan
from ..situations.given import given_attributes, given_inputs, requested_outputs
from ..specs.model import CorpusFacts
from .calls import DrawnCall

# How the ids of the cases of the family `sizes` begin.
_LARGE = "sizes_"
# Subjects of the lock that are no operators: whole models.
_OTHERS = frozenset({"graphs", "ir"})


@dataclass(frozen=True)
class Bases:
    """What the corpus has of one operator.

    Attributes:
        facts: what holds for the whole corpus.
        plans: its vectors with one required result, by operator version and id.
        every: all its vectors, by id.
    """

    facts: CorpusFacts
    plans: Mapping[str, Mapping[str, Plan]]
    every: Mapping[str, Plan] = field(default_factory=dict)
    calls: dict[str, DrawnCall] = field(default_factory=dict)

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """The forms in which its vectors are presented."""
        return tuple(sorted({plan.form for plan in self.every.values()}))

    def call(self, vector_id: str) -> DrawnCall:
        """A vector as a call; BadInputError if there is none such."""
        if vector_id not in self.calls:
            plans = self.plans.get(vector_id.split("/", 1)[0], {})
            if vector_id not in plans:
                raise BadInputError(f"'{vector_id}' is no vector that a call can be made from")
            self.calls[vector_id] = _call(plans[vector_id], self.facts)
        return self.calls[vector_id]


def the_lock() -> Lock:
    """What the installed corpus holds; BadInputError if it is not there."""
    lock = lock_beside(SPECS)
    if lock is None:
        raise BadInputError(f"{SPECS}: no list of the corpus is beside these specs")
    return lock


@cache
def subjects() -> Mapping[str, tuple[str, ...]]:
    """By operator as in ids, its versions, the newest first."""
    found: dict[str, list[str]] = {}
    for name in the_lock().operator_versions:
        slug = name.rpartition("-")[0]
        if slug not in _OTHERS:
            found.setdefault(slug, []).append(name)
    return {
        slug: tuple(sorted(names, key=lambda item: -int(item.rpartition("-")[2])))
        for slug, names in sorted(found.items())
    }


def has_vectors(slug: str) -> bool:
    """Whether the corpus has a vector of an operator that calls can be made from.

    The list of its newest version says so as a rule, and no spec is read.
    """
    lock = the_lock()
    versions = subjects().get(slug, ())
    listed = any(
        line.kind == Kind.VALID for name in versions for line in lock.version(name).vectors
    )
    return listed or bool(versions and bases_of(slug).plans)


def graph_opsets() -> tuple[int, ...]:
    """The opsets at which graphs are drawn: the newest, and some that most runtimes know whole."""
    return bases_of("identity").facts.newest_opset, 23, 21, 17, 13


def chosen(operators: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """The subjects of some operators; IncompleteError for one that is not there."""
    from onnx_conformance.core.corpus.patterns import near

    known = subjects()
    if not operators:
        return known
    taken = {}
    for name in operators:
        wanted = name.lower()
        slugs = [item for item in known if wanted in (item, item.rpartition(".")[2])]
        if not slugs:
            raise IncompleteError(f"--operator {name}: the corpus has none{near(wanted, known)}")
        taken.update({slug: known[slug] for slug in slugs})
    return taken


@cache
def bases_of(slug: str) -> Bases:
    """What the corpus has of an operator; BadInputError if there is no such operator."""
    if slug not in subjects():
        raise BadInputError(f"the corpus has no operator '{slug}'")
    planned = plan_corpus(SPECS, operators=(slug,))
    found: dict[str, dict[str, Plan]] = {}
    for plan in planned.plans:
        if plan.case.id.startswith(_LARGE):  # more elements than an oracle is asked for
            continue
        if plan.case.kind == Kind.VALID and not plan.case.fault.is_structural:
            name = plan.id.split("/", 1)[0]
            found.setdefault(name, {})[plan.id] = plan
    return Bases(planned.facts, found, {plan.id: plan for plan in planned.plans})


def _call(plan: Plan, facts: CorpusFacts) -> DrawnCall:
    example = plan.case.examples[0]
    return DrawnCall(
        spec=plan.spec,
        facts=facts,
        version=plan.version,
        operator_opset=plan.operator_opset,
        types=plan.types,
        attributes=given_attributes(plan),
        inputs=given_inputs(plan, example, 0),
        requested=requested_outputs(plan, example),
        form=plan.form,
        base=plan.id,
    )
