"""Manifests whose vectors have a past: some were added, corrected or withdrawn since a release."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from small_corpus import small_vector

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.corpus.listing.model import Listed, Withdrawn, listed
from onnx_conformance.core.corpus.listing.releases import (
    RELEASES_FILE,
    Release,
    digest_of_release,
    releases_content,
)
from onnx_conformance.core.corpus.listing.writing import manifest_files
from onnx_conformance.core.corpus.vector_files import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

OLD, NEW = "0.2.0", "0.3.0"


def line(vector_id: str, digest: str, since: str = OLD, **was: str) -> Listed:
    """A line of a manifest; `was` has earlier digests, `v0_2_0="1"` for that of 0.2.0."""
    past = {name[1:].replace("_", "."): value for name, value in was.items()}
    return replace(listed(small_vector(vector_id), digest), since=since, was=past)


def gone(vector_id: str, digest: str, reason: str, release: str = NEW) -> Withdrawn:
    """The line of a vector that was in 0.2.0 and was withdrawn."""
    return Withdrawn(vector_id, digest, release, reason, OLD)


def write_manifests(
    folder: Path,
    lines: Iterable[Listed],
    withdrawn: Iterable[Withdrawn] = (),
    version: str = NEW,
    released: Mapping[str, Mapping[str, str]] | None = None,
) -> Path:
    """Write manifests, and the list of releases: the digest of each id, by version."""
    by_version: dict[str, list[Withdrawn]] = {}
    for item in withdrawn:
        by_version.setdefault(item.id.split("/")[0], []).append(item)
    files = manifest_files({"corpus": version}, lines, by_version)
    files[RELEASES_FILE] = releases_content(
        [
            Release(name, "2026-11-23", len(held), digest_of_release(held.items()))
            for name, held in (released or {}).items()
        ]
    )
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def date_corpus(folder: Path, newer: Iterable[str], version: str = NEW) -> Path:
    """Write the manifests of a corpus on disk again: some vectors stand since the last release."""
    late = set(newer)
    lines = []
    for entry in open_corpus(folder).entries.values():
        read = load(entry)
        since = version if entry.id in late else OLD
        lines.append(replace(listed(read.vector, digest(read.files)), since=since))
    return write_manifests(folder, lines, version=version)
