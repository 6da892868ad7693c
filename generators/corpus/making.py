"""The whole corpus: every planned vector, the manifest, and the texts of the requirements."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.listing.model import listed
from onnx_conformance.core.corpus.listing.writing import manifest_files
from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.corpus.requirements import REQUIREMENTS_FILE
from onnx_conformance.core.corpus.vector_files import digest
from onnx_conformance.core.corpus.vectors import relative_directory
from onnx_conformance.core.errors import BadInputError, IncompleteError

from ..planning.core import core_ids
from ..planning.expansion import STANDARD, plans
from ..planning.reading import read_specs
from ..situations.making import Situations
from ..whole_models.model import ModelSpec
from .building import build

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from onnx_conformance.core.corpus.listing.model import Listed

    from ..planning.plans import Plan
    from ..specs.model import CorpusFacts, Spec
    from .building import Built

LARGEST_VECTOR = 64 * 1024
CORE = "core"


@dataclass(frozen=True)
class CorpusPlan:
    """What a corpus will hold, before any vector is built.

    Attributes:
        facts: facts about the whole corpus.
        specs: the specs that were read.
        profile: `core`, `standard` or `full`.
        plans: every vector.
        situations: those that the plans present, each made once.
        selection: patterns of ids; empty if everything is planned.
    """

    facts: CorpusFacts
    specs: tuple[Spec, ...]
    profile: str
    plans: tuple[Plan, ...]
    situations: Situations
    selection: tuple[str, ...] = ()


def plan_corpus(
    specs_folder: Path,
    profile: str = STANDARD,
    selection: Sequence[str] = (),
    operators: Sequence[str] = (),
) -> CorpusPlan:
    """Read the specs and plan every vector, or those of a selection and their controls.

    Args:
        specs_folder: folder of the specs.
        profile: which of all possible vectors to plan.
        selection: patterns of ids.
        operators: names of the spec files to read; empty means all.

    Raises BadInputError if two vectors would share a directory, and IncompleteError if a pattern
    of the selection matches nothing.
    """
    facts, specs = read_specs(specs_folder, operators)
    made = Situations(facts)
    planned: list[Plan] = []
    for spec in specs:
        found = plans(spec, facts, STANDARD if profile == CORE else profile, selection, made)
        if profile == CORE:
            kept = core_ids(found)
            found = tuple(plan for plan in found if plan.id in kept)
        planned += found
    if not operators:
        _require_all_matched(planned, specs, facts, selection)
    require_own_directories(planned)
    return CorpusPlan(facts, specs, profile, tuple(planned), made, tuple(selection))


def require_own_directories(planned: Sequence[Plan]) -> None:
    """BadInputError if two ids differ only in characters that directory names do not have."""
    directories: dict[str, str] = {}
    for plan in planned:
        place = relative_directory(plan.kind, plan.id)
        first = directories.setdefault(place, plan.id)
        if first != plan.id:
            raise BadInputError(f"'{first}' and '{plan.id}' would share the directory {place}")


def _require_all_matched(
    planned: Sequence[Plan],
    specs: Sequence[Spec],
    facts: CorpusFacts,
    selection: Sequence[str],
) -> None:
    index = IdIndex(plan.id for plan in planned)
    for pattern in selection:
        if not index.matching(pattern):
            every = (plan.id for spec in specs for plan in plans(spec, facts, STANDARD))
            raise IncompleteError(IdIndex(every).explain(pattern))


def build_all(corpus: CorpusPlan) -> Iterator[Built]:
    """Every vector, one after the other."""
    for plan in corpus.plans:
        built = build(plan, corpus.facts, corpus.situations)
        size = sum(len(content) for content in built.files.values())
        if size > LARGEST_VECTOR:
            raise BadInputError(
                f"{plan.spec.path}:{plan.case.line}: {plan.id} takes {size} bytes;"
                f" a vector stays under {LARGEST_VECTOR}"
            )
        yield built


def manifests(facts: CorpusFacts, profile: str, vectors: Iterable[Listed]) -> dict[str, bytes]:
    """The manifests, by path below the corpus's folder: what wrote it, and its vectors."""
    import onnx

    head = {
        "corpus": facts.version,
        "profile": profile,
        "onnx": onnx.__version__,
        "newest_opset": facts.newest_opset,
    }
    return manifest_files(head, vectors)


def requirements(specs: Sequence[Spec]) -> bytes:
    """The texts of the requirements, for reports and for readers without the specs."""
    words: dict[str, Any] = {}
    for spec in specs:
        words.update(requirements_of(spec))
    return as_json(words)


def requirements_of(spec: Spec | ModelSpec) -> dict[str, Any]:
    """The requirements of one spec by operator; a domain other than the default is part of it."""
    if isinstance(spec, ModelSpec):
        name = spec.name
    else:
        name = f"{spec.domain}.{spec.operator}" if spec.domain else spec.operator
    return {
        name: {
            item.id: {
                "text": item.text,
                "document": item.document,
                "part": item.part,
                "since": item.since,
                "until": item.until,
            }
            for item in spec.requirements.values()
        }
    }


def as_json(document: Mapping[str, Any]) -> bytes:
    """JSON in the layout of the corpus's own files."""
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def expected_files(corpus: CorpusPlan) -> Iterator[tuple[str, Mapping[str, bytes]]]:
    """(relative directory, files) of each vector, then the corpus's own files under ``""``."""
    all_listed: list[Listed] = []
    for built in build_all(corpus):
        vector = built.vector
        all_listed.append(listed(vector, digest(built.files)))
        yield relative_directory(vector.kind, vector.id), built.files
    yield (
        "",
        {
            REQUIREMENTS_FILE: requirements(corpus.specs),
            **manifests(corpus.facts, corpus.profile, all_listed),
        },
    )
