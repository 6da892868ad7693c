"""What goes to a worker, and what comes back: plain data, the same for every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.cluster.options import Where

from ...host.tally import Tally

if TYPE_CHECKING:
    from ...host.worker import Settings
    from ..sharing.times import Times

# Without times a batch has at most so many vectors; with them it takes at most so many seconds.
_MOST = 200
_SECONDS = 15.0
# So many batches for each thread: the last ones are then short beside the whole.
_PER_THREAD = 12


@dataclass(frozen=True)
class BackendSpec:
    """What a worker must know of a backend, the same for all batches.

    Attributes:
        run: names the run: children are kept for it.
        given: the value of `--backend`, which each machine resolves for itself.
        python: the value of `--python`, or None.
        name: what reports call the backend.
        settings: limits of a child; a thread of a worker has one child, whatever `jobs` says.
        accuracy: as of `Run`.
        options: on which a verdict depends, for the identity.
    """

    run: str
    given: str
    python: str | None
    name: str
    settings: Settings
    accuracy: str
    options: Mapping[str, Any]


@dataclass(frozen=True)
class RunSpec(BackendSpec):
    """What a worker must know of a run.

    Attributes:
        tolerance: as of `Run`.
        claims: the profile that the runtime is judged by, as JSON; None if it claims nothing.
        corpus: the digest of the manifest.
        root: where the corpus is on the machine that records; perhaps on others too.
        operator_versions: those that the run needs of it.
    """

    tolerance: str
    claims: Mapping[str, Any] | None
    corpus: str
    root: str
    operator_versions: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClusterPlan:
    """Where a run takes place.

    Attributes:
        where: the cluster.
        given: the value of `--backend`, which each machine resolves for itself.
        python: the value of `--python`, or None.
        times: what vectors took in an earlier run; None shares them out by number.
    """

    where: Where
    given: str
    python: str | None
    times: Times | None


@dataclass(frozen=True)
class Batch:
    """Vectors that one worker runs.

    Attributes:
        ids: in order; a control comes before the vectors that need it.
        known: verdicts of controls that are not among them.
        listed: the verdicts that the baseline lists, for those that it lists.
        losses: which of them are listed as lost.
        answers: whether the backend has answered any vector yet, on whatever machine.
        distrusted: whether a vector had another outcome alone, on whatever machine.
        session: children are not shared with other sessions: vectors are run again in fresh ones.
    """

    ids: tuple[str, ...]
    known: Mapping[str, str] = field(default_factory=dict)
    listed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    losses: tuple[str, ...] = ()
    answers: bool = False
    distrusted: bool = False
    session: int = 0


@dataclass(frozen=True)
class BatchDone:
    """What a worker found.

    Attributes:
        rows: lines of a results file, one for each vector that got a verdict.
        worker: who it was.
        unusable: why the backend is of no use there; empty if it is.
        tally: what the engine counted, in this batch alone.
        spoiled: whether a vector had another outcome alone than among others.
    """

    rows: bytes
    worker: str
    unusable: str = ""
    tally: Tally = field(default_factory=Tally)
    spoiled: bool = False


def in_batches(
    groups: Sequence[tuple[str, ...]], threads: int, times: Times | None
) -> list[tuple[str, ...]]:
    """Groups of vectors in batches, in the order in which they go out: the longest first.

    Without times they are of equal number, and in the order of the groups.
    """
    from ..sharing.times import equal_parts

    if not groups:
        return []
    wanted = max(1, threads) * _PER_THREAD
    if times is None:
        total = sum(map(len, groups))
        size = max(1, min(_MOST, -(-total // wanted)))
        return _of_size(groups, size)
    cost = sum(times.seconds(item) for group in groups for item in group)
    parts = min(len(groups), max(wanted, round(cost / _SECONDS)))
    batches = [part for part in equal_parts(groups, times, parts) if part]
    batches.sort(key=lambda part: (-sum(map(times.seconds, part)), part))
    return batches


def _of_size(groups: Sequence[tuple[str, ...]], size: int) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    batch: list[str] = []
    for group in groups:
        if batch and len(batch) + len(group) > size:
            found.append(tuple(batch))
            batch = []
        batch += group
    found.append(tuple(batch))
    return found
