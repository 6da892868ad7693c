"""`onnx-vectors admit`: what the rules propose beyond the lock, and taking it in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode, UsageError

from .arguments import add_jobs, add_oracles, add_specs_folder, oracles_of

if TYPE_CHECKING:
    import argparse

    from ..corpus.admission.admitting import Change
    from ..corpus.admission.proposals import Examined, Proposal
    from ..specs.rulings import Ruling

# Why a rule proposes a vector.
_WHY = {
    "case": "a case, at a version at which it stands",
    "types": "an element type of a case that goes through them",
    "forms": "a form of a case that goes through them",
    "pairs": "a form and an element type that a case pairs",
    "opset": "a case in a model of a later opset",
    "classes": "a requirement in a class of element types that lacks it",
    "varied": "a case once more in another form or element type",
    "control": "the valid vector beside an invalid one",
    "model": "a whole model",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_specs_folder(parser)
    add_oracles(parser)
    add_jobs(parser)
    parser.add_argument(
        "--operator",
        action="append",
        default=[],
        metavar="OPERATOR",
        help="look at this operator alone (a file in specs/); may be given several times",
    )
    parser.add_argument("--ids", action="store_true", help="show each id, not their number alone")
    parser.add_argument(
        "--write",
        action="store_true",
        help="write the lock: what is proposed and was not declined, and what rulings.yaml says"
        " of the present release",
    )
    parser.add_argument(
        "selection", nargs="*", metavar="ID", help="ids or patterns, e.g. 'clip-29/*'"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Show what is proposed, and write the lock if that is asked for."""
    from ..corpus.admission.admitting import may_change
    from ..corpus.admission.proposals import Request, examine
    from ..corpus.admission.proving import read_history
    from ..corpus.lock import lock_beside
    from ..corpus.parallel import require_matched
    from ..corpus.processes import in_processes
    from ..specs.reading import spec_files
    from ..specs.rulings import read_rulings, taken_by

    package = oracles_of(arguments)
    lock = lock_beside(arguments.specs)
    history = None if lock is None else read_history(arguments.specs, lock)
    facts, _ = spec_files(arguments.specs)
    changing: frozenset[str] | None = None
    if arguments.write:
        _require_open(facts.version, () if history is None else history.released)
        changing = frozenset() if history is None else may_change(history)
    selection = tuple(arguments.selection)
    calls = [
        (Request(arguments.specs, stem, selection, changing, facts.version, package),)
        for stem in _stems(arguments)
    ]
    examined = list(in_processes(examine, calls, arguments.jobs))
    proposals = [proposal for item in examined for proposal in item.proposals]
    listed = () if lock is None else lock.ids()
    require_matched(selection, (*listed, *(item.id for item in proposals)))
    rulings = read_rulings(arguments.specs).declined
    _show(proposals, taken_by(rulings, (item.id for item in proposals)), ids=arguments.ids)
    if arguments.write:
        _write(arguments, examined)
    return ExitCode.OK


def _stems(arguments: argparse.Namespace) -> Sequence[str]:
    from ..corpus.stems import all_stems, stems_for

    every = all_stems(arguments.specs)
    named = [name.lower() for name in arguments.operator]
    for name in named:
        if name not in every:
            raise UsageError(f"there is no spec {arguments.specs / name}.yaml")
    return stems_for(arguments.specs, named or every, arguments.selection)


def _require_open(version: str, released: Sequence[str]) -> None:
    """Raise BadInputError if the present version of the corpus is released already."""
    from onnx_conformance.core.errors import BadInputError

    if version in released:
        raise BadInputError(
            f"corpus {version} is released, and no longer changes; set the next version in"
            " specs/corpus.yaml"
        )


def _show(proposals: Sequence[Proposal], declined: Mapping[str, Ruling], *, ids: bool) -> None:
    """The proposals: how many, of which operator versions, by which rules; what was declined."""
    fresh = [item for item in proposals if item.id not in declined]
    if ids:
        for item in fresh:
            print(f"{item.id}  {item.rule}  {item.where}")
    else:
        by_version: dict[str, Counter[str]] = {}
        for item in fresh:
            by_version.setdefault(item.id.split("/", 1)[0], Counter())[item.rule] += 1
        for name, rules in by_version.items():
            words = ", ".join(f"{rule} {count}" for rule, count in rules.most_common())
            print(f"{name}: {rules.total()} proposed: {words}")
    rules = Counter(item.rule for item in fresh)
    for rule, count in rules.most_common():
        print(f"  {count:>6} {rule}: {_WHY.get(rule, '')}")
    if declined:
        print(f"{len(declined)} more were declined")
    print(f"{len(fresh)} vectors are proposed that the lock does not have")


def _write(arguments: argparse.Namespace, examined: Sequence[Examined]) -> None:
    from ..corpus.admission.admitting import changed, first_lock, write_lock
    from ..corpus.admission.proving import read_history, require_whole
    from ..corpus.lock import lock_beside, lock_folder
    from ..specs.reading import spec_files

    lock = lock_beside(arguments.specs)
    facts, _ = spec_files(arguments.specs)
    if lock is None:
        change = first_lock(examined)
    else:
        history = read_history(arguments.specs, lock)
        change = changed(history, examined)
        require_whole(replace(history, versions=change.versions))
    folder = lock_folder(arguments.specs)
    write_lock(folder, facts, change)
    print(f"{folder}: {_summary(change)}")


def _summary(change: Change) -> str:
    counts = {
        "added": change.added,
        "corrected": change.corrected,
        "renewed before their release": change.renewed,
        "withdrawn": change.withdrawn,
        "taken out before their release": change.dropped,
    }
    return ", ".join(f"{len(ids)} {word}" for word, ids in counts.items() if ids) or "as it was"
