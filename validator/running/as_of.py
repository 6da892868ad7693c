"""The vectors of an earlier release of the corpus: `--corpus-as-of 0.2.0`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.listing.releases import is_release, release_key
from onnx_conformance.core.errors import IncompleteError, UsageError

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Corpus, Entry


def in_release(corpus: Corpus, entries: Sequence[Entry], release: str) -> tuple[Entry, ...]:
    """Those of some vectors that were in a release.

    They are run as they are now: one that was corrected since, with its corrected files; one that
    was withdrawn since, not at all.

    Raises UsageError if there was no such release of this corpus, and IncompleteError if none of
    the vectors were in it.
    """
    option = f"--corpus-as-of {release}"
    if not is_release(release):
        raise UsageError(f"{option}: a release is wanted, such as 0.2.0")
    dated = any(item.since is not None for item in corpus.entries.values())
    if not is_release(corpus.version) or not (dated or release == corpus.version):
        raise UsageError(
            f"{option}: the manifests of {corpus.root}, corpus {corpus.version}, do not say since"
            " when its vectors stand"
        )
    asked = release_key(release)
    if asked > release_key(corpus.version):
        raise UsageError(f"{option}: there is none yet; this is corpus {corpus.version}")
    found = tuple(
        item for item in entries if item.since is None or release_key(item.since) <= asked
    )
    if not found:
        first = min((item.since for item in entries if item.since is not None), key=release_key)
        raise IncompleteError(
            f"{option} takes none of {len(entries)} vectors: the first stand since {first}"
        )
    return found
