"""From the lines of the lock to plans: nothing is chosen here, and no oracle is asked.

A line says which operator version, opset, element types, form and control its vector has; the spec
has the case. Together they are all that a vector depends on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from onnx_conformance.core.corpus.listing.model import Listed
from onnx_conformance.core.corpus.vectors import Kind

from ..forms import STATIC_FORM, all_forms
from ..situations.bindings import bound_types
from ..specs.model import CorpusFacts, Spec
from ..specs.words import Spread
from .plans import Plan
from .suiting import suiting_types


@dataclass(frozen=True)
class LockedPlans:
    """The plans of the lines of one operator.

    Attributes:
        plans: in the order of the spec's cases, each in its plain form first.
        lost: a line for each vector that the spec no longer has.
    """

    plans: tuple[Plan, ...]
    lost: tuple[str, ...]


def locked_plans(spec: Spec, facts: CorpusFacts, lines: Iterable[Listed]) -> LockedPlans:
    """The plan of each line about a spec's operator."""
    planned: list[Plan] = []
    lost: list[str] = []
    for line in lines:
        made = _plan(spec, facts, line)
        if isinstance(made, Plan):
            planned.append(made)
        else:
            lost.append(f"{line.id}: {made}; {WHAT_TO_DO}")
    order = {name: place for place, name in enumerate(spec.cases)}
    planned.sort(key=lambda plan: (order[plan.case.id], *_place(plan)))
    return LockedPlans(tuple(planned), tuple(lost))


WHAT_TO_DO = "bring it back, or withdraw the vector in specs/rulings.yaml"


def _plan(spec: Spec, facts: CorpusFacts, line: Listed) -> Plan | str:
    """The plan of a line, or why there is none."""
    since_version, name = line.facts.since_version, line.id.split("/")[1]
    version, case = spec.versions.get(since_version), spec.cases.get(name)
    if version is None:
        return f"{spec.path} has no version {since_version} of {spec.operator}"
    if case is None:
        return f"{spec.path} has no case '{name}'"
    form = all_forms().get(line.facts.form)
    if form is None:
        return f"there is no form '{line.facts.form}'"
    plan = Plan(
        spec,
        case,
        version,
        line.facts.opset,
        facts.model_opset(spec.domain, line.facts.opset),
        line.facts.types,
        form=line.facts.form,
        control=line.facts.control,
        is_open=case.kind == Kind.VALID and line.kind == Kind.LATITUDE and form.refusal is None,
        rule=line.rule,
    )
    try:
        found = plan.id
    except KeyError as error:
        return f"its types lack {error}, a type variable of {spec.operator}-{since_version}"
    if found != line.id:
        return f"its types, opset and form are those of {found}"
    return plan


def _place(plan: Plan) -> tuple[object, ...]:
    """The place of a plan among those of its case: the plainest of each version first."""
    suiting = suiting_types(plan.spec, plan.case, plan.version)
    plain = bound_types(plan.spec, plan.version, plan.case, plan.type)
    return (
        plan.version.since_version,
        plan.operator_opset,
        suiting.index(plan.type) if plan.type in suiting else len(suiting),
        *(
            0 if text == plain.get(name) else 1 + _number(plan, name, text)
            for name, text in plan.types.items()
            if name != plan.version.main_variable
        ),
        plan.form != STATIC_FORM,
        plan.id,
    )


def _number(plan: Plan, variable: str, text: str) -> int:
    """The place of a type among those that the version lists for a variable."""
    types = plan.version.types.get(variable, ())
    return types.index(text) if text in types else len(types)


def unlisted_cases(spec: Spec, is_settled: Callable[[str], bool]) -> Iterator[str]:
    """A line for each case of a spec that should have vectors in the lock, and has none.

    Args:
        spec: the spec.
        is_settled: whether the case of an id has vectors, or was declined.
    """
    for case in spec.cases.values():
        if case.spread != Spread.FULL and not is_settled(case.id):
            yield f"{spec.path}:{case.line}: case '{case.id}' has no vector in the lock"
