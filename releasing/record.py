"""The line of a release in `vectors/standard/releases.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.listing.releases import (
    RELEASES_FILE,
    Release,
    digest_of_release,
    releases_content,
)
from onnx_conformance.core.errors import BadInputError, UsageError
from onnx_conformance.core.files import write_whole
from onnx_conformance.generators.releases.contents import read_manifests
from onnx_conformance.generators.releases.versions import version_problems

if TYPE_CHECKING:
    from pathlib import Path


def record_release(manifests: Path, date: str) -> str:
    """Add the version in work to the list of releases, and return its line in words.

    Args:
        manifests: the folder of the standard corpus's manifests.
        date: the day of the release, as `2026-11-23`.

    Raises UsageError if it was released before, and BadInputError if its version says something
    else than what happened to its vectors.
    """
    read = read_manifests(manifests)
    if any(item.version == read.version for item in read.released):
        raise UsageError(
            f"corpus {read.version} is released: raise `version` in specs/corpus.yaml first"
        )
    problems = list(version_problems(read))
    if problems:
        raise BadInputError("\n".join(problems))
    now = read.now()
    release = Release(
        now.version,
        date,
        len(now.vectors),
        digest_of_release((item.id, item.digest) for item in now.vectors.values()),
        now.format,
    )
    content = releases_content([*read.released, release])
    write_whole(manifests / RELEASES_FILE, content.decode())
    return f"{manifests / RELEASES_FILE}: {release.version}, {date}, {release.count:,} vectors"
