"""The whole corpus: every planned vector, the manifest, and the texts of the requirements."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onnx_conformance.core.corpus.listing.model import Listed
from onnx_conformance.core.corpus.listing.sizes import SMALL_FILE, SMALL_KEY
from onnx_conformance.core.corpus.listing.writing import manifest_files
from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.corpus.vectors import relative_directory
from onnx_conformance.core.errors import BadInputError, IncompleteError

from ..families.kinds.sizes import SIZES
from ..families.reading import Settled
from ..planning.excerpt import excerpt_ids
from ..planning.expansion import FULL, STANDARD, plans
from ..planning.locked import locked_plans
from ..planning.plans import Plan
from ..planning.reading import read_specs
from ..situations.making import Situations
from ..specs.model import CorpusFacts, Spec
from ..whole_models.model import ModelSpec
from .building import Built, build
from .lock import Lock, chosen, listed_in_excerpt, lock_beside
from .stems import slug_in

LARGEST_VECTOR = 64 * 1024
LARGEST_OF_SIZES = 8 * 1024 * 1024  # of the family whose subject large tensors are
EXCERPT = "core"  # the word for it in manifests and commands


@dataclass(frozen=True)
class CorpusPlan:
    """What a corpus will hold, before any vector is built.

    Attributes:
        facts: facts about the whole corpus.
        specs: the specs that were read.
        profile: `core`, `standard` or `full`.
        plans: every vector.
        situations: those that the plans present, each made once.
        lines: what the lock lists of these vectors; None where the rules decide.
        lost: a line for each vector that the lock lists and no spec has.
    """

    facts: CorpusFacts
    specs: tuple[Spec, ...]
    profile: str
    plans: tuple[Plan, ...]
    situations: Situations
    lines: tuple[Listed, ...] | None = None
    lost: tuple[str, ...] = ()


def plan_corpus(
    specs_folder: Path,
    profile: str = STANDARD,
    selection: Sequence[str] = (),
    operators: Sequence[str] = (),
    package: str = "",
) -> CorpusPlan:
    """Read the specs and plan every vector, or those of a selection and their controls.

    The vectors of the standard corpus and of its excerpt are those of the lock beside the specs;
    where there is none, and in the full profile, the rules decide.

    Args:
        specs_folder: folder of the specs.
        profile: which of all possible vectors to plan.
        selection: patterns of ids.
        operators: names of the spec files to read; empty means all.
        package: the package with the oracles of somebody's own operators; empty for those here.

    Raises BadInputError if two vectors would share a directory, and IncompleteError if a pattern
    of the selection matches nothing.
    """
    lock = None if profile == FULL else lock_beside(specs_folder)
    if lock is None:
        facts, specs = read_specs(specs_folder, operators, package=package)
        made = Situations(facts)
        wider = STANDARD if profile == EXCERPT else profile
        found = [plans(spec, facts, wider, selection, made) for spec in specs]
        lines: tuple[Listed, ...] | None = None
        lost: tuple[str, ...] = ()
    else:
        every = _lines(lock, specs_folder, operators)
        lines = chosen(every, selection)
        settled = settled_by(every, propose=False)
        facts, specs = read_specs(specs_folder, operators, settled, package)
        by_slug = _by_slug(lines)
        locked = [locked_plans(spec, facts, by_slug.get(spec.slug, ())) for spec in specs]
        found = [item.plans for item in locked]
        lost = tuple(line for item in locked for line in item.lost)
        made = Situations(facts)
    planned: list[Plan] = []
    for spec, of_operator in zip(specs, found, strict=True):
        kept = None
        if profile == EXCERPT:
            kept = excerpt_ids(of_operator, listed_in_excerpt(specs_folder, spec.slug))
        planned += [plan for plan in of_operator if kept is None or plan.id in kept]
    if not operators:
        _require_all_matched(planned, specs, facts, selection, lock)
    require_own_directories(planned)
    return CorpusPlan(facts, specs, profile, tuple(planned), made, lines, lost)


def _lines(lock: Lock, folder: Path, operators: Sequence[str]) -> tuple[Listed, ...]:
    """What the lock lists of some spec files' operators; all where none is named."""
    slugs = {slug_in(folder, stem) for stem in operators}
    return lock.lines(None if not operators or None in slugs else filter(None, slugs))


def _by_slug(lines: Iterable[Listed]) -> dict[str, list[Listed]]:
    found: dict[str, list[Listed]] = {}
    for line in lines:
        found.setdefault(line.operator_version.rpartition("-")[0], []).append(line)
    return found


def settled_by(lines: Iterable[Listed], *, propose: bool) -> Settled:
    """What reading specs needs to know of the lock: which cases have vectors."""
    cases = {
        slug: frozenset(line.id.split("/")[1] for line in of_operator)
        for slug, of_operator in _by_slug(lines).items()
    }
    return Settled(cases, propose)


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
    lock: Lock | None,
) -> None:
    index = IdIndex(plan.id for plan in planned)
    for pattern in selection:
        if not index.matching(pattern):
            if lock is not None:
                raise IncompleteError(IdIndex(lock.ids()).explain(pattern))
            every = (plan.id for spec in specs for plan in plans(spec, facts, STANDARD))
            raise IncompleteError(IdIndex(every).explain(pattern))


def build_all(corpus: CorpusPlan) -> Iterator[Built]:
    """Every vector, one after the other."""
    for plan in corpus.plans:
        built = build(plan, corpus.facts, corpus.situations)
        size = sum(len(content) for content in built.files.values())
        largest = LARGEST_OF_SIZES if plan.case.family == SIZES else LARGEST_VECTOR
        if size > largest:
            raise BadInputError(
                f"{plan.spec.path}:{plan.case.line}: {plan.id} takes {size} bytes;"
                f" a vector stays under {largest}"
            )
        yield built


def manifests(facts: CorpusFacts, profile: str, vectors: Iterable[Listed]) -> dict[str, bytes]:
    """The manifests, by path below the corpus's folder: what wrote it, and its vectors."""
    return manifest_files(head_of(facts, profile), vectors)


def head_of(facts: CorpusFacts, profile: str) -> dict[str, Any]:
    """The first keys of manifest.json: what the corpus is, and what wrote it."""
    import onnx

    return {
        "corpus": facts.version,
        "profile": profile,
        "onnx": onnx.__version__,
        "newest_opset": facts.newest_opset,
        SMALL_KEY: SMALL_FILE,
    }


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
