"""A corpus whose vectors are in archives: a release, a folder of archives, or one of them.

Where the manifests of a release are beside its archives, they say which vectors there are. Each
archive has a list of its vectors with their digests, too; by these alone nobody can say which
archives there should be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...errors import BadInputError
from ..corpus import Corpus, entries_of, open_corpus
from ..listing.model import MANIFEST_FILE, Listed, digest_of
from ..manifests import manifest_in
from ..sources import Supply
from ..vectors import KINDS
from .packing import CONTENTS, ENDING
from .shelf import Archived, Shelf


@dataclass(frozen=True)
class Archives:
    """A folder of archives: a `Source` that makes nothing, and says what is not there."""

    #: The folder.
    root: Path
    shelf: Shelf = field(default_factory=Shelf)

    def holder(self, operator_version: str) -> Archived:
        """The archive of an operator version."""
        return Archived(self.root / f"{operator_version}{ENDING}", self.shelf)

    def missing(self, operator_versions: Iterable[str]) -> tuple[str, ...]:
        """The operator versions whose archives are not there."""
        return tuple(item for item in operator_versions if not self.holder(item).path.is_file())

    def supply(self, operator_versions: Sequence[str]) -> Supply:
        """Raise BadInputError: an archive that is not there cannot be made."""
        more = f" (and {len(operator_versions) - 1} others)" if len(operator_versions) > 1 else ""
        raise BadInputError(
            f"{self.holder(operator_versions[0]).path}: is missing{more}:"
            " fetch it, beside the manifests"
        )


def open_archives(given: Path) -> Corpus | None:
    """The corpus in a folder of archives, or in one archive; None if the path is neither.

    A folder in which they were unpacked is none of archives. An archive beside the manifests of a
    release is a part of that: those say what it must hold.

    Raises BadInputError as `open_corpus` does, and if an archive cannot be used.
    """
    if given.is_file():
        return _one(given)
    if not next(given.glob(f"*{ENDING}"), None) or any((given / kind).is_dir() for kind in KINDS):
        return None
    if (given / MANIFEST_FILE).is_file():
        return open_corpus(given, Archives(given))
    return _by_themselves(given, sorted(given.glob(f"*{ENDING}")))


def _one(path: Path) -> Corpus:
    """The corpus in one archive."""
    if not path.name.endswith(ENDING):
        raise BadInputError(
            f"{path}: is no folder of vectors, and no archive of them, which ends in {ENDING}"
        )
    beside = path.parent
    if (beside / MANIFEST_FILE).is_file():
        release = open_corpus(beside, Archives(beside))
        name = path.name.removesuffix(ENDING)
        entries = {key: it for key, it in release.entries.items() if it.operator_version == name}
        if entries:
            return replace(release, entries=entries)
    return _by_themselves(path, [path])


def _by_themselves(root: Path, paths: Sequence[Path]) -> Corpus:
    """The corpus of archives by the lists that are in themselves."""
    shelf = Shelf()
    vectors: list[Listed] = []
    digests = []
    holders: dict[str, Archived] = {}
    for path in paths:
        operator_version, content = _contents_of(path, shelf)
        other = holders.setdefault(operator_version, Archived(path, shelf))
        if other.path != path:
            raise BadInputError(f"{path}: holds {operator_version}, as {other.path} does")
        vectors += manifest_in(content, operator_version, str(path)).vectors
        digests.append(digest_of(content))
    try:
        entries = entries_of(vectors, root, holders.__getitem__)
    except ValueError as error:
        raise BadInputError(f"{root}: {error}") from None
    return Corpus(root, "unversioned", digest_of("".join(digests).encode()), entries, {})


def _contents_of(path: Path, shelf: Shelf) -> tuple[str, bytes]:
    """The operator version in an archive, and the list of its vectors."""
    unpacked = shelf.take(path)
    names = unpacked.operator_versions
    content = unpacked.contents(names[0]) if len(names) == 1 else None
    if content is None:
        raise BadInputError(
            f"{path}: has no list of the vectors of one operator version, which is"
            f" {CONTENTS}/NAME.json in an archive of ours; unpack it, and name the folder"
        )
    return names[0], content
