"""The rule `classes`: requirements meet each class of element types that has a kernel of its own.

A runtime has one kernel for strings, another one for what is packed, and a third for the rest: what
a document requires of all of them may be right in one alone. So at the newest version of an
operator each requirement has a vector in each class of the element types of its main input that
some case of it can be presented in. The rule looks at the spec and at what is listed (or proposed
by the other rules), and proposes the case that shows most of what a class lacks, of several the
simplest one. What has been admitted leaves nothing to propose.

docs/decisions/2026-11-28-requirements-meet-classes-of-types.md has the measurements.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeAlias

from onnx_conformance.core.corpus.vectors import Kind, Phase
from onnx_conformance.core.errors import BadInputError

from ..families.kinds.sizes import SIZES
from ..families.kinds.structure import DEFAULTS, PRESENTATION, TYPES
from ..families.signature_faults import ARITY, ATTRIBUTES, OUTPUT_TYPE, TYPES_INVALID
from ..forms import STATIC_FORM
from ..situations.bindings import bound_types
from ..situations.making import Situations
from ..situations.variants import holds_at
from ..specs.model import AnyLiteral, Case, GraphAttribute, Literal, OperatorVersion, Spec
from ..specs.words import Spread
from .expansion import ControlError, opened, plain_form_of, with_controls
from .plans import Plan
from .suiting import is_written, suiting_types
from .type_classes import class_of_type

#: What stands: the operator version, the types and the requirements of a vector.
Standing: TypeAlias = "tuple[int, Mapping[str, str], Sequence[str]]"

#: The name of the rule.
CLASSES = "classes"
#: What follows from a signature and is the same whatever the elements are: what a model says is
#: counted and named before a kernel is chosen, and each listed type has a requirement of its own.
#: That a default may be written out is read there too: of 15 vectors of nine operators two killed
#: a mutant that is wrong in their class alone.
UNASKED = frozenset({TYPES, TYPES_INVALID, ARITY, ATTRIBUTES, OUTPUT_TYPE, PRESENTATION, DEFAULTS})
#: Numbers that are in a template of one kernel where `plain` ones are: what it refuses they share.
_NUMBERS = frozenset({"plain", "64 bits", "float16"})
# What a case is proposed in; its other forms are about what is around the node.
_PLAIN_FORMS = (STATIC_FORM, "data_sets")


def asked_of(spec: Spec, version: OperatorVersion) -> tuple[str, ...]:
    """The requirements of a version that each class of element types is asked for."""
    held = spec.holding[version.since_version]
    return tuple(
        item.id
        for item in spec.requirements.values()
        if item.id in held and item.uncovered is None and item.id not in UNASKED
    )


def types_by_class(version: OperatorVersion) -> Mapping[str, tuple[str, ...]]:
    """The types that the main input of a version may have, by their classes."""
    variable = version.main_variable
    if variable is None or all(item.type != variable for item in version.inputs):
        return {}
    found: dict[str, list[str]] = {}
    for text in version.types[variable]:
        found.setdefault(class_of_type(text), []).append(text)
    return {name: tuple(types) for name, types in found.items()}


def met(version: OperatorVersion, standing: Iterable[Standing]) -> frozenset[tuple[str, str]]:
    """The pairs of requirement and class that stand at a version."""
    variable = version.main_variable
    return frozenset(
        (requirement, class_of_type(types[variable]))
        for number, types, covers in standing
        if number == version.since_version and variable is not None
        for requirement in covers
    )


def standing_of(plan: Plan) -> Standing:
    """What a plan shows once it stands."""
    return plan.version.since_version, plan.types, plan.case.covers


def class_plans(
    spec: Spec, standing: Iterable[Standing], taken: AbstractSet[str], made: Situations
) -> Iterator[Plan]:
    """What the newest version of an operator lacks, each invalid vector after its control.

    Args:
        spec: the operator's.
        standing: what is listed of it, and what other rules propose.
        taken: ids that stand, or are never used again.
        made: the situations, for what they are presented in.
    """
    version = spec.versions[max(spec.versions)]
    presenting = _Presenting(spec, version, taken, made)
    stands, asked = met(version, standing), asked_of(spec, version)
    cases = [item for item in spec.cases.values() if _may_stand(spec, item, version)]
    for name, types in types_by_class(version).items():
        missing = {item for item in asked if (item, name) not in stands}
        left = {
            case.id: suiting
            for case in cases
            if (suiting := [item for item in suiting_types(spec, case, version) if item in types])
        }
        while case := _next(spec, left, missing, invalid=name not in _NUMBERS):
            for plan in presenting.first(case, left.pop(case.id)):
                # A control may have the plain type, where the class is not shown by it.
                missing -= {
                    item for item, kind in met(version, [standing_of(plan)]) if kind == name
                }
                yield plan


def _may_stand(spec: Spec, case: Case, version: OperatorVersion) -> bool:
    """Whether a case is one of those that are tried.

    It is of small tensors, holds at the newest version, and its results are not left open; an
    invalid one is refused in a run alone, and no graph in it names its types.
    """
    if case.kind == Kind.INVALID and case.reject is not Phase.RUN:
        return False  # what can be known before any kernel runs is the same in all types
    if case.kind == Kind.LATITUDE or _has_graph_of_its_own_types(case):
        return False
    return case.spread != Spread.FULL and case.family != SIZES and holds_at(spec, case, version)


def _has_graph_of_its_own_types(case: Case) -> bool:
    """Whether a case has a graph that names its types: it would be wrong where others come in.

    An oracle that runs no iteration of it does not notice.
    """
    graphs = [item.value for item in case.attributes if isinstance(item.value, GraphAttribute)]
    return any("$" not in graph.text for graph in graphs)


def _next(
    spec: Spec, left: Iterable[str], missing: AbstractSet[str], *, invalid: bool
) -> Case | None:
    """The case that shows most of what is missing, of several the simplest one."""
    showing = [
        case
        for case in map(spec.cases.__getitem__, left)
        if missing & set(case.covers) and (invalid or case.kind != Kind.INVALID)
    ]
    return min(showing, key=lambda case: _rank(case, missing), default=None)


def _rank(case: Case, missing: AbstractSet[str]) -> tuple[object, ...]:
    """How far a case is from showing much, simply: the least is taken."""
    inputs = list(case.examples[0].inputs.values())
    counts = [_count(item) for item in inputs]
    return (
        -len(missing & set(case.covers)),
        case.kind == Kind.INVALID,
        # One element has no neighbour with which a kernel could confuse it, and none has nothing.
        not counts or counts[0] <= 1,
        bool(inputs) and is_written(inputs[0]),
        len(case.examples),
        sum(counts),
        len(case.attributes),
        case.id,
    )


def _count(value: AnyLiteral) -> int:
    return math.prod(value.shape) if isinstance(value, Literal) else 1


@dataclass(frozen=True)
class _Presenting:
    """Presents cases at the newest version of an operator, in other types than they stand in."""

    spec: Spec
    version: OperatorVersion
    taken: AbstractSet[str]
    made: Situations

    def first(self, case: Case, types: Sequence[str]) -> tuple[Plan, ...]:
        """A case in the first type in which it, and its control, can be presented; () in none.

        Raises:
            ControlError: if the case needs another control.
        """
        for text in types:
            try:
                plans = self._plans(case, text)
            except ControlError:
                raise  # a mistake in the spec, which the author is to read
            except BadInputError:
                continue  # a value that the type does not have, or a call that the oracle refuses
            if plans and plans[-1].id not in self.taken:
                # A control that is not listed comes with what it is for.
                return tuple(item.but(rule=CLASSES) for item in plans if item.id not in self.taken)
        return ()

    def _plans(self, case: Case, text: str) -> Sequence[Plan]:
        """A case in one type, after its control if it has one; none if it has no plain form."""
        opset = self.version.since_version
        model_opset = self.made.facts.model_opset(self.spec.domain, opset)
        types = bound_types(self.spec, self.version, case, text)
        plan = opened(Plan(self.spec, case, self.version, opset, model_opset, types), self.made)
        form = plain_form_of(plan, self.made)
        if form not in _PLAIN_FORMS or plan.kind == Kind.LATITUDE:
            return ()
        plans = [plan.but(form=form)]
        return with_controls(plans, self.made) if case.kind == Kind.INVALID else plans
