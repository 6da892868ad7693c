"""The failures that the author of a backend knows about, and what they expect of each vector.

A baseline is a YAML file in the backend's repository (docs/gate.md):

    entries:
      - id: reshape-14/zero_dim/float32      # an id, or a pattern, see `patterns`
        verdict: rejected
        reason: the parser takes no 0 in a constant shape
        link: https://…/issues/12            # optional
        kind: valid                          # optional: of a pattern, only vectors of this kind
        flaky: true                          # optional: may pass as well

Listed vectors are run all the same. What is expected of each is strict, so that a baseline cannot
rot: an entry that fits no vector, a second entry for one vector, a listed vector that passes
(stale) and one that fails in another way are all errors that name the line of the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.patterns import IdIndex, PatternError, check_pattern
from onnx_conformance.core.corpus.vectors import KINDS, Kind
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.yaml_reading import read_yaml

from ..judging.verdicts import LOST_VERDICTS, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from onnx_conformance.core.corpus.corpus import Entry
    from onnx_conformance.core.yaml_nodes import Node

BASELINE_FORMAT = 1

# A vector that is not what was published is no property of the backend, and passing needs no entry.
VERDICTS = tuple(
    verdict.value for verdict in Verdict if verdict not in (Verdict.PASS, Verdict.BAD_VECTOR)
)


@dataclass(frozen=True)
class BaselineEntry:
    """One entry.

    Attributes:
        pattern: id of a vector, or a pattern of ids.
        kind: kind of the vectors that it is for; None for all of them.
        verdicts: the verdicts that are expected; more than one only where flaky.
        reason: why, in words.
        link: where to read more, or None.
        flaky: whether the vector may pass as well.
        file, line: where the entry begins.
    """

    pattern: str
    verdicts: tuple[str, ...]
    reason: str
    link: str | None
    flaky: bool
    file: str
    line: int
    kind: Kind | None = None

    @property
    def named(self) -> str:
        """The pattern and the kind, as messages name the entry."""
        return f"'{self.pattern}'" + (f" ({self.kind})" if self.kind else "")

    def matching(self, corpus: Mapping[str, Entry], index: IdIndex) -> tuple[str, ...]:
        """The ids that it is for; `index` is that of the corpus."""
        found = index.matching(self.pattern)
        if self.kind is None:
            return found
        return tuple(item for item in found if corpus[item].kind == self.kind)

    @property
    def where(self) -> str:
        """`file:line`, as messages begin."""
        return f"{self.file}:{self.line}"

    @property
    def listed(self) -> str:
        """What the entry says, in words."""
        verdicts = " or ".join(self.verdicts)
        return f"flaky: {verdicts}" if self.flaky else verdicts


@dataclass(frozen=True)
class Baseline:
    """A baseline file."""

    file: str
    entries: tuple[BaselineEntry, ...] = ()


def read_baseline(path: Path) -> Baseline:
    """Read a baseline; BadInputError names file and line of what cannot be meant."""
    return baseline_of(read_yaml(path))


def baseline_of(document: Node) -> Baseline:
    """The baseline in a YAML document."""
    keys = document.mapping(required=("entries",), optional=("format",))
    if "format" in keys:
        keys["format"].integer(BASELINE_FORMAT, BASELINE_FORMAT)
    return Baseline(document.file, tuple(map(_entry, keys["entries"].sequence())))


def _entry(node: Node) -> BaselineEntry:
    keys = node.mapping(required=("id", "verdict", "reason"), optional=("kind", "link", "flaky"))
    flaky = keys["flaky"].boolean() if "flaky" in keys else False
    pattern = keys["id"].string()
    try:
        check_pattern(pattern)
    except PatternError as error:
        raise keys["id"].error(str(error)) from None
    return BaselineEntry(
        pattern=pattern,
        verdicts=_verdicts(keys["verdict"], flaky=flaky),
        reason=keys["reason"].string(),
        link=keys["link"].string() if "link" in keys else None,
        flaky=flaky,
        file=node.file,
        line=node.line,
        kind=Kind(keys["kind"].one_of(KINDS, "kind")) if "kind" in keys else None,
    )


def _verdicts(node: Node, *, flaky: bool) -> tuple[str, ...]:
    several = node.kind == "sequence"
    if several and not flaky:
        raise node.error("several verdicts are for entries with 'flaky: true'; list the one it has")
    nodes = node.sequence() if several else (node,)
    if not nodes:
        raise node.error("a verdict is needed here; the list is empty")
    for item in nodes:
        if item.value == Verdict.PASS:
            raise item.error(
                "'pass' is expected of every vector without an entry"
                + ("; a flaky entry names the failures" if flaky else "; remove the entry")
            )
        if item.value == Verdict.BAD_VECTOR:
            raise item.error("'bad-vector' says that the vector is damaged: nobody can expect that")
    return tuple(item.one_of(VERDICTS, "verdict") for item in nodes)


# --- which entry is for which vector -------------------------------------------------------


@dataclass(frozen=True)
class Expectations:
    """A baseline held against the ids of a corpus.

    Attributes:
        file: the baseline, as messages name it; None where there is none.
        of: the entry of each vector that has one.
    """

    file: str | None
    of: Mapping[str, BaselineEntry]

    def lists(self, vector_id: str, verdict: str) -> bool:
        """Whether a verdict on a vector is one that the baseline lists for it."""
        entry = self.of.get(vector_id)
        return entry is not None and verdict in entry.verdicts

    @property
    def losses(self) -> frozenset[str]:
        """Ids of vectors that are listed as not answered: crashed, timed out and the like."""
        lost = {verdict.value for verdict in LOST_VERDICTS}
        return frozenset(
            vector_id for vector_id, entry in self.of.items() if not lost.isdisjoint(entry.verdicts)
        )


NO_EXPECTATIONS = Expectations(None, {})


def expectations_of(baseline: Baseline, corpus: Mapping[str, Entry]) -> Expectations:
    """Find each entry's vectors among all of the corpus, by id, before anything is run.

    Raises BadInputError where an entry matches no vector or a vector has two entries.
    """
    index = IdIndex(corpus)
    found: dict[str, BaselineEntry] = {}
    for entry in baseline.entries:
        taken = entry.matching(corpus, index)
        if not taken:
            what = f"{entry.kind} vector" if entry.kind else "vector"
            why = "" if index.matching(entry.pattern) else f": {index.explain(entry.pattern)}"
            raise BadInputError(
                f"{entry.where}: '{entry.pattern}' matches no {what} of this corpus{why}"
            )
        for vector_id in taken:
            other = found.setdefault(vector_id, entry)
            if other is not entry:
                raise BadInputError(
                    f"{entry.where}: '{vector_id}' has an entry on line {other.line} already"
                    f" ({other.named}); one vector has one entry"
                )
    return Expectations(baseline.file, found)
