"""The published corpus of an installed package: what is known of it before anything is made."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.archived.shelf import Archived
from onnx_conformance.core.corpus.cache import CachedVectors, is_whole
from onnx_conformance.core.corpus.corpus import ELSEWHERE
from onnx_conformance.core.errors import BadInputError

from .delivered import PACKAGE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from onnx_conformance.core.corpus.sources import Holder

    from .delivered import Delivered
    from .spool import Spool


@dataclass(frozen=True)
class PublishedVectors(CachedVectors):
    """The published corpus: its manifests, the specs that make it, and its place in the cache.

    Attributes:
        specs: the folder of the specs.
        jobs: processes that make operators side by side.
        delivered: vectors that are installed as a wheel of their own.
        arriving: what is being made, by operator version.
    """

    specs: Path
    jobs: int
    delivered: Delivered | None = None
    arriving: dict[str, Spool] = field(default_factory=dict)

    def archive(self, operator_version: str) -> Path:
        """The archive of an operator version, there or not: installed, or else in the cache."""
        found = self._delivered(operator_version)
        return super().archive(operator_version) if found is None else found

    def holder(self, operator_version: str) -> Holder:
        """What has the vectors of an operator version, also while they are made."""
        found = self._delivered(operator_version)
        if found is not None:
            return Archived(found, self._shelf, f"install {PACKAGE} again")
        return Arriving(super().holder(operator_version), operator_version, self.arriving)

    def _delivered(self, operator_version: str) -> Path | None:
        """The installed archive of an operator version, if it is whole and of this corpus."""
        if self.delivered is None:
            return None
        found = self.delivered.archive(operator_version, self._digests[operator_version])
        return found if found is not None and is_whole(found) else None

    def count(self, operator_version: str) -> int:
        """How many vectors an operator version has."""
        return int(self.manifest["operators"][operator_version]["count"])

    def require_onnx(self) -> None:
        """Raise BadInputError if onnx is older than that of the published corpus.

        An older one lacks functions that the generators use, and would fail at some later point.
        Raises ImportError if there is none.
        """
        import onnx

        published = str(self.manifest["onnx"])
        if _release(onnx.__version__) < _release(published):
            raise BadInputError(
                f"the corpus was published with onnx {published}, and this is onnx"
                f" {onnx.__version__}, which cannot write it; {ELSEWHERE}"
            )

    def refusal(self, differing: Sequence[str]) -> str:
        """What to say of vectors that come out differently from what was published."""
        import onnx

        published = self.manifest
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


@dataclass(frozen=True, slots=True)
class Arriving:
    """An archive of the cache, and its vectors before it is there: a `sources.Holder`."""

    #: The archive.
    archive: Holder
    #: The operator version.
    name: str
    #: What is being made, by operator version.
    arriving: Mapping[str, Spool]

    @property
    def path(self) -> Path:
        """The archive's path."""
        return self.archive.path

    @property
    def restore(self) -> str:
        """What to do where a vector differs."""
        return self.archive.restore

    def files(self, place: str) -> dict[str, bytes]:
        """The files of a vector, from the archive if it is there."""
        spool = self.arriving.get(self.name)
        if spool is not None and spool.has(place):
            return spool.files(place)
        return self.archive.files(place)


def _release(version: str) -> tuple[int, ...]:
    """The first two numbers of a version."""
    return tuple(int(item) for item in re.findall(r"[0-9]+", version)[:2])
