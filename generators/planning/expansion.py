"""The rules by which a case has vectors: at which versions, opsets, element types and forms.

What the standard corpus holds is listed (`locked`): these rules propose what may be added to it,
and decide alone where nothing is listed, as in the full profile. They look at one case at a time:

* with `spread: everywhere` a case is at every operator version at which it holds, and at a later
  opset before the next version, in the plain form and element type: an example of the document at
  the last one, others at one that their id chooses, latitude cases at none;
* with `ends` it is at the oldest and newest of these versions only, and not at their last opset;
* with `classes`, the default, it is at the oldest and the newest version of each class,
  neighbouring versions that differ in their type lists alone; at the newest of all also in one
  other form, half of them in another element type as well, chosen by the id;
* with `newest` it is at the newest version, and one case in four at the newest of each older class;
* with `versions` it is once at each version at which it holds;
* with `types` it is at every version in each element type of that version; a list of `types` is
  taken at the newest version;
* with `forms`, or a list of `forms`, in each of them; with a mapping it is at the newest
  version in each form and element type that the mapping has;
* what the full corpus alone has is at none; what a family pairs is at the newest version in
  each type in another form too;
* one in thirty-two invalid cases is at the last opset of the newest version, too;
* the control of an invalid vector is always there;
* except at the newest version of a class, only one in four of these is kept: `thinning`.

The full profile is the product of all versions, these opsets, all types and all forms that apply. A
case of the full corpus alone, which takes long to compute, is only at the newest version at its own
opset.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from onnx_conformance.core.corpus.listing.model import PLAIN_RULE
from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.errors import BadInputError

from ..forms import STATIC_FORM, presents, swept_forms
from ..situations.bindings import bound_types
from ..situations.making import Situations
from ..situations.situations import Situation
from ..situations.type_texts import is_tensor
from ..situations.variants import holds_at, nowhere, versions_of
from ..specs.model import Case, CorpusFacts, OperatorVersion, Spec
from ..specs.words import Spread
from .plans import Plan
from .suiting import is_written, suiting_types, types_in_full
from .thinning import (
    Place,
    forms_at,
    is_in_each_type,
    is_paired,
    is_varied,
    later_opset,
    places,
    stands,
    types_at,
    varies_its_type,
)

STANDARD = "standard"
FULL = "full"
# The names of the rules, as a line of a manifest has them beside `case`: the case as it is written.
TYPES, FORMS, PAIRS, OPSET, VARIED, CONTROL = (
    "types",
    "forms",
    "pairs",
    "opset",
    "varied",
    "control",
)
# The plain form of a case with several data sets.
_SEVERAL = ("data_sets",)


def plans(
    spec: Spec,
    facts: CorpusFacts,
    profile: str,
    selection: Sequence[str] = (),
    situations: Situations | None = None,
) -> tuple[Plan, ...]:
    """Every vector of a spec in a profile, controls included, each once.

    With a selection (patterns of ids as in `core.corpus.patterns`), only those that match and their
    controls. Raises BadInputError for a case without any vector.
    """
    made = situations or Situations(facts)
    planned: dict[str, Plan] = {}
    for case in spec.cases.values():
        versions = [
            (version, place)
            for version, place in _versions(spec, case, profile)
            if not selection
            or may_match(f"{spec.slug}-{version.since_version}", case.id, selection)
        ]
        if not versions and (selection or case.spread == Spread.FULL):
            continue
        found = list(_plans_of(spec, case, versions, made, profile))
        if selection:
            index = IdIndex(plan.id for plan in found)
            taken = {item for pattern in selection for item in index.matching(pattern)}
            found = [plan for plan in found if plan.id in taken]
            if not found:
                continue
        if not found:
            raise BadInputError(
                f"{spec.path}:{case.line}: case '{case.id}' holds at no version:"
                f" {nowhere(spec, case)}"
            )
        if case.kind == Kind.INVALID:
            found = with_controls(found, made)
            if not found and not selection:
                raise BadInputError(
                    f"{spec.path}:{case.line}: case '{case.id}' holds at no version at which its"
                    f" control '{case.control}' does"
                )
        for plan in found:
            _add(planned, plan)
    return tuple(planned.values())


class ControlError(BadInputError):
    """A control that proves nothing about the fault of its case, which its author can mend."""


def with_controls(found: Iterable[Plan], made: Situations) -> list[Plan]:
    """Each invalid vector after its control; left out if the control does not hold there."""
    both: list[Plan] = []
    for plan in found:
        control = _control(plan, made)
        if control is not None:
            both += [control, plan.but(control=control.id)]
    return both


def _add(planned: dict[str, Plan], plan: Plan) -> None:
    """Add one plan; BadInputError if another one with the same id has other types."""
    known = planned.setdefault(plan.id, plan)
    if known.rule == CONTROL != plan.rule:
        planned[plan.id] = known.but(rule=plan.rule)
    if known.types != plan.types:
        raise BadInputError(
            f"{plan.spec.path}:{plan.case.line}: {plan.id} would be two vectors, of"
            f" {_types(known)} and of {_types(plan)}"
        )


def _types(plan: Plan) -> str:
    return ", ".join(f"{name} {text}" for name, text in plan.types.items())


def _versions(spec: Spec, case: Case, profile: str) -> Iterator[tuple[OperatorVersion, Place]]:
    """The versions of a case, each with its place among those at which the case holds."""
    versions = versions_of(spec, case)
    place = places(spec, versions)
    if case.spread == Spread.FULL:
        versions = versions[-1:] if profile == FULL else ()
    elif profile == STANDARD and case.spread == Spread.ENDS and len(versions) > 1:
        versions = (versions[0], versions[-1])
    for version in versions:
        at = place[version.since_version]
        if profile != STANDARD or stands(case, at):
            yield version, at


def may_match(operator_version: str, case: str, selection: Sequence[str]) -> bool:
    """Whether a pattern can match a vector of this case, by the first two components."""
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
    versions: Iterable[tuple[OperatorVersion, Place]],
    made: Situations,
    profile: str,
) -> Iterator[Plan]:
    for version, place in versions:
        if profile == STANDARD:
            yield from _standard(spec, case, version, made, place)
        else:
            yield from _full(spec, case, version, made, place)


def _full(
    spec: Spec, case: Case, version: OperatorVersion, made: Situations, place: Place
) -> Iterator[Plan]:
    first, last = version.since_version, version.last_opset
    later = later_opset(spec.slug, case, place, version) or first
    opsets = (first,) if case.spread == Spread.FULL else dict.fromkeys((first, later, last))
    for types in _bindings(spec, case, version, types_in_full(spec, case, version)):
        for operator_opset in opsets:
            model_opset = made.facts.model_opset(spec.domain, operator_opset)
            plan = Plan(spec, case, version, operator_opset, model_opset, types)
            plan = opened(plan, made)
            for form in _forms(plan, made):
                yield plan.but(form=form)


def _standard(
    spec: Spec, case: Case, version: OperatorVersion, made: Situations, place: Place
) -> Iterator[Plan]:
    first_opset = version.since_version
    model_opset = made.facts.model_opset(spec.domain, first_opset)
    every = suiting_types(spec, case, version)
    swept = types_at(case, place, every) if is_in_each_type(case, place) else every[:1]
    for position, types in enumerate(_bindings(spec, case, version, swept)):
        first = position == 0
        plan = opened(Plan(spec, case, version, first_opset, model_opset, types), made)
        asked = bool(case.forms or "forms" in case.sweep)
        forms = _forms(plan, made) if first and asked else _forms(plan, made, plain=True)
        for number, form in enumerate(forms_at(case, place, forms)):
            rule = PLAIN_RULE if number == 0 else FORMS
            yield plan.but(form=form, rule=rule if first else TYPES)
        if first:
            yield from _at_later_opset(plan, place, made)
            yield from _in_pairs(plan, every, place, made)
        elif is_paired(case, place):
            yield from _in_another_form(plan.but(rule=PAIRS), made)
        if first and is_varied(case, place):
            yield from _varied(plan.but(rule=VARIED), every, made)


def _at_later_opset(plan: Plan, place: Place, made: Situations) -> Iterator[Plan]:
    """The case in a model of a later opset, at which the operator is the same version."""
    opset = later_opset(plan.spec.slug, plan.case, place, plan.version)
    if opset is not None:
        model_opset = made.facts.model_opset(plan.spec.domain, opset)
        later = replace(plan, operator_opset=opset, model_opset=model_opset, is_open=False)
        later = opened(later.but(rule=OPSET), made)
        for form in _forms(later, made, plain=True):
            yield later.but(form=form)


def _in_pairs(plan: Plan, every: Sequence[str], place: Place, made: Situations) -> Iterator[Plan]:
    """The case in each form and element type that its `pairs` have, at the newest version."""
    pairs = plan.case.pairs if place is Place.NEWEST else {}
    for form, types in pairs.items():
        for name in types:
            if name in every:
                bound = bound_types(plan.spec, plan.version, plan.case, name)
                other = opened(replace(plan, types=bound, is_open=False, rule=PAIRS), made)
                if presents(form, made.of(other)):
                    yield other.but(form=form)


def _in_another_form(plan: Plan, made: Situations) -> Iterator[Plan]:
    """The plan in one form that is not the plain one; none where it has no other."""
    seed = f"{plan.spec.slug}:{plan.case.id}:{plan.type}"
    form = _chosen(seed, [item for item in _forms(plan, made) if item != STATIC_FORM])
    if form is not None:
        yield plan.but(form=form)


def _varied(plan: Plan, every: Sequence[str], made: Situations) -> Iterator[Plan]:
    """The case in another form: half of the cases in another element type as well.

    So every element type meets every form somewhere in the corpus, at no cost in vectors, and a
    runtime that has the plain element type alone still meets the forms.
    """
    case = plan.case
    if varies_its_type(case):
        other = _chosen(case.id, [item for item in every if item != plan.type])
        swept = is_in_each_type(case, Place.NEWEST) or _values_are_written(case)
        if other is not None and not swept:
            types = bound_types(plan.spec, plan.version, case, other)
            varied = opened(replace(plan, types=types, is_open=False), made)
            yield next(_in_another_form(varied, made), varied)
    elif case.forms is None and "forms" not in case.sweep:
        form = _chosen(case.id, [item for item in _forms(plan, made) if item != STATIC_FORM])
        if form is not None:
            yield plan.but(form=form)


def _values_are_written(case: Case) -> bool:
    """Whether elements are written out; another type may not have them."""
    return any(map(is_written, case.examples[0].inputs.values()))


def _chosen(seed: str, names: Sequence[str]) -> str | None:
    """One of the names, chosen by a hash, so that a new name changes few choices."""
    if not names:
        return None
    return max(names, key=lambda name: hashlib.sha256(f"{seed}:{name}".encode()).digest())


def _bindings(
    spec: Spec, case: Case, version: OperatorVersion, main: Iterable[str]
) -> Iterator[dict[str, str]]:
    """The types of all variables: one binding for each type of the main or the swept variable."""
    variables = [item[len("types:") :] for item in case.sweep if item.startswith("types:")]
    for type_name in main:
        types = bound_types(spec, version, case, type_name)
        yield types
        for variable in variables:
            for other in version.types.get(variable, ()):
                if other != types[variable] and is_tensor(other):
                    yield {**types, variable: other}


def opened(plan: Plan, made: Situations) -> Plan:
    """The plan, with the oracle's statement whether its result is left open."""
    if plan.case.kind != Kind.VALID or (
        not plan.spec.questions and plan.case.examples[0].outputs is not None
    ):
        return plan
    return plan.but(is_open=bool(made.of(plan).permitted))


def _forms(plan: Plan, made: Situations, *, plain: bool = False) -> tuple[str, ...]:
    """The forms in which a plan can be presented, in the order of the case or of the registry."""
    names = _names_of_forms(plan)
    situation = made.of(plan)
    if plain:
        first = _first_form(names, situation)
        return () if first is None else (first,)
    return tuple(name for name in names if presents(name, situation))


def plain_form_of(plan: Plan, made: Situations) -> str | None:
    """The first form in which a plan can be presented; None if there is none."""
    return next(iter(_forms(plan, made, plain=True)), None)


def _names_of_forms(plan: Plan) -> tuple[str, ...]:
    """The forms that a plan may have, as far as they suit its situation."""
    if plan.case.forms is not None:
        return plan.case.forms
    if plan.case.pairs:
        return tuple(dict.fromkeys((STATIC_FORM, *plan.case.pairs, *_SEVERAL)))
    if plan.case.kind == Kind.VALID and not plan.is_open:
        return swept_forms()
    return (STATIC_FORM,)


def _first_form(names: Iterable[str], situation: Situation) -> str | None:
    return next((name for name in names if presents(name, situation)), None)


def _control(plan: Plan, made: Situations) -> Plan | None:
    """The nearest valid vector: the same in everything except the fault.

    If the fault is the element type, the control has the plain type. If the form cannot present the
    control, the plain form is used; if the data is wrapped in a sequence or an optional, the form
    that unwraps it, so that a runtime without these types is noticed. None if a family's control
    does not hold at this version: the case is then left out there.

    Raises:
        ControlError: if the case needs another control.
    """
    case = plan.spec.cases[plan.case.control or ""]
    where = f"{plan.spec.path}:{plan.case.line}: control '{case.id}' of '{plan.case.id}'"
    if not holds_at(plan.spec, case, plan.version):
        if plan.case.spread != Spread.EVERYWHERE:
            return None
        raise ControlError(f"{where} does not hold at version {plan.version.since_version}")
    types = suiting_types(plan.spec, case, plan.version)
    if not types:
        raise ControlError(f"{where} has no type at version {plan.version.since_version}")
    type_name = plan.type if plan.type in types else types[0]
    bound = bound_types(plan.spec, plan.version, case, type_name)
    control = opened(replace(plan, case=case, types=bound, rule=CONTROL), made)
    if control.is_open and any(item.outputs is None for item in made.of(control).permitted):
        # A refusal of the control would count as a pass, and prove nothing about the fault.
        raise ControlError(f"{where} may be refused: the document leaves open whether it is valid")
    if plan.case.fault.wrap is not None:
        unwrapping = f"through_{plan.case.fault.wrap}"
        if not presents(unwrapping, made.of(control)):
            raise ControlError(
                f"{where} cannot be unwrapped at opset {plan.model_opset}: give the case a `since`"
            )
        return control.but(form=unwrapping)
    names = _names_of_forms(control)
    same = (plan.form,) if plan.form in names else ()
    form = _first_form((*same, *names), made.of(control))
    if form is None:
        raise ControlError(f"{where} has no form at version {plan.version.since_version}")
    return control.but(form=form)
