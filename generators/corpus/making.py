"""The whole corpus: every planned vector, the manifest, and the requirements in words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.corpus import MANIFEST_FILE, MANIFEST_FORMAT
from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.corpus.requirements import REQUIREMENTS_FILE
from onnx_conformance.core.corpus.vectors import KINDS, digest, relative_directory
from onnx_conformance.core.errors import BadInputError, IncompleteError

from ..situations.expansion import STANDARD, plans
from ..specs.reading import read_specs
from .building import build
from .witnesses import disagreements, require_rulings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from ..situations.expansion import Plan
    from ..specs.model import CorpusFacts, Spec
    from .building import Built

LARGEST_VECTOR = 64 * 1024


@dataclass(frozen=True)
class CorpusPlan:
    """What a corpus will hold, before any vector is built."""

    facts: CorpusFacts
    specs: tuple[Spec, ...]
    profile: str
    plans: tuple[Plan, ...]
    selection: tuple[str, ...] = ()


def plan_corpus(
    specs_folder: Path, profile: str = STANDARD, selection: Sequence[str] = ()
) -> CorpusPlan:
    """Read the specs and plan every vector, or those of a selection and their controls.

    Raises BadInputError where two vectors would share a directory, and IncompleteError where a
    pattern of the selection takes nothing.
    """
    facts, specs = read_specs(specs_folder)
    planned = tuple(plan for spec in specs for plan in plans(spec, facts, profile, selection))
    _require_all_taken(planned, specs, facts, selection)
    require_own_directories(planned)
    return CorpusPlan(facts, specs, profile, planned, tuple(selection))


def require_own_directories(planned: Sequence[Plan]) -> None:
    """BadInputError where two ids differ only in characters that directories do not have."""
    directories: dict[str, str] = {}
    for plan in planned:
        place = relative_directory(plan.kind, plan.id)
        first = directories.setdefault(place, plan.id)
        if first != plan.id:
            raise BadInputError(f"'{first}' and '{plan.id}' would share the directory {place}")


def _require_all_taken(
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
    """Every vector, one after the other, so that memory stays flat however many there are."""
    for plan in corpus.plans:
        built = build(plan, corpus.facts)
        size = sum(len(content) for content in built.files.values())
        if size > LARGEST_VECTOR:
            raise BadInputError(
                f"{plan.spec.path}:{plan.case.line}: {plan.id} takes {size} bytes;"
                f" a vector stays under {LARGEST_VECTOR}"
            )
        yield built


def ask_witnesses(corpus: CorpusPlan) -> None:
    """Hold every vector against the witnesses; BadInputError where a ruling is needed or stale.

    Of a selection nothing can be said about stale rulings.
    """
    found = [item for built in build_all(corpus) for item in disagreements(built)]
    ids = [plan.id for plan in corpus.plans]
    require_rulings(corpus.specs, ids, found, stale_too=not corpus.selection)


def manifest(corpus: CorpusPlan, digests: Mapping[str, str]) -> bytes:
    """The manifest: what wrote the corpus, and a digest for each vector, one a line."""
    import onnx

    listed: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
    for plan in corpus.plans:
        listed[plan.kind][plan.id] = digests[plan.id]
    document = {
        "format": MANIFEST_FORMAT,
        "corpus": corpus.facts.version,
        "profile": corpus.profile,
        "onnx": onnx.__version__,
        "newest_opset": corpus.facts.newest_opset,
        "count": len(corpus.plans),
        "vectors": {kind: dict(sorted(ids.items())) for kind, ids in listed.items()},
    }
    return _json(document)


def requirements(specs: Sequence[Spec]) -> bytes:
    """The requirements in words, for reports and for readers without the specs."""
    return _json(
        {
            spec.operator: {
                item.id: {
                    "text": item.text,
                    "document": item.document,
                    "part": item.part,
                    "since": item.since,
                    "until": item.until,
                }
                for item in spec.requirements.values()
            }
            for spec in specs
        }
    )


def _json(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def expected_files(corpus: CorpusPlan) -> Iterator[tuple[str, Mapping[str, bytes]]]:
    """(relative directory, files) of each vector, then the corpus's own files under ``""``."""
    digests: dict[str, str] = {}
    for built in build_all(corpus):
        digests[built.vector.id] = digest(built.files)
        yield relative_directory(built.vector.kind, built.vector.id), built.files
    yield (
        "",
        {
            MANIFEST_FILE: manifest(corpus, digests),
            REQUIREMENTS_FILE: requirements(corpus.specs),
        },
    )
