"""The content of a results file: the runtime, the corpus, and a row for each vector.

Every report is made from such records alone, so a row has what a reader needs: the vector's
metadata, the verdict and, on a failure, the expected and the actual result and the model in words.
`file_format` writes and reads them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypedDict

from onnx_conformance.core.corpus.vectors import Expect, Kind, Phase, Vector

from ..judging.verdicts import Judgement, Verdict

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.requirements import Requirements


class HarnessFacts(TypedDict, total=False):
    """A harness's description of itself: its reply to `describe` (docs/protocol.md)."""

    name: str
    version: str
    model: str
    adapts: Sequence[Mapping[str, str]]
    max_opset: int | None
    judges: str
    details: Mapping[str, str]


class CorpusFacts(TypedDict, total=False):
    """The corpus that the run used."""

    version: str
    digest: str | None
    """SHA-256 of its manifest; None if it has none."""
    root: str


class RunFacts(TypedDict, total=False):
    """Other facts about a run. Keys that are not listed here are kept unchanged."""

    backend: str
    """The value of `--backend`, if it is not the column's name."""
    arguments: Sequence[str]
    """Further options that a run of one vector alone needs: `["--vectors", "build/vectors"]`."""
    platform: str
    """The machine in a line: system, its release, kind of processor; old results have none."""
    tolerance: str
    accuracy: str
    """Name of the accuracy profile."""
    selection: Mapping[str, Any]
    """The options that selected vectors, by name."""
    shard: str | None
    """`K/N` if the run had one part of the selection: `planned` lists only that part."""
    selected: int
    """How many vectors all shards have together."""
    controls_added: Sequence[str]
    """Ids of vectors that were run as controls, although not selected."""
    cluster: Mapping[str, Any]
    """Where the vectors were run, if on a cluster: engine, address, threads, workers, refused."""
    identity: Mapping[str, str]
    """What a verdict depends on beside the vector: see `running.identity`."""
    profile: Mapping[str, Any]
    """What the runtime claims, and how much of the selection that is: see `profiles.claiming`."""
    files: Sequence[str]
    """In merged results: the files that they were made of."""
    missing_shards: Sequence[str]
    """In merged results: the `K/N` that none of the files has."""


class LostFacts(TypedDict, total=False):
    """Lost children whose vectors were all answered: see `lost_children`."""

    count: int
    limit: int
    """How many may be lost before the run is red."""
    example: str


class ResumedFacts(TypedDict, total=False):
    """A run that continued another one, from its results file."""

    earlier: int
    """How many verdicts are of a run before."""
    judged: int
    """How many are of the run that ended last."""
    at: str
    """When that run ended: local time in ISO 8601."""


class FooterFacts(TypedDict, total=False):
    """The facts known at the end of a run."""

    counts: Mapping[str, int]
    seconds: float
    notes: Mapping[str, int]
    unusable: str
    lost_children: LostFacts
    resumed: ResumedFacts


@dataclass(frozen=True)
class Header:
    """The facts known before the first vector runs."""

    backend: str
    """Name of the column, e.g. `onnxruntime` or `tract (freeze)`."""
    describe: HarnessFacts
    """What the harness says of itself and of its runtime."""
    corpus: CorpusFacts
    """What the manifest says of the corpus."""
    planned: tuple[str, ...]
    """Ids of the vectors that get a verdict."""
    requirements: Requirements = field(default_factory=dict)
    """The texts of the requirements of the planned vectors."""
    command: str = ""
    """The command line, for reproducing."""
    started: str = ""
    """Local time in ISO 8601."""
    extra: RunFacts = field(default_factory=RunFacts)
    """Facts about the run that are not needed to judge it."""


_PASS = Verdict.PASS
# Of a vector's digest, a row has so many digits: 128 bits.
DIGITS = 32


@dataclass(frozen=True, slots=True)
class Row:
    """The verdict on one vector, and what a report needs to explain it."""

    id: str
    """Of the vector."""
    verdict: Verdict
    """The judgement."""
    phase: Phase | None
    """Where a rejection happened."""
    message: str
    """What differs or went wrong, in a few words."""
    seconds: float
    """From the request to the reply."""
    kind: Kind = Kind.VALID
    """What the vector asks."""
    operator: str = ""
    """As in its document, without its domain."""
    since_version: int = 0
    """Of the operator version."""
    opset: int = 0
    """Of the operator's domain in the model."""
    types: Mapping[str, str] = field(default_factory=dict)
    """Element type of each type variable."""
    case: str = ""
    """The second part of the id."""
    form: str = ""
    """How the model presents the case."""
    covers: tuple[str, ...] = ()
    """Ids of the requirements that the vector exercises."""
    documented: str | None = None
    """ONNX's name for the example, where the case is one."""
    expect: Expect = Expect.OUTPUTS
    """What the vector expects of a backend."""
    control: str | None = None
    """Id of the valid vector that must pass before a refusal counts."""
    taken: str | None = None
    """Label of the permitted result that a latitude vector gave."""
    expected: Any = None
    """Text, or a list of {"name", "type", "shape", "values"}; so is `got`."""
    got: Any = None
    """What the backend returned."""
    stderr: str = ""
    """What the child wrote there while it worked on the vector."""
    digest: str | None = None
    """The first 32 digits of the SHA-256 of the vector's files; None without a manifest."""
    reused: str | None = None
    """When the verdict was found, in ISO 8601, if it is taken over from an earlier run."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Further facts. Reports show these by name: `model` (the model as text), `inputs` (a list of
    one-line descriptions), `difference` (the first difference), `max_ulp`, `used` and `met` (the
    largest used fraction of the limits, and the tightest profile met), `accuracy` (where the limits
    come from), `purpose` (what goes wrong in a runtime that fails this), `reruns` (the verdicts of
    further runs). Others are shown unchanged."""

    @property
    def passed(self) -> bool:
        """Whether the verdict is `pass`, a permitted result of a latitude vector included."""
        return self.verdict == _PASS

    def with_verdict(self, verdict: Verdict) -> Row:
        """The row with another verdict."""
        return replace(self, verdict=verdict)

    def tells(self, detail: str) -> bool:
        """Whether the details have a key, without reading them where they are not in memory."""
        return detail in self.details


_OUTCOME = attrgetter("verdict", "expect")
_ID = attrgetter("id")


@dataclass(frozen=True)
class Results:
    """The records of one run, or of several that were merged."""

    header: Header
    """What was known before the first vector ran."""
    rows: Sequence[Row]
    """One for each judged vector, in the order in which they were judged."""
    footer: FooterFacts | None
    """None if the run was interrupted."""

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """Planned vectors without a verdict."""
        seen = set(map(_ID, self.rows))
        if seen.issuperset(self.header.planned):
            return ()
        return tuple(item for item in self.header.planned if item not in seen)

    @cached_property
    def in_company(self) -> tuple[str, ...]:
        """Ids of the vectors that had another verdict alone than behind others."""
        return tuple(row.id for row in self.rows if row.tells("in_company"))

    @cached_property
    def reused(self) -> Mapping[str, int]:
        """How many verdicts were taken over from earlier runs, by the date of the run."""
        return Counter(row.reused for row in self.rows if row.reused is not None)

    @property
    def counts(self) -> Counter[str]:
        """How many vectors got each verdict."""
        return Counter(row.verdict for row in self.rows)

    @cached_property
    def outcomes(self) -> Mapping[tuple[Verdict, Expect], int]:
        """How many vectors got each verdict, separately by what they expect: what columns count."""
        return Counter(map(_OUTCOME, self.rows))


def make_row(vector: Vector, judgement: Judgement, seconds: float, stderr: str = "") -> Row:
    """The row of a judged vector."""
    return Row(
        id=vector.id,
        verdict=judgement.verdict,
        phase=judgement.phase,
        message=judgement.message,
        seconds=round(seconds, 6),
        kind=vector.kind,
        operator=vector.operator,
        since_version=vector.since_version,
        opset=vector.opset,
        types=vector.types,
        case=vector.case,
        form=vector.form,
        covers=vector.covers,
        documented=vector.documented,
        expect=vector.expect,
        control=vector.control,
        taken=judgement.taken,
        expected=judgement.expected,
        got=judgement.got,
        stderr=stderr,
        details=judgement.details,
    )
