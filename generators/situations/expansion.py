"""From a case to the vectors that it stands for: which versions, opsets, element types and forms.

The rule of the standard profile, which is committed, looks at one case at a time, so that adding a
case, a version, a type or a form never renames or removes another vector:

* at every operator version at which the case holds, and at the last opset before the next version,
  in the plain form and element type (`ends_only`: at the oldest and newest of these versions only,
  and not at their last opset; nor are invalid and latitude cases tried there);
* with `sweep: [types]` at every version in each element type of that version;
* with `sweep: [forms]`, or a list of `forms`, at every version in each of them;
* the control of an invalid vector is always there.

The full profile is the product of all versions, both opsets, all types and all forms that apply.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.errors import BadInputError

from ..corpus.building import situation_of
from ..forms import STATIC_FORM, all_forms, form_named
from ..specs.model import main_variable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..specs.model import Case, CorpusFacts, OperatorVersion, Spec

STANDARD = "standard"
FULL = "full"
PROFILES = (STANDARD, FULL)


@dataclass(frozen=True)
class Plan:
    """One vector that is to be made.

    Attributes:
        type: element type of the operator's main type variable.
        control: id of the valid vector that an invalid one is held against.
    """

    spec: Spec
    case: Case
    version: OperatorVersion
    opset: int
    type: str
    form: str
    control: str | None = None

    @property
    def kind(self) -> str:
        """`valid`, `invalid` or `latitude`: of the case, unless the form may be refused."""
        may_be_refused = self.case.kind == "valid" and form_named(self.form).refusal is not None
        return "latitude" if may_be_refused else self.case.kind

    @property
    def base_id(self) -> str:
        """The id without the form: what element values derive from."""
        variant = self.type
        if self.opset != self.version.since_version:
            variant += f".opset{self.opset}"
        return f"{self.spec.slug}-{self.version.since_version}/{self.case.id}/{variant}"

    @property
    def id(self) -> str:
        """`<operator>-<since_version>/<case>/<variant>`."""
        return self.base_id if self.form == STATIC_FORM else f"{self.base_id}.{self.form}"


def versions_of(spec: Spec, case: Case) -> tuple[OperatorVersion, ...]:
    """The operator versions at which a case holds.

    All its requirements hold there; unless the case is about just that, its attributes exist and
    its inputs are inputs or attributes.
    """
    return tuple(
        version
        for version in spec.versions.values()
        if all(spec.requirements[item].holds_at(version.since_version) for item in case.covers)
        and (case.since is None or case.since <= version.since_version)
        and (case.until is None or version.since_version <= case.until)
        and (case.kind == "invalid" or _expressible(case, version))
    )


def _expressible(case: Case, version: OperatorVersion) -> bool:
    inputs = {item.name for item in version.inputs}
    given = {name for example in case.examples for name in example.inputs}
    moved = given - inputs
    if any(
        example.inputs[name] != case.examples[0].inputs[name]
        for example in case.examples
        for name in moved
    ):
        return False  # an attribute is one for all data sets
    return moved | {item.name for item in case.attributes} <= set(version.attributes)


def suiting_types(spec: Spec, case: Case, version: OperatorVersion) -> tuple[str, ...]:
    """The element types in which a case can be presented, the plain one first."""
    variable = main_variable(version)
    allowed = version.types[variable] if variable else (version.inputs[0].type,)
    if case.types is not None:
        outside = case.kind == "invalid"
        allowed = tuple(item for item in case.types if outside or item in allowed)
    if spec.default_type in allowed:
        return (spec.default_type, *(item for item in allowed if item != spec.default_type))
    return allowed


def plans(
    spec: Spec, facts: CorpusFacts, profile: str, selection: Sequence[str] = ()
) -> tuple[Plan, ...]:
    """Every vector of a spec in a profile, controls included, each once.

    With a selection, patterns of ids as in `core.corpus.patterns`, those that it takes and their
    controls. Raises BadInputError for a case that yields no vector.
    """
    planned: dict[str, Plan] = {}
    for case in spec.cases.values():
        versions = tuple(
            version
            for version in _versions(spec, case, profile)
            if not selection
            or _may_be_taken(f"{spec.slug}-{version.since_version}", case.id, selection)
        )
        if not versions and selection:
            continue
        found = list(_plans_of(spec, case, versions, facts, profile))
        if selection:
            index = IdIndex(plan.id for plan in found)
            taken = {item for pattern in selection for item in index.matching(pattern)}
            found = [plan for plan in found if plan.id in taken]
            if not found:
                continue
        if not found:
            raise BadInputError(
                f"{spec.path}:{case.line}: case '{case.id}' holds at no version: look at the"
                " versions of what it covers, its attributes, its types and its forms"
            )
        for plan in found:
            if case.kind == "invalid":
                control = _control(plan, facts)
                planned.setdefault(control.id, control)
                plan = replace(plan, control=control.id)  # noqa: PLW2901  with its control
            planned.setdefault(plan.id, plan)
    return tuple(planned.values())


def _versions(spec: Spec, case: Case, profile: str) -> tuple[OperatorVersion, ...]:
    versions = versions_of(spec, case)
    ends_only = case.ends_only and profile == STANDARD and len(versions) > 1
    return (versions[0], versions[-1]) if ends_only else versions


def _may_be_taken(operator_version: str, case: str, selection: Sequence[str]) -> bool:
    """Whether a pattern can take a vector of this case: its first two components match."""
    components = (operator_version, case)
    return any(
        all(
            fnmatchcase(component, part)
            for component, part in zip(components, pattern.lower().split("/"), strict=False)
        )
        for pattern in selection
    )


def _plans_of(
    spec: Spec,
    case: Case,
    versions: tuple[OperatorVersion, ...],
    facts: CorpusFacts,
    profile: str,
) -> Iterator[Plan]:
    for version in versions:
        types = suiting_types(spec, case, version)
        for position, type_name in enumerate(types):
            if position > 0 and profile == STANDARD and "types" not in case.sweep:
                continue
            for opset in dict.fromkeys((version.since_version, version.last_opset)):
                last = opset != version.since_version
                once = case.ends_only or position > 0 or case.kind != "valid"
                if last and profile == STANDARD and once:
                    continue
                plan = Plan(spec, case, version, opset, type_name, STATIC_FORM)
                forms = _forms(plan, facts)
                if profile == STANDARD and (
                    last or position > 0 or not (case.forms or "forms" in case.sweep)
                ):
                    forms = forms[:1]
                for form in forms:
                    yield replace(plan, form=form)


def _forms(plan: Plan, facts: CorpusFacts) -> tuple[str, ...]:
    """The forms in which a plan can be presented, in the order of the case or of the registry."""
    if plan.case.forms is not None:
        names = plan.case.forms
    elif plan.case.kind == "valid":
        names = tuple(name for name, form in all_forms().items() if form.swept)
    else:
        names = (STATIC_FORM,)
    situation = situation_of(plan, facts)
    return tuple(name for name in names if form_named(name).applies(situation))


def _control(plan: Plan, facts: CorpusFacts) -> Plan:
    """The nearest valid vector: the same in everything but the fault.

    Where the fault is the element type the control has the plain one. Where the form cannot
    present the control it is the plain form, and where the data is wrapped in a sequence or an
    optional it is the form that takes it out again, so that a runtime without these is found out.
    """
    case = plan.spec.cases[plan.case.control or ""]
    where = f"{plan.spec.path}:{plan.case.line}: control '{case.id}' of '{plan.case.id}'"
    if plan.version not in versions_of(plan.spec, case):
        raise BadInputError(f"{where} does not hold at version {plan.version.since_version}")
    types = suiting_types(plan.spec, case, plan.version)
    if not types:
        raise BadInputError(f"{where} has no type at version {plan.version.since_version}")
    type_name = plan.type if plan.type in types else types[0]
    control = replace(plan, case=case, type=type_name)
    if plan.case.fault.wrap is not None:
        return replace(control, form=f"through_{plan.case.fault.wrap}")
    forms = _forms(control, facts)
    if not forms:
        raise BadInputError(f"{where} has no form at version {plan.version.since_version}")
    return replace(control, form=plan.form if plan.form in forms else forms[0])
