"""The lock: the manifests of the standard corpus, which list what it holds.

They are beside the specs that they belong to: in a checkout below `vectors/standard`, in the
installed package below `published`, and in the folder `lock` of specs of somebody's own. Specs
without such a folder have no lock; what the rules propose is then the corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from onnx_conformance.core.corpus.listing.model import (
    MANIFEST_FILE,
    MANIFESTS_FOLDER,
    Listed,
    VersionManifest,
)
from onnx_conformance.core.corpus.manifests import listed_versions, read_ids, read_version_manifest
from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.documents import read_json
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.files import stamp
from onnx_conformance.core.limits import MANIFEST

from ..specs.facts import is_own
from .published import EXCERPT_FOLDER, OWN_LOCK, PUBLISHED, STANDARD_FOLDER


@dataclass(frozen=True)
class Lock:
    """What the standard corpus holds.

    Attributes:
        root: the folder of the manifests.
        manifest: the content of manifest.json.
    """

    root: Path
    manifest: Mapping[str, Any]

    @cached_property
    def _digests(self) -> Mapping[str, str]:
        return listed_versions(self.root, self.manifest)

    @property
    def operator_versions(self) -> tuple[str, ...]:
        """Every operator version, spelled as ids begin, in the order of the manifest."""
        return tuple(self._digests)

    def digest(self, operator_version: str) -> str:
        """The digest of an operator version's manifest."""
        return self._digests[operator_version]

    def version(self, operator_version: str) -> VersionManifest:
        """What the manifest of an operator version lists; BadInputError if it cannot be used."""
        digest = self._digests[operator_version]
        return read_version_manifest(
            self.root, operator_version, digest, self.count(operator_version)
        )

    def count(self, operator_version: str) -> int:
        """How many vectors of an operator version stand."""
        return int(self.manifest["operators"][operator_version]["count"])

    def versions(self, slugs: Iterable[str] | None = None) -> Iterator[VersionManifest]:
        """The manifests of all operator versions, or of those of some operators.

        Args:
            slugs: operators, spelled as ids begin: `reshape`.
        """
        wanted = None if slugs is None else set(slugs)
        for name in self._digests:
            if wanted is None or name.rpartition("-")[0] in wanted:
                yield self.version(name)

    def lines(self, slugs: Iterable[str] | None = None) -> tuple[Listed, ...]:
        """The vectors of all operators, or of some."""
        return tuple(item for version in self.versions(slugs) for item in version.vectors)

    def files(self) -> dict[str, bytes]:
        """The manifests as they are, by path below their folder."""
        names = [f"{MANIFESTS_FOLDER}/{name}.json" for name in self._digests]
        return {name: (self.root / name).read_bytes() for name in (*names, MANIFEST_FILE)}

    def ids(self) -> tuple[str, ...]:
        """The id of every vector, in the order of the manifests."""
        return tuple(
            vector_id
            for name, digest in self._digests.items()
            for vector_id in read_ids(self.root, name, digest, self.count(name))
        )


def lock_beside(specs: Path) -> Lock | None:
    """The lock of a folder of specs; None if it has none.

    Raises BadInputError if there is one that cannot be read.
    """
    own = lock_folder(specs)
    for root in (own,) if is_own(specs) else (own, specs.parent / PUBLISHED):
        path = root / MANIFEST_FILE
        if path.is_file():
            return lock_in(root)
    return None


def lock_in(root: Path) -> Lock:
    """The lock in a folder; BadInputError if its manifest.json cannot be read."""
    return _lock_in(root, stamp(root / MANIFEST_FILE))


@lru_cache(maxsize=4)
def _lock_in(root: Path, _stamp: object) -> Lock:
    """The lock in a folder, once for each content of its manifest.json."""
    return Lock(root, read_json(root / MANIFEST_FILE, MANIFEST))


def listed_in_excerpt(specs: Path, slug: str) -> frozenset[str]:
    """The ids of an operator that the excerpt in git has; `slug` is how its ids begin.

    What the excerpt lists only keeps a place for what is in it: where there is none, or where its
    manifests are spoiled, it is chosen anew, and `check` says what differs.
    """
    try:
        return frozenset(line.id for line in lock_in(specs.parent / EXCERPT_FOLDER).lines([slug]))
    except BadInputError:
        return frozenset()


def is_published(lock: Lock) -> bool:
    """Whether the lock came with the installed package, where nobody changes it."""
    return lock.root.name == PUBLISHED


def lock_folder(specs: Path) -> Path:
    """Where the lock of specs is, or will be: in the checkout, or among somebody's own specs."""
    if is_own(specs):
        return specs / OWN_LOCK
    return specs.parent / EXCERPT_FOLDER / STANDARD_FOLDER


def chosen(lines: Sequence[Listed], selection: Sequence[str]) -> tuple[Listed, ...]:
    """The lines that patterns match, and their controls; all without a pattern."""
    if not selection:
        return tuple(lines)
    index = IdIndex(item.id for item in lines)
    taken = {item for pattern in selection for item in index.matching(pattern)}
    taken |= {str(item.facts.control) for item in lines if item.id in taken and item.facts.control}
    return tuple(item for item in lines if item.id in taken)
