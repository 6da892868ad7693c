"""Changes of the lock: new lines, corrected ones, and those that were withdrawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from onnx_conformance.core.corpus.listing.model import (
    MANIFEST_FILE,
    MANIFESTS_FOLDER,
    Listed,
    VersionManifest,
    Withdrawn,
)
from onnx_conformance.core.corpus.listing.writing import files_of_versions
from onnx_conformance.core.errors import BadInputError, cannot_write
from onnx_conformance.core.files import replacing

from ...planning.expansion import STANDARD
from ...specs.model import CorpusFacts
from ...specs.rulings import taken_by
from ..making import head_of
from .proposals import Examined
from .proving import History


@dataclass(frozen=True)
class Change:
    """The lock after a change, and the ids that changed."""

    versions: tuple[VersionManifest, ...]
    added: tuple[str, ...] = ()
    corrected: tuple[str, ...] = ()
    #: In no release yet, so that no ruling is needed.
    renewed: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    #: Taken out before they were in any release.
    dropped: tuple[str, ...] = ()


def may_change(history: History) -> frozenset[str]:
    """The ids of lines that may get another digest now: those ruled on, and those not released."""
    now = [item for item in history.rulings.corrected if item.release == history.facts.version]
    fresh = {name for name, line in history.lines.items() if not history.is_released(line)}
    return frozenset(fresh | taken_by(now, history.lines).keys())


def first_lock(examined: Iterable[Examined]) -> Change:
    """The lock of specs that had none: all that was built."""
    lines = [line for item in examined for line in item.added]
    return Change(_versions({}, lines), tuple(line.id for line in lines))


def changed(history: History, examined: Iterable[Examined]) -> Change:
    """The lock with what is new, and with the rulings of the present release applied."""
    lines = dict(history.lines)
    added, corrected, renewed, dropped = [], [], [], []
    for item in examined:
        for line in item.added:
            lines[line.id] = line
            added.append(line.id)
        for name in item.gone:
            if not history.is_released(lines[name]):
                del lines[name]
                dropped.append(name)
        for line in item.renewed:
            old = lines[line.id]
            if line == old:
                continue
            if history.is_released(old):
                last = history.released[-1]
                lines[line.id] = replace(line, was={last: old.digest, **old.was})
                corrected.append(line.id)
            else:
                lines[line.id] = line
                renewed.append(line.id)
    gone, never = _withdraw(history, lines)
    versions = _versions(
        {version.name: version for version in history.versions},
        lines.values(),
        {**history.withdrawn, **gone},
    )
    return Change(
        versions,
        tuple(added),
        tuple(corrected),
        tuple(renewed),
        tuple(gone),
        (*dropped, *never),
    )


def _withdraw(
    history: History, lines: dict[str, Listed]
) -> tuple[dict[str, Withdrawn], tuple[str, ...]]:
    """Take out what the present release withdraws; what no release had leaves nothing behind."""
    now = [item for item in history.rulings.withdrawn if item.release == history.facts.version]
    gone, never = {}, []
    for name, ruling in taken_by(now, tuple(lines)).items():
        line = lines.pop(name)
        if history.is_released(line):
            gone[name] = Withdrawn(
                name, line.digest, history.facts.version, ruling.words, line.since, line.was
            )
        else:
            never.append(name)
    return gone, tuple(never)


def _versions(
    before: Mapping[str, VersionManifest],
    lines: Iterable[Listed],
    withdrawn: Mapping[str, Withdrawn] | None = None,
) -> tuple[VersionManifest, ...]:
    """The manifests that hold these lines."""
    vectors: dict[str, list[Listed]] = {}
    for line in lines:
        vectors.setdefault(line.operator_version, []).append(line)
    gone: dict[str, list[Withdrawn]] = {}
    for item in (withdrawn or {}).values():
        gone.setdefault(item.id.split("/", 1)[0], []).append(item)
    found = []
    for name in dict.fromkeys((*vectors, *gone)):
        own = tuple(vectors.get(name, ()))
        operator = own[0].facts if own else before[name]
        _require_one_cover(own)
        found.append(
            VersionManifest(
                operator.operator,
                operator.domain,
                operator.since_version,
                own,
                tuple(gone.get(name, ())),
            )
        )
    return tuple(found)


def _require_one_cover(lines: Iterable[Listed]) -> None:
    """Raise BadInputError if vectors of one case cover different things."""
    covers: dict[str, Listed] = {}
    for line in lines:
        first = covers.setdefault(line.id.split("/")[1], line)
        if first.facts.covers != line.facts.covers:
            raise BadInputError(
                f"{first.id} and {line.id}: their case covers something else than before; such a"
                " change needs a ruling for all its vectors"
            )


def write_lock(folder: Path, facts: CorpusFacts, change: Change) -> None:
    """Write the manifests that changed, manifest.json last; CannotWriteError if that fails."""
    files = files_of_versions(head_of(facts, STANDARD), change.versions)
    try:
        (folder / MANIFESTS_FOLDER).mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            path = folder / name
            if not (path.is_file() and path.read_bytes() == content):
                with replacing(path) as stream:
                    stream.write(content)
        for path in (folder / MANIFESTS_FOLDER).glob("*.json"):
            if f"{MANIFESTS_FOLDER}/{path.name}" not in files:
                path.unlink()
    except OSError as error:
        raise cannot_write(error.filename or folder / MANIFEST_FILE, error) from None
