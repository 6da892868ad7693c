"""The published corpus of an installed package: its vectors are made in the cache when needed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TextIO

from onnx_conformance.core.corpus.archived.shelf import Archived, Shelf
from onnx_conformance.core.corpus.cache import is_whole, place_in
from onnx_conformance.core.corpus.corpus import ELSEWHERE
from onnx_conformance.core.errors import BadInputError

from ..lock import Lock, lock_in
from .delivered import PACKAGE, Delivered


@dataclass(frozen=True)
class PublishedVectors:
    """The published corpus: its manifests, the specs that make it, and its place in the cache.

    Attributes:
        root: the folder of the manifests.
        cache: where vectors are kept.
        messages: stream for notes about what takes the time on first use.
        specs: the folder of the specs.
        jobs: processes that make operators side by side.
        delivered: vectors that are installed as a wheel of their own.
    """

    root: Path
    cache: Path
    messages: TextIO
    specs: Path
    jobs: int
    delivered: Delivered | None = None

    @cached_property
    def lock(self) -> Lock:
        """What the manifests list; BadInputError if they cannot be used."""
        return lock_in(self.root)

    @cached_property
    def _shelf(self) -> Shelf:
        return Shelf()

    def archive(self, operator_version: str) -> Path:
        """The archive of an operator version, there or not: installed, or else in the cache."""
        return self._delivered(operator_version) or self._in_cache(operator_version)

    def holder(self, operator_version: str) -> Archived:
        """What has the vectors of an operator version once they are written."""
        found = self._delivered(operator_version)
        if found is not None:
            return Archived(found, self._shelf, f"install {PACKAGE} again")
        path = self._in_cache(operator_version)
        return Archived(path, self._shelf, f"delete {path}: it is written again")

    def missing(self, operator_versions: Iterable[str]) -> tuple[str, ...]:
        """The given operator versions that are not there, or not completely."""
        return tuple(item for item in operator_versions if not is_whole(self.archive(item)))

    def _in_cache(self, operator_version: str) -> Path:
        return place_in(self.cache, operator_version, self.lock.digest(operator_version))

    def _delivered(self, operator_version: str) -> Path | None:
        """The installed archive of an operator version, if it is whole and of this corpus."""
        if self.delivered is None:
            return None
        found = self.delivered.archive(operator_version, self.lock.digest(operator_version))
        return found if found is not None and is_whole(found) else None

    def require_onnx(self) -> None:
        """Raise BadInputError if onnx is older than that of the published corpus.

        An older one lacks functions that the generators use, and would fail at some later point.
        Raises ImportError if there is none.
        """
        import onnx

        published = str(self.lock.manifest["onnx"])
        if _release(onnx.__version__) < _release(published):
            raise BadInputError(
                f"the corpus was published with onnx {published}, and this is onnx"
                f" {onnx.__version__}, which cannot write it; {ELSEWHERE}"
            )

    def refusal(self, differing: Sequence[str]) -> str:
        """What to say of vectors that come out differently from what was published."""
        import onnx

        published = self.lock.manifest
        what = (
            f"{len(differing)} of {published['count']} vectors come out differently here, such as"
        )
        if onnx.__version__ == published["onnx"]:
            why = (
                "specs or generators are not those that it was published with; write it anew where"
                " they were changed (`onnx-vectors generate`), else install onnx-conformance again"
            )
        else:
            why = (
                f"this is onnx {onnx.__version__}, the corpus was published with"
                f" onnx {published['onnx']}; install that, or name a released corpus with --vectors"
            )
        return f"{what} {min(differing)}: {why}"


def _release(version: str) -> tuple[int, ...]:
    """The first two numbers of a version."""
    return tuple(int(item) for item in re.findall(r"[0-9]+", version)[:2])
