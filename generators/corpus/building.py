"""From a plan to a vector: its model and its files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.metadata import to_json
from onnx_conformance.core.corpus.vector_files import limit_files
from onnx_conformance.core.corpus.vectors import (
    DATA_FILE,
    ELEMENT,
    MODEL_FILE,
    RESULT,
    VALUE_KINDS,
    DataSet,
    Kind,
    Permitted,
    Vector,
    slug,
)
from onnx_conformance.core.documents import json_line
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.onnx_values import serialize_value
from onnx_conformance.core.values.tensors import (
    Drawn,
    MapValue,
    NamedValue,
    OptionalValue,
    SequenceValue,
)

from ..forms import STATIC_FORM, form_named, presents
from ..planning.plans import Plan
from ..situations.making import Situations
from ..situations.situations import Situation
from ..specs.model import CorpusFacts
from .described.laws import laws_of, plain_reach, require_lawful
from .described.limit_rules import accuracy_of

if TYPE_CHECKING:
    import onnx

    from ..forms.models import Presentation

# The tolerance for plain runners, which do not know limits: ONNX's own pair.
PLAIN_RTOL = 1e-3
PLAIN_ATOL = 1e-7
_KINDS = {SequenceValue: "sequence", OptionalValue: "optional", MapValue: "map"}


@dataclass(frozen=True)
class Built:
    """A vector with its files and its model, before it is written."""

    #: Its metadata.
    vector: Vector
    #: All its files by path in its directory.
    files: Mapping[str, bytes]
    #: The model, parsed.
    model: onnx.ModelProto
    #: Inputs and expected outputs.
    data_sets: tuple[DataSet, ...]


def build(plan: Plan, facts: CorpusFacts, situations: Situations | None = None) -> Built:
    """The vector of a plan with all its files, in memory."""
    from ..forms.models import serialize

    situation = (situations or Situations(facts)).of(plan)
    if plan.form != STATIC_FORM and not presents(plan.form, situation):
        raise BadInputError(
            f"{plan.spec.path}:{plan.case.line}: {plan.id}: the form '{plan.form}' cannot present"
            " this case any more; withdraw the vector in specs/rulings.yaml"
        )
    if plan.case.kind == Kind.VALID:
        plan = plan.but(is_open=bool(situation.permitted))
    presentation = form_named(plan.form).build(situation)
    presentation.model.graph.name = slug(plan.id)  # a C90 identifier (IR.md, Names Within a Graph)
    permitted = _permitted(plan, situation, presentation)
    vector = _vector(plan, situation, presentation, tuple(item for item, _ in permitted))
    for values in (
        *(data_set.outputs for data_set in presentation.data_sets),
        *(values for _, values in permitted),
    ):
        require_lawful(values, f"{plan.spec.path}:{plan.case.line}: {plan.id}")
    files = files_of(vector, serialize(presentation.model), presentation.data_sets, permitted)
    return Built(vector, files, presentation.model, presentation.data_sets)


def files_of(
    vector: Vector,
    model: bytes,
    data_sets: Iterable[DataSet],
    permitted: Iterable[tuple[Permitted, tuple[NamedValue, ...]]],
) -> dict[str, bytes]:
    """The files of a vector by name.

    Args:
        vector: its metadata.
        model: its model, serialized.
        data_sets: the inputs, and for a valid vector the required outputs.
        permitted: the permitted results of a latitude vector, each with its outputs.
    """
    files = {MODEL_FILE: model, DATA_FILE: _one_key_a_line(to_json(vector))}
    for index, data_set in enumerate(data_sets):
        folder = f"test_data_set_{index}"
        files.update(_value_files(f"{folder}/input", data_set.inputs))
        if vector.kind == Kind.VALID:
            files.update(_output_files(folder, data_set.outputs))
    for item, values in permitted:
        if item.folder is not None:
            files.update(_output_files(item.folder, values))
    return files


def value_kinds(values: Iterable[NamedValue]) -> dict[str, Any]:
    """The entry in `extra` for values that are not tensors; empty if all are tensors."""
    kinds = {item.name: _KINDS[type(item.value)] for item in values if type(item.value) in _KINDS}
    return {VALUE_KINDS: kinds} if kinds else {}


def _one_key_a_line(document: Mapping[str, Any]) -> bytes:
    """JSON for people: short lists stay on the line of their key."""
    lines = [f' "{key}": {json_line(value)}' for key, value in document.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _value_files(stem: str, values: Iterable[NamedValue]) -> dict[str, bytes]:
    """`<stem>_<index>.pb` for each value."""
    return {
        f"{stem}_{index}.pb": serialize_value(item.value, item.name)
        for index, item in enumerate(values)
    }


def _output_files(folder: str, values: tuple[NamedValue, ...]) -> dict[str, bytes]:
    """The outputs; those that are not exact have their limits beside them."""
    files = _value_files(f"{folder}/output", values)
    for index, item in enumerate(values):
        files.update(limit_files(folder, index, item.value, item.name))
    return files


def _permitted(
    plan: Plan, situation: Situation, presentation: Presentation
) -> tuple[tuple[Permitted, tuple[NamedValue, ...]], ...]:
    """The results that a latitude vector permits, each with its outputs."""
    refusal = form_named(plan.form).refusal
    if plan.case.kind == Kind.VALID and refusal is not None:
        outputs = presentation.data_sets[0].outputs
        return (
            (Permitted("result", "the model runs, and this is its result", "permitted_0"), outputs),
            (Permitted("rejected", refusal, None), ()),
        )
    drawn = any(
        isinstance(one.value, Drawn) for item in situation.permitted for one in item.outputs or ()
    )
    results = []
    for index, item in enumerate(situation.permitted):
        folder = None if item.outputs is None else f"permitted_{index}"
        values = item.outputs or ()
        # Where one result is drawn and another is not, the laws are those of the draw alone.
        has_laws = not values or any(isinstance(one.value, Drawn) for one in values) or not drawn
        entry = Permitted(item.taken, item.reason, folder, item.anything, has_laws)
        results.append((entry, values))
    return tuple(results)


def _vector(
    plan: Plan, situation: Situation, presentation: Presentation, permitted: tuple[Permitted, ...]
) -> Vector:
    fed = presentation.data_sets[0]
    accuracy = accuracy_of(
        item
        for values in (
            *(data_set.outputs for data_set in presentation.data_sets),
            *(one.outputs or () for one in situation.permitted),
        )
        for item in values
    )
    laws = laws_of(presentation, situation)
    return Vector(
        id=plan.id,
        kind=plan.kind,
        purpose=plan.case.purpose,
        operator=plan.spec.operator,
        domain=plan.spec.domain,
        since_version=plan.version.since_version,
        opset=plan.operator_opset,
        ir_version=situation.ir_version,
        types=situation.types,
        case=plan.case.id,
        form=plan.form,
        covers=plan.case.covers,
        documented=plan.case.documented,
        rtol=PLAIN_RTOL if accuracy else 0.0,
        atol=plain_reach(laws) if laws else PLAIN_ATOL if accuracy else 0.0,
        inputs=presentation.inputs,
        outputs=presentation.outputs,
        reject=plan.case.reject,
        control=plan.control,
        permitted=permitted,
        permitted_by=ELEMENT if situation.by_element and plan.is_open else RESULT,
        accuracy=accuracy,
        laws=laws,
        extra=value_kinds((*fed.inputs, *fed.outputs)),
    )
