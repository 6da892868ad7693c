"""The corpus for people who installed the package and have no checkout.

The wheel contains the specs and the manifests of the published corpus, but no vectors. The vectors
of an operator version are written into the user's cache when one of them is first needed, and
compared with the manifest: everybody judges the same bytes.
"""

from __future__ import annotations

import os
import re
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from onnx_conformance.core.corpus.cache import CachedVectors, cache_folder, put
from onnx_conformance.core.corpus.corpus import ELSEWHERE
from onnx_conformance.core.corpus.listing.model import MANIFEST_FILE
from onnx_conformance.core.errors import BadInputError

from ..published import PACKAGE, PUBLISHED, SPECS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from onnx_conformance.core.corpus.listing.model import Listed


@dataclass(frozen=True)
class Installed(CachedVectors):
    """The published corpus: a `Source` that makes its vectors from the specs.

    Attributes:
        specs: the folder of the specs.
        jobs: processes that make operators side by side.
    """

    specs: Path
    jobs: int

    def provide(self, operator_versions: Sequence[str]) -> None:
        """Write the vectors of operator versions into the cache, operators side by side.

        Raises BadInputError if the cache cannot be written, or if the result differs from what was
        published: operator versions without a difference then have their archives, the others none.
        """
        if not operator_versions:
            return
        _require_onnx(str(self.manifest["onnx"]))
        jobs = [
            _Job(
                self.specs,
                operator,
                str(self.manifest["profile"]),
                {item: self.archive(item) for item in items},
                {item: self.listed(item) for item in items},
            )
            for operator, items in _by_operator(operator_versions).items()
        ]
        progress = _Progress(self.messages, self.cache, self.manifest, jobs)
        differing: list[str] = []
        for done, found in _all_done(jobs, self.jobs):
            progress.add(done)
            differing += found
        progress.end()
        if differing:
            self._refuse(differing)

    def _refuse(self, differing: Sequence[str]) -> None:
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
        raise BadInputError(f"{what} {min(differing)}: {why}")


def installed_corpus(
    messages: TextIO,
    package: Path = PACKAGE,
    environment: Mapping[str, str] = os.environ,
) -> Installed:
    """The published corpus; nothing is written before vectors are needed.

    Args:
        messages: stream for notes about what takes the time on first use.
        package: the folder that holds specs and manifests.
        environment: the variables that tell where caches are.

    Raises BadInputError if the installation is incomplete, or if there is no place for a cache.
    """
    root = package / PUBLISHED
    if not (root / MANIFEST_FILE).is_file():
        raise BadInputError(f"{root / MANIFEST_FILE}: is missing: the installation is not whole")
    return Installed(
        root, cache_folder(environment), messages, package / SPECS, os.cpu_count() or 1
    )


def _require_onnx(published: str) -> None:
    """Raise BadInputError if onnx is missing, or older than that of the published corpus.

    An older one lacks functions that the generators use, and would fail at some later point.
    """
    import onnx

    if _release(onnx.__version__) < _release(published):
        raise BadInputError(
            f"the corpus was published with onnx {published}, and this is onnx {onnx.__version__},"
            f" which cannot write it; {ELSEWHERE}"
        )


def _release(version: str) -> tuple[int, ...]:
    """The first two numbers of a version."""
    return tuple(int(item) for item in re.findall(r"[0-9]+", version)[:2])


# --- making ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Job:
    """The operator versions of one operator that must be written.

    Attributes:
        specs: the folder of the specs.
        operator: name of the spec's file without its ending; ids begin with it.
        profile: the profile of the published corpus.
        archives: the target of each operator version.
        listed: the vectors that its manifest lists.
    """

    specs: Path
    operator: str
    profile: str
    archives: Mapping[str, Path]
    listed: Mapping[str, tuple[Listed, ...]]

    @property
    def count(self) -> int:
        """How many vectors it writes."""
        return sum(len(items) for items in self.listed.values())


def _by_operator(operator_versions: Iterable[str]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for item in operator_versions:
        grouped.setdefault(item.rpartition("-")[0], []).append(item)
    return grouped


def _all_done(jobs: Sequence[_Job], processes: int) -> Iterator[tuple[_Job, list[str]]]:
    """Each job when it is done, with the ids that differ from the manifest; the largest first."""
    if processes == 1 or len(jobs) == 1:
        for job in jobs:
            yield job, _write(job)
        return
    with ProcessPoolExecutor(min(processes, len(jobs))) as pool:
        waiting = {
            pool.submit(_write, job): job
            for job in sorted(jobs, key=lambda item: item.count, reverse=True)
        }
        try:
            for done in as_completed(waiting):
                yield waiting[done], done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _write(job: _Job) -> list[str]:
    """Make and write the versions of one operator; return ids that differ from the manifest."""
    from ..parallel import make_operator

    patterns = tuple(f"{item}/*" for item in job.archives)
    made: dict[str, dict[str, Mapping[str, bytes]]] = {item: {} for item in job.archives}
    for vector in make_operator(job.specs, job.operator, job.profile, patterns).vectors:
        made[vector.listed.operator_version][vector.listed.id] = vector.files
    differing = []
    for item, place in job.archives.items():
        differing += put(place, job.listed[item], made[item])
    return differing


class _Progress:
    """Reports once that vectors are being written, and on a terminal also the progress."""

    def __init__(
        self, stream: TextIO, cache: Path, published: Mapping[str, Any], jobs: Sequence[_Job]
    ) -> None:
        self._stream = stream
        self._total = sum(job.count for job in jobs)
        self._done = 0
        versions = [item for job in jobs for item in job.archives]
        what = versions[0] if len(versions) == 1 else f"{len(versions)} operator versions"
        stream.write(
            f"writing {self._total:,} vectors of {what}, corpus {published['corpus']}, to {cache};"
            " this is done once\n"
        )
        stream.flush()

    def add(self, job: _Job) -> None:
        self._done += job.count
        if self._stream.isatty():
            share = self._done / max(self._total, 1)
            bar = "#" * int(40 * share)
            self._stream.write(f"\r\x1b[K[{bar:<40}] {share:4.0%} {self._done:,}")
            self._stream.flush()

    def end(self) -> None:
        if self._stream.isatty():
            self._stream.write("\r\x1b[K")
            self._stream.flush()
