"""What a corpus holds, or held: from a folder of manifests, of a release, or of a git revision."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onnx_conformance.core.corpus.listing.model import (
    FORMAT,
    MANIFEST_FILE,
    VersionManifest,
    Withdrawn,
)
from onnx_conformance.core.corpus.listing.releases import (
    Release,
    digest_then,
    is_release,
    read_releases,
    release_key,
)
from onnx_conformance.core.documents import Must, check
from onnx_conformance.core.errors import BadInputError, UsageError

from ..corpus.lock import lock_in

#: Where a checkout has the manifests of the standard corpus.
STANDARD = Path("vectors/standard")


@dataclass(frozen=True, slots=True)
class ReleasedVector:
    """A vector that stands, or stood.

    Attributes:
        id: its id.
        digest: of its files then.
        operator: the operator, spelled as ONNX does, with a domain other than the default.
        covers: ids of the requirements that it exercises; empty where only its past is known.
    """

    id: str
    digest: str
    operator: str
    covers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contents:
    """What a corpus held at one moment.

    Attributes:
        name: what to call it, e.g. `0.2.0`.
        version: the version of the corpus.
        format: the format of its files, see vectors/README.md.
        vectors: by id.
        withdrawn: what it had held before, by id.
    """

    name: str
    version: str
    format: int
    vectors: Mapping[str, ReleasedVector]
    withdrawn: Mapping[str, Withdrawn]


#: What the corpus held before its first release.
NOTHING = Contents("nothing", "0.0.0", FORMAT, {}, {})


@dataclass(frozen=True)
class Manifests:
    """The manifests of a folder, read once: what they list, and what was in each release.

    Attributes:
        folder: the folder.
        document: the content of manifest.json.
        versions: what the manifest of each operator version lists.
        released: the releases that are listed beside them, the oldest first.
    """

    folder: Path
    document: Mapping[str, Any]
    versions: tuple[VersionManifest, ...]
    released: tuple[Release, ...]

    @property
    def version(self) -> str:
        """The version of the corpus that they are of."""
        return str(self.document.get("corpus", ""))

    def now(self, name: str = "") -> Contents:
        """What they list."""
        return Contents(
            name or f"{self.folder} ({self.version})",
            self.version,
            int(self.document["format"]),
            {
                item.id: ReleasedVector(item.id, item.digest, _operator(read), item.facts.covers)
                for read in self.versions
                for item in read.vectors
            },
            {item.id: item for read in self.versions for item in read.withdrawn},
        )

    def then(self, release: str) -> Contents:
        """What was in a release: one of those listed, or the one in work.

        Raises UsageError if there is no such release.
        """
        formats = {item.version: item.format for item in self.released}
        formats.setdefault(self.version, int(self.document["format"]))
        if release not in formats:
            known = ", ".join(formats)
            raise UsageError(f"there is no release {release} in {self.folder}; there are {known}")
        return Contents(
            release,
            release,
            formats[release],
            {item.id: item for read in self.versions for item in _past_vectors(read, release)},
            {
                item.id: item
                for read in self.versions
                for item in read.withdrawn
                if release_key(item.release) <= release_key(release)
            },
        )


def read_manifests(folder: Path) -> Manifests:
    """The manifests of a folder; BadInputError if they cannot be used."""
    lock = lock_in(folder)
    try:
        check({"format": lock.manifest["format"]}, {"format": _FORMAT})
    except (KeyError, TypeError) as error:
        raise BadInputError(f"{folder / MANIFEST_FILE}: is not a manifest: {error!r}") from None
    return Manifests(folder, lock.manifest, tuple(lock.versions()), read_releases(folder))


_FORMAT = Must(f"{FORMAT}, with a manifest for each operator version", lambda item: item == FORMAT)


def _past_vectors(read: VersionManifest, release: str) -> Iterator[ReleasedVector]:
    operator = _operator(read)
    for item in read.vectors:
        digest = digest_then(item.since, item.digest, item.was, release)
        if digest is not None:
            yield ReleasedVector(item.id, digest, operator, item.facts.covers)
    for gone in read.withdrawn:
        digest = digest_then(gone.since, gone.digest, gone.was, release)
        if digest is not None and release_key(release) < release_key(gone.release):
            yield ReleasedVector(gone.id, digest, operator)


def contents_of(asked: str, here: Manifests) -> Contents:
    """What is meant by a word of the command line.

    Args:
        asked: a release (`0.2.0`), a folder with manifests, or a git revision of this checkout.
        here: the manifests in which releases are looked up.

    Raises UsageError if it is none of these, and BadInputError if manifests cannot be used.
    """
    if is_release(asked):
        return here.then(asked)
    if (Path(asked) / MANIFEST_FILE).is_file():
        return read_manifests(Path(asked)).now()
    return in_revision(asked, here.folder)


def in_revision(revision: str, manifests: Path = STANDARD) -> Contents:
    """What a git revision of the checkout in this folder held.

    Raises UsageError if there is no such revision, or if it has no manifests at this place.
    """
    if revision.startswith("-"):
        raise UsageError(f"'{revision}' is no revision")
    done = subprocess.run(
        ["git", "archive", "--format=tar", revision, "--", manifests.as_posix()],  # noqa: S607
        check=False,
        capture_output=True,
    )
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip().splitlines() or ["git is not here"]
        raise UsageError(
            f"'{revision}' is no release, no folder with a {MANIFEST_FILE}, and no git revision"
            f" with {manifests}: {why[0]}"
        )
    with tempfile.TemporaryDirectory() as temporary:
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            for member in archive.getmembers():
                if member.isfile():
                    target = Path(temporary) / member.name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    taken = archive.extractfile(member)
                    target.write_bytes(b"" if taken is None else taken.read())
        return read_manifests(Path(temporary) / manifests).now(revision)


def _operator(read: VersionManifest) -> str:
    return f"{read.domain}.{read.operator}" if read.domain else read.operator
