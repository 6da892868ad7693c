"""From a spec of whole models to its vectors, with their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from onnx_conformance.core.corpus.vectors import (
    RESULT,
    DataSet,
    Kind,
    Permitted,
    Vector,
    slug,
)
from onnx_conformance.core.values.tensors import NamedValue

from ..whole_models.model import ModelSpec
from ..whole_models.proving import fed, outputs_of, require_refused, written_outputs
from ..whole_models.variants import ModelVariant, all_variants
from .building import files_of, value_kinds
from .coverage.operators import OperatorCoverage

FORM = "model"
_CORE_OF_EACH_KIND = 3


@dataclass(frozen=True)
class BuiltModel:
    """A vector of a whole model with its files."""

    #: Its metadata.
    vector: Vector
    #: All its files by path in its directory.
    files: Mapping[str, bytes]


def build_models(
    spec: ModelSpec,
    wanted: frozenset[str] | None = None,
    opsets: Mapping[str, int] | None = None,
) -> Iterator[BuiltModel]:
    """The vectors of a spec, or those with the given ids, in its order.

    Args:
        spec: the spec.
        wanted: the ids of the vectors to build; None means all.
        opsets: the opset that the lock lists for a vector; others take that of their model, or the
            newest if it imports none.

    Raises BadInputError if the interpreter contradicts the spec, or if two ids are the same.
    """
    seen: set[str] = set()
    for variant in all_variants(spec):
        if variant.id in seen:
            raise variant.error("is here twice")
        seen.add(variant.id)
        if wanted is None or variant.id in wanted:
            yield _built(variant, (opsets or {}).get(variant.id, variant.opset))


def model_ids(spec: ModelSpec) -> dict[str, str | None]:
    """The ids of a spec's vectors in its order, each with the id of its control."""
    return {variant.id: variant.control for variant in all_variants(spec)}


def excerpt_models(vectors: Iterable[Vector]) -> frozenset[str]:
    """The ids that are kept in git: the first few of each kind, with their controls."""
    chosen: dict[str, Vector] = {}
    counts: Counter[Kind] = Counter()
    for vector in vectors:
        if counts[vector.kind] < _CORE_OF_EACH_KIND:
            counts[vector.kind] += 1
            chosen[vector.id] = vector
    controls = {vector.control for vector in chosen.values() if vector.control is not None}
    return frozenset(chosen) | controls


def planned_models(spec: ModelSpec) -> Iterator[tuple[Kind, int]]:
    """The kind and the version of each vector of a spec, before any is built."""
    for variant in all_variants(spec):
        yield variant.case.kind, variant.since_version


def model_coverage(spec: ModelSpec, vectors: Iterable[tuple[Kind, int]]) -> OperatorCoverage:
    """What the vectors of a spec cover: each is given by its kind and its version."""
    listed = tuple(vectors)
    kinds = Counter(kind for kind, _ in listed)
    return OperatorCoverage(
        name=spec.name,
        versions=len({version for _, version in listed}),
        requirements=len(spec.requirements),
        cases=len(spec.cases),
        kinds={kind: kinds[kind] for kind in Kind},
        gaps=tuple(_gaps(spec)),
    )


def _gaps(spec: ModelSpec) -> Iterator[str]:
    covered = {item for case in spec.cases.values() for item in case.covers}
    for item in spec.requirements.values():
        where = f"{spec.path}: requirement '{item.id}'"
        if item.uncovered is None and item.id not in covered:
            yield f"{where} has no case; add one, or say in `uncovered` why there is none"
        elif item.uncovered is not None and item.id in covered:
            yield f"{where} is said to be uncovered, but a case covers it"


def _built(variant: ModelVariant, opset: int) -> BuiltModel:
    case = variant.case
    model = type(variant.model)()
    model.CopyFrom(variant.model)
    if case.kind is not Kind.INVALID or model.graph.name:
        model.graph.name = slug(variant.id)  # a C90 identifier (IR.md, Names Within a Graph)
    data_sets = tuple(_data_set(variant, index) for index in range(len(case.runs)))
    permitted = tuple(_permitted(variant))
    if case.kind is Kind.INVALID:
        require_refused(variant)
    vector = _vector(variant, opset, data_sets, tuple(item for item, _ in permitted))
    content = model.SerializeToString(deterministic=True)
    files = files_of(vector, content, data_sets, permitted)
    return BuiltModel(vector, {**files, **variant.files})


def _data_set(variant: ModelVariant, index: int) -> DataSet:
    run = variant.case.runs[index]
    outputs = outputs_of(variant, run) if variant.case.kind is Kind.VALID else ()
    return DataSet(fed(variant, run), outputs)


def _permitted(variant: ModelVariant) -> Iterator[tuple[Permitted, tuple[NamedValue, ...]]]:
    for index, item in enumerate(variant.case.open):
        if item.outputs is None:
            yield Permitted(item.taken, item.reason, None), ()
        else:
            values = written_outputs(variant, item.outputs, {})
            yield Permitted(item.taken, item.reason, f"permitted_{index}"), values


def _vector(
    variant: ModelVariant,
    opset: int,
    data_sets: tuple[DataSet, ...],
    permitted: tuple[Permitted, ...],
) -> Vector:
    case, model, first = variant.case, variant.model, data_sets[0]
    return Vector(
        id=variant.id,
        kind=case.kind,
        purpose=case.purpose,
        operator=variant.spec.subject,
        domain=variant.spec.domain,
        since_version=variant.since_version,
        opset=opset,
        ir_version=model.ir_version,
        types={} if variant.type is None else {"T": variant.type},
        case=case.id,
        form=FORM,
        covers=case.covers,
        documented=None,
        rtol=0.0,
        atol=0.0,
        inputs=tuple(item.name for item in first.inputs),
        outputs=tuple(item.name for item in model.graph.output),
        reject=case.reject,
        control=variant.control,
        permitted=permitted,
        permitted_by=RESULT,
        extra=value_kinds((*first.inputs, *first.outputs)),
    )
