"""What the rules propose for one spec that the lock does not have."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from onnx_conformance.core.corpus.listing.model import Listed, listed
from onnx_conformance.core.corpus.listing.sizes import listed_size
from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.corpus.vector_files import digest

from ...planning.classes import class_plans, standing_of
from ...planning.expansion import STANDARD, plans
from ...planning.locked import locked_plans
from ...planning.plans import Plan
from ...planning.reading import read_specs
from ...situations.making import Situations
from ...specs.model import CorpusFacts, Spec
from ...specs.reading import spec_files
from ...specs.rulings import read_rulings, taken_by
from ...whole_models.reading import model_spec_file, read_model_spec
from ..building import build
from ..lock import lock_beside
from ..making import settled_by
from ..model_vectors import build_models, model_ids
from ..stems import slug_in

MODEL = "model"


@dataclass(frozen=True)
class Proposal:
    """A vector that a rule proposes and the lock does not have."""

    #: Its id.
    id: str
    #: The name of the rule.
    rule: str
    #: `file:line` of its case.
    where: str


@dataclass(frozen=True)
class Examined:
    """What there is to say of one spec.

    Attributes:
        proposals: all that its rules propose; also what was declined.
        added: the lines of those that were built to be admitted.
        renewed: the lines, as they are now, of those that may change.
        gone: ids of lines that may change and that the spec no longer has.
    """

    proposals: tuple[Proposal, ...]
    added: tuple[Listed, ...] = ()
    renewed: tuple[Listed, ...] = ()
    gone: tuple[str, ...] = ()


@dataclass(frozen=True)
class Known:
    """What the lock says of one operator: its lines, and the ids that are never used again."""

    lines: tuple[Listed, ...]
    withdrawn: frozenset[str]

    @property
    def ids(self) -> frozenset[str]:
        """All ids that are no proposals."""
        return self.withdrawn | {line.id for line in self.lines}


def known_of(folder: Path, slug: str | None) -> Known:
    """What the lock beside a folder of specs says of an operator; of all if it is None."""
    lock = lock_beside(folder)
    versions = () if lock is None else tuple(lock.versions(None if slug is None else [slug]))
    return Known(
        tuple(line for version in versions for line in version.vectors),
        frozenset(item.id for version in versions for item in version.withdrawn),
    )


def proposed_plans(
    request: Request, known: Known, made: Situations | None = None
) -> tuple[Spec, CorpusFacts, tuple[Plan, ...]]:
    """The plans that the rules make of one spec, those of the lock left out."""
    settled = settled_by(known.lines, propose=True)
    facts, (spec,) = read_specs(request.folder, (request.stem,), settled, request.package)
    taken = known.ids
    made = made or Situations(facts)
    found = plans(spec, facts, STANDARD, request.selection, made)
    fresh = [plan for plan in found if plan.id not in taken]
    return spec, facts, (*fresh, *_in_classes(spec, known, fresh, request.selection, made))


def _in_classes(
    spec: Spec, known: Known, fresh: Sequence[Plan], selection: Sequence[str], made: Situations
) -> tuple[Plan, ...]:
    """What the rule `classes` proposes beside the lock and what the other rules propose."""
    lines = [
        (item.facts.since_version, item.facts.types, item.facts.covers) for item in known.lines
    ]
    standing = (*lines, *map(standing_of, fresh))
    taken = known.ids | {plan.id for plan in fresh}
    found = {plan.id: plan for plan in class_plans(spec, standing, taken, made)}
    if not selection:
        return tuple(found.values())
    index = IdIndex(found)
    wanted = {name for pattern in selection for name in index.matching(pattern)}
    wanted |= {control for name in wanted if (control := found[name].control) in found and control}
    return tuple(plan for name, plan in found.items() if name in wanted)


def proposals_of(planned: Iterable[Plan]) -> tuple[Proposal, ...]:
    """The proposals that plans are."""
    return tuple(
        Proposal(plan.id, plan.rule, f"{plan.spec.path}:{plan.case.line}") for plan in planned
    )


def model_proposals(folder: Path, path: Path, known: Known) -> tuple[Proposal, ...]:
    """What a spec of whole models has beyond the lock."""
    spec = read_model_spec(path, spec_files(folder)[0])
    return tuple(
        Proposal(name, MODEL, f"{spec.path}:{spec.cases[name.split('/')[1]].line}")
        for name in model_ids(spec)
        if name not in known.ids
    )


@dataclass(frozen=True)
class Request:
    """What is to be found out of one spec.

    Attributes:
        folder: the folder of the specs.
        stem: the name of the spec's file.
        selection: patterns of ids; empty means all.
        changing: the ids of lines that may change; None if nothing is to be built.
        since: the release of the corpus in which new vectors are first.
        package: the package with the oracles of somebody's own operators; empty for those here.
    """

    folder: Path
    stem: str
    selection: tuple[str, ...] = ()
    changing: frozenset[str] | None = None
    since: str = ""
    package: str = ""


def examine(request: Request) -> Examined:
    """What the rules propose for one spec; with `changing` also what is to be written of it."""
    folder, changing, since = request.folder, request.changing, request.since
    known = known_of(folder, slug_in(folder, request.stem))
    path = model_spec_file(folder, request.stem)
    if path is not None:
        return _examine_models(request, path, known)
    spec, facts, planned = proposed_plans(request, known)
    proposals = proposals_of(planned)
    if changing is None:
        return Examined(proposals)
    taken = _to_admit(folder, {plan.id: plan.control for plan in planned})
    made = Situations(facts)
    added = [
        replace(_line(plan, facts, made), since=since, rule=plan.rule)
        for plan in planned
        if plan.id in taken
    ]
    old = {line.id: line for line in known.lines if line.id in changing}
    locked = locked_plans(spec, facts, old.values())
    renewed = [_kept(_line(plan, facts, made), old[plan.id]) for plan in locked.plans]
    gone = tuple(old.keys() - {line.id for line in renewed})
    return Examined(proposals, tuple(added), tuple(renewed), gone)


def _line(plan: Plan, facts: CorpusFacts, made: Situations) -> Listed:
    built = build(plan, facts, made)
    return listed(built.vector, digest(built.files), listed_size(built.files))


def _kept(line: Listed, old: Listed) -> Listed:
    """The line as it is now, with what the old one says of its past."""
    return replace(line, since=old.since, rule=old.rule, was=old.was)


def _examine_models(request: Request, path: Path, known: Known) -> Examined:
    folder, selection, changing = request.folder, request.selection, request.changing
    spec = read_model_spec(path, spec_files(folder)[0])
    controls = model_ids(spec)
    index = IdIndex(controls)
    wanted = {item for pattern in selection for item in index.matching(pattern)}
    found = model_proposals(folder, path, known)
    proposals = tuple(item for item in found if not selection or item.id in wanted)
    if changing is None:
        return Examined(proposals)
    taken = _to_admit(folder, {item.id: controls[item.id] for item in proposals})
    old = {line.id: line for line in known.lines if line.id in changing}
    opsets = {name: line.facts.opset for name, line in old.items()}
    built = {
        item.vector.id: listed(item.vector, digest(item.files), listed_size(item.files))
        for item in build_models(spec, frozenset(taken | old.keys()), opsets)
    }
    return Examined(
        proposals,
        tuple(
            replace(built[name], since=request.since, rule=MODEL)
            for name in controls
            if name in taken
        ),
        tuple(_kept(built[name], old[name]) for name in old if name in built),
        tuple(old.keys() - built.keys()),
    )


def _to_admit(folder: Path, controls: Mapping[str, str | None]) -> Collection[str]:
    """The ids that were not declined, with their controls."""
    declined = taken_by(read_rulings(folder).declined, controls)
    taken = {name for name in controls if name not in declined}
    return taken | {control for name in taken if (control := controls[name]) in controls if control}
