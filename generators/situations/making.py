"""From a variant of a case to its situation: real values, and the oracle's result for them.

Expected values have two sources that must agree: the spec and the oracle. If the spec leaves the
result to the oracle, the other source is the witnesses that `make validate` runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from onnx_conformance.core.corpus.vectors import DataSet, Kind
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import NamedValue, Tensor

from ..oracle.errors import InvalidCallError
from ..specs.model import Case, CorpusFacts, GivenAttribute, Spec
from .asking import Reply, ask
from .bindings import bound_types
from .declarations import declarations_of
from .faults import fault_is_structural
from .given import call_for, given_attributes, given_inputs
from .results import outputs_of, permitted_of
from .situations import Situation
from .type_texts import elements_of
from .variants import Variant, nowhere, versions_of


@dataclass
class Situations:
    """Makes each situation once, for all forms that present it.

    Attributes:
        facts: facts about the whole corpus.
    """

    facts: CorpusFacts
    _made: dict[str, Situation] = field(default_factory=dict)

    def of(self, variant: Variant) -> Situation:
        """The situation of a variant; BadInputError if the spec contradicts itself."""
        made = self._made.get(variant.base_id)
        if made is None:
            made = self._made[variant.base_id] = make_situation(variant, self.facts)
        return made


def make_situation(variant: Variant, facts: CorpusFacts) -> Situation:
    """The variant with real values; values in the spec are checked against the oracle."""
    case, version = variant.case, variant.version
    attributes = given_attributes(variant)
    inputs = tuple(
        given_inputs(variant, example, index) for index, example in enumerate(case.examples)
    )
    replies = _replies(variant, attributes, inputs)
    data_sets = tuple(
        DataSet(given, outputs_of(variant, example, given, index, replies))
        for index, (example, given) in enumerate(zip(case.examples, inputs, strict=True))
    )
    _check_ranks(variant, data_sets)
    permitted, by_element = permitted_of(variant, data_sets[0], replies)
    return Situation(
        name=variant.base_id,
        operator=variant.spec.operator,
        domain=variant.spec.domain,
        version=version,
        operator_opset=variant.operator_opset,
        model_opset=variant.model_opset,
        ir_version=max(facts.ir_version(variant.model_opset), *_ir_versions(variant, data_sets)),
        types=variant.types,
        attributes=attributes,
        data_sets=data_sets,
        outputs=declarations_of(variant, data_sets),
        fault=case.fault,
        permitted=permitted,
        by_element=by_element,
        roles=variant.spec.roles,
        package=variant.spec.package,
    )


def accepted(spec: Spec, case: Case, facts: CorpusFacts) -> bool:
    """Whether the oracle accepts a case, at the newest version at which it holds.

    Raises BadInputError if the case holds at no version, or is wrong in another way.
    """
    versions = versions_of(spec, case)
    if not versions:
        raise BadInputError(f"case '{case.id}' holds at no version: {nowhere(spec, case)}")
    version = versions[-1]
    types = bound_types(spec, version, case)
    operator_opset = version.since_version
    model_opset = facts.model_opset(spec.domain, operator_opset)
    variant = Variant(spec, case, version, operator_opset, model_opset, types)
    try:
        make_situation(variant, facts)
    except RefusedError:
        return False
    return True


class RefusedError(BadInputError):
    """The oracle refuses a case that the spec calls valid."""


def _ir_versions(variant: Variant, data_sets: tuple[DataSet, ...]) -> set[int]:
    """The IR versions that introduced the element types in use.

    A type outside the operator's constraint must be wrong for that reason only, so the model has an
    IR version that includes it.
    """
    version = variant.version
    variables = {item.type for item in (*version.inputs, *version.outputs)}
    used = {
        element
        for name, text in variant.types.items()
        if name in variables
        for element in elements_of(text)
    }
    used |= {
        item.value.type
        for data_set in data_sets
        for item in data_set.inputs
        if isinstance(item.value, Tensor)
    }
    return {element_type(name).since_ir for name in used} | {1}


def _replies(
    variant: Variant,
    attributes: tuple[GivenAttribute, ...],
    inputs: tuple[tuple[NamedValue, ...], ...],
) -> tuple[Reply, ...]:
    """The oracle's reply for each data set; none if it is not needed."""
    if variant.case.kind == Kind.LATITUDE or fault_is_structural(variant):
        return ()
    replies = []
    for example, given in zip(variant.case.examples, inputs, strict=True):
        try:
            call = call_for(variant, example, attributes, given)
            reply = ask(call, variant.version, variant.spec.questions)
        except InvalidCallError as error:  # a graph among the attributes is invalid
            reply = Reply(invalid=str(error))
        except BadInputError as error:
            raise BadInputError(f"{variant.where}: {error}") from None
        if variant.case.kind == Kind.VALID and reply.invalid:
            raise RefusedError(f"{variant.where}: the oracle refuses it: {reply.invalid}")
        if variant.case.kind == Kind.INVALID and not reply.invalid:
            raise BadInputError(f"{variant.where}: the oracle accepts it")
        replies.append(reply)
    return tuple(replies)


def _check_ranks(variant: Variant, data_sets: tuple[DataSet, ...]) -> None:
    """Check that a value has one rank in all data sets, because one model serves them all."""
    first = data_sets[0]
    for data_set in data_sets[1:]:
        for here, there in ((first.inputs, data_set.inputs), (first.outputs, data_set.outputs)):
            if _ranks(here) != _ranks(there):
                raise BadInputError(
                    f"{variant.where}: a data set under `then` has other ranks than the first:"
                    f" {_ranks(there)}, not {_ranks(here)}"
                )


def _ranks(values: tuple[NamedValue, ...]) -> dict[str, int]:
    return {item.name: len(item.value.shape) for item in values if isinstance(item.value, Tensor)}
