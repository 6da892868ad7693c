"""Whether the lock holds together: with the releases' names, with the rulings, and in itself.

Nothing is made for it, so that every command that trusts the lock can ask first. Whether it still
proves what past releases held, `releases.versions` tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from onnx_conformance.core.corpus.listing.model import (
    MANIFEST_FILE,
    MANIFESTS_FOLDER,
    Listed,
    VersionManifest,
    Withdrawn,
)
from onnx_conformance.core.corpus.listing.releases import (
    Release,
    is_release,
    read_releases,
)
from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.errors import BadInputError

from ...specs.facts import CORPUS_FILE
from ...specs.model import CorpusFacts
from ...specs.reading import spec_files
from ...specs.rulings import RULINGS_FILE, Rulings, read_rulings, taken_by, without_effect
from ..lock import Lock

ADMIT = "`onnx-vectors admit --write`"


@dataclass(frozen=True)
class History:
    """The lock with what explains it.

    Attributes:
        specs: the folder of the specs.
        root: the folder of the lock.
        manifest: the content of its manifest.json.
        versions: what it lists, by operator version.
        facts: facts about the corpus; its version is the release that is being worked on.
        releases: those before, the oldest first.
        rulings: what people decided.
    """

    specs: Path
    root: Path
    manifest: Mapping[str, Any]
    versions: tuple[VersionManifest, ...]
    facts: CorpusFacts
    releases: tuple[Release, ...]
    rulings: Rulings

    @cached_property
    def lines(self) -> Mapping[str, Listed]:
        """What stands, by id."""
        return {line.id: line for version in self.versions for line in version.vectors}

    @cached_property
    def withdrawn(self) -> Mapping[str, Withdrawn]:
        """What was before, by id."""
        return {item.id: item for version in self.versions for item in version.withdrawn}

    @cached_property
    def every(self) -> Mapping[str, Listed | Withdrawn]:
        """What is there and what was before, by id."""
        return {**self.withdrawn, **self.lines}

    @property
    def released(self) -> tuple[str, ...]:
        """The versions that were released."""
        return tuple(item.version for item in self.releases)

    @property
    def known(self) -> tuple[str, ...]:
        """The versions that the lock may name."""
        return (*self.released, self.facts.version)

    def is_released(self, line: Listed | Withdrawn) -> bool:
        """Whether a vector was in a release, so that it is permanent."""
        return line.since is None or line.since in self.released

    def place(self, vector_id: str) -> str:
        """`file:line` of an id in the lock."""
        path = self.root / MANIFESTS_FOLDER / f"{vector_id.split('/', maxsplit=1)[0]}.json"
        text = path.read_text("utf-8") if path.is_file() else ""
        before, found, _ = text.partition(f'\n  "{vector_id}":')
        return f"{path}:{before.count(chr(10)) + 2}" if found else str(path)


def read_history(specs: Path, lock: Lock) -> History:
    """The lock with its releases and rulings; BadInputError if one of them cannot be read."""
    facts, _ = spec_files(specs)
    if not is_release(facts.version):
        raise BadInputError(
            f"{specs / CORPUS_FILE}: the corpus has version '{facts.version}'; with a lock it needs"
            " three numbers, as 0.3.0"
        )
    releases = read_releases(lock.root)
    known = (*(item.version for item in releases), facts.version)
    versions = tuple(lock.versions())
    rulings = read_rulings(specs, known)
    return History(specs, lock.root, lock.manifest, versions, facts, releases, rulings)


def require_whole(history: History) -> None:
    """Raise BadInputError for the first problem of the lock, with the number of others."""
    found = [*_line_problems(history), *_ruling_problems(history)]
    if found:
        more = f" (and {len(found) - 1} more: `onnx-vectors check`)" if len(found) > 1 else ""
        raise BadInputError(f"{found[0]}{more}")


def require_current(history: History) -> None:
    """Raise BadInputError if the lock does not hold together, or is older than the specs."""
    require_whole(history)
    for problem in head_problems(history):
        raise BadInputError(problem)


def lock_problems(history: History) -> Iterator[str]:
    """A line for each thing in the lock that contradicts something else."""
    yield from _line_problems(history)
    yield from _ruling_problems(history)
    yield from _idle_corrections(history)


def head_problems(history: History) -> Iterator[str]:
    """A line for each fact of the corpus that the lock's manifest.json says otherwise."""
    for key, value in (
        ("corpus", history.facts.version),
        ("newest_opset", history.facts.newest_opset),
    ):
        if history.manifest.get(key) != value:
            yield (
                f"{history.root / MANIFEST_FILE}: is older than the specs: '{key}' is"
                f" {history.manifest.get(key)}, and {value} in {history.specs / CORPUS_FILE};"
                f" {ADMIT} renews it"
            )


def _line_problems(history: History) -> Iterator[str]:
    """What single lines say that cannot be."""
    known, released = set(history.known), set(history.released)
    for name, line in history.every.items():
        if line.since is None and released:
            yield f"{history.place(name)}: {name}: has no key 'since', its first release"
        elif line.since is not None and line.since not in known:
            yield f"{history.place(name)}: {name}: unknown release {line.since}{_there(history)}"
        for version in line.was:
            if version not in released:
                yield f"{history.place(name)}: {name}: 'was' has {version}, which is no release"
    for name, item in history.withdrawn.items():
        if item.release not in known:
            yield f"{history.place(name)}: {name}: unknown release {item.release}{_there(history)}"
    for name, line in history.lines.items():
        control = line.facts.control
        if control is not None and control not in history.lines:
            gone = "was withdrawn" if control in history.withdrawn else "is not in the lock"
            yield f"{history.place(name)}: {name}: its control {control} {gone}"


def _there(history: History) -> str:
    return f"; there are {', '.join(history.known)}"


def _ruling_problems(history: History) -> Iterator[str]:
    """What the lock has and no ruling explains, and the other way round."""
    rulings, current = history.rulings, history.facts.version
    for name, ruling in taken_by(rulings.withdrawn, history.lines).items():
        what = f"{ruling.where}: withdraws {name} in {ruling.release}, and"
        if ruling.release == current:
            yield f"{what} it still stands; {ADMIT} takes it out"
        else:
            yield f"{what} {history.place(name)} lists it as standing"
    ruled = taken_by(rulings.withdrawn, history.withdrawn)
    for name, item in history.withdrawn.items():
        if name not in ruled or ruled[name].release != item.release:
            yield (
                f"{history.place(name)}: {name} was withdrawn in {item.release}, and no ruling in"
                f" {history.specs / RULINGS_FILE} says why"
            )
    corrected = taken_by(rulings.corrected, history.every)
    for name, line in history.every.items():
        if line.was and name not in corrected:
            yield (
                f"{history.place(name)}: {name} was corrected, and no ruling in"
                f" {history.specs / RULINGS_FILE} says why"
            )
    yield from without_effect((*rulings.withdrawn, *rulings.corrected), history.every)


def _idle_corrections(history: History) -> Iterator[str]:
    """A line for each ruling that corrects nothing."""
    index = IdIndex(history.every)
    for ruling in history.rulings.corrected:
        ids = [name for pattern in ruling.ids for name in index.matching(pattern)]
        if ids and not any(history.every[name].was for name in ids):
            yield f"{ruling.where}: corrects nothing yet; {ADMIT} takes what comes out now"
