"""The baseline: failures that the author of a backend knows, and what is expected of each vector.

A baseline is a YAML file in the backend's repository (docs/gate.md):

    include: ../onnx-baseline.yaml           # optional: the entries of another file count here too
    runtime: {name: tract, version: 0.21}    # optional: what it was made with, see `made_with`
    entries:
      - id: reshape-14/zero_dim/float32      # an id, or a pattern, see `patterns`; `ids` lists more
        verdict: rejected
        reason: the parser takes no 0 in a constant shape
        link: https://…/issues/12            # optional
        kind: valid                          # optional: of a pattern, only vectors of this kind
        flaky: true                          # optional: may pass as well

Listed vectors are run like all others. Expectations are strict, so that a baseline stays true:
an entry that matches no vector, a second entry for one vector, a listed vector that passes
(stale) and one that fails in another way are all errors that name the line of the file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.patterns import IdIndex, PatternError, check_pattern
from onnx_conformance.core.corpus.vectors import KINDS, Kind
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.yaml.reading import read_yaml

from ..judging.verdicts import LOST_VERDICTS, Verdict
from .made_with import KEY, runtime_in

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from onnx_conformance.core.corpus.corpus import Entry
    from onnx_conformance.core.yaml.nodes import Node

    from .made_with import Runtime

BASELINE_FORMAT = 1
_OPTIONAL = ("format", "include", KEY)

# A vector that differs from what was published says nothing about the backend; passing needs no
# entry.
VERDICTS = tuple(
    verdict.value for verdict in Verdict if verdict not in (Verdict.PASS, Verdict.BAD_VECTOR)
)


@dataclass(frozen=True)
class BaselineEntry:
    """One entry.

    Attributes:
        patterns: ids of vectors, or patterns of ids: several if one bug affects several.
        kind: the entry is only for vectors of this kind; None for all of them.
        verdicts: the expected verdicts; more than one only if flaky.
        reason: why, in words.
        link: where to read more, or None.
        flaky: whether the vector may pass as well.
        file, line: where the entry begins.
        several: whether the patterns are written as a list, under `ids`.
    """

    patterns: tuple[str, ...]
    verdicts: tuple[str, ...]
    reason: str
    link: str | None
    flaky: bool
    file: str
    line: int
    kind: Kind | None = None
    several: bool = False

    @property
    def named(self) -> str:
        """The first pattern, the number of others, and the kind: how messages name the entry."""
        more = f" and {len(self.patterns) - 1} more" if len(self.patterns) > 1 else ""
        return f"'{self.patterns[0]}'{more}" + (f" ({self.kind})" if self.kind else "")

    @property
    def said(self) -> str:
        """What it says, as a sentence begins: `'a' and 2 more are listed as rejected`."""
        verb = "are" if len(self.patterns) > 1 else "is"
        return f"{self.named} {verb} listed as {self.listed}"

    @property
    def passes(self) -> bool:
        """Whether it says that vectors pass although an included baseline lists them as failing."""
        return Verdict.PASS.value in self.verdicts

    def matching(self, corpus: Mapping[str, Entry], index: IdIndex) -> tuple[str, ...]:
        """The ids that it matches, in the order of its patterns; `index` is that of the corpus."""
        found = (self.matching_one(pattern, corpus, index) for pattern in self.patterns)
        return tuple(dict.fromkeys(item for ids in found for item in ids))

    def matching_one(
        self, pattern: str, corpus: Mapping[str, Entry], index: IdIndex
    ) -> tuple[str, ...]:
        """The ids that one of its patterns matches."""
        found = index.matching(pattern)
        if self.kind is None:
            return found
        return tuple(item for item in found if corpus[item].kind == self.kind)

    @property
    def where(self) -> str:
        """`file:line`: messages begin with it."""
        return f"{self.file}:{self.line}"

    @property
    def listed(self) -> str:
        """The entry in words."""
        verdicts = " or ".join(self.verdicts)
        return f"flaky: {verdicts}" if self.flaky else verdicts


@dataclass(frozen=True)
class Baseline:
    """A baseline file.

    Attributes:
        file: its path, as messages show it.
        entries: its own.
        included: baselines whose entries also count, for vectors without an entry of its own.
        runtime: the runtime that it says it was made with, or None.
    """

    file: str
    entries: tuple[BaselineEntry, ...] = ()
    included: tuple[Baseline, ...] = ()
    runtime: Runtime | None = None

    @property
    def files(self) -> tuple[Baseline, ...]:
        """Itself and every baseline that it includes, directly or through another."""
        return (self, *(file for item in self.included for file in item.files))

    @property
    def made_with(self) -> Runtime | None:
        """Its own `runtime`, else that of the first included baseline that has one."""
        if self.runtime is not None:
            return self.runtime
        return next((found for item in self.included if (found := item.made_with)), None)


def read_baseline(path: Path) -> Baseline:
    """Read a baseline and the files that it includes; BadInputError names file and line."""
    return _read(path, ())


def _read(path: Path, within: tuple[Path, ...]) -> Baseline:
    """A baseline with those that it includes; `within` is the chain of files that include it."""
    document = read_yaml(path)
    keys = document.mapping(required=("entries",), optional=_OPTIONAL)
    included = []
    if "include" in keys:
        node = keys["include"]
        for item in node.sequence() if node.kind == "sequence" else (node,):
            other = path.parent / item.string()
            if other.resolve() in (path.resolve(), *within):
                raise item.error(f"{other} includes this file: a circle")
            if not other.is_file():
                raise item.error(f"there is no file {other}; the path is relative to this file")
            included.append(_read(other, (path.resolve(), *within)))
    return replace(baseline_of(document), included=tuple(included))


def baseline_of(document: Node) -> Baseline:
    """The baseline in a YAML document, without the included ones."""
    keys = document.mapping(required=("entries",), optional=_OPTIONAL)
    if "format" in keys:
        keys["format"].integer(BASELINE_FORMAT, BASELINE_FORMAT)
    overrides = "include" in keys
    entries = tuple(_entry(node, overrides=overrides) for node in keys["entries"].sequence())
    runtime = runtime_in(keys[KEY]) if KEY in keys else None
    return Baseline(document.file, entries, runtime=runtime)


def _entry(node: Node, *, overrides: bool) -> BaselineEntry:
    keys = node.mapping(
        required=("verdict", "reason"), optional=("id", "ids", "kind", "link", "flaky")
    )
    flaky = keys["flaky"].boolean() if "flaky" in keys else False
    return BaselineEntry(
        patterns=_patterns(node),
        verdicts=_verdicts(keys["verdict"], flaky=flaky, overrides=overrides),
        reason=keys["reason"].string(),
        link=keys["link"].string() if "link" in keys else None,
        flaky=flaky,
        file=node.file,
        line=node.line,
        kind=Kind(keys["kind"].one_of(KINDS, "kind")) if "kind" in keys else None,
        several="ids" in keys,
    )


def _patterns(node: Node) -> tuple[str, ...]:
    keys = node.mapping()
    if ("id" in keys) == ("ids" in keys):
        raise node.error("an entry needs 'id', or 'ids' for several, and not both")
    nodes = keys["ids"].sequence() if "ids" in keys else (keys["id"],)
    if not nodes:
        raise keys["ids"].error("an id or a pattern is needed here; the list is empty")
    found: dict[str, None] = {}
    for item in nodes:
        pattern = item.string()
        try:
            check_pattern(pattern)
        except PatternError as error:
            raise item.error(str(error)) from None
        if pattern in found:
            raise item.error(f"'{pattern}' is in this list already")
        found[pattern] = None
    return tuple(found)


def _verdicts(node: Node, *, flaky: bool, overrides: bool) -> tuple[str, ...]:
    several = node.kind == "sequence"
    if several and not flaky:
        raise node.error("several verdicts are for entries with 'flaky: true'; list the one it has")
    nodes = node.sequence() if several else (node,)
    if not nodes:
        raise node.error("a verdict is needed here; the list is empty")
    if overrides and not (several or flaky) and node.value == Verdict.PASS.value:
        return (Verdict.PASS.value,)
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
    """A baseline applied to the ids of a corpus.

    Attributes:
        file: path of the baseline, as messages show it; None if there is none.
        of: the entry of each vector that has one.
        made_with: the runtime that it was made with, if it says so.
    """

    file: str | None
    of: Mapping[str, BaselineEntry]
    made_with: Runtime | None = None

    def lists(self, vector_id: str, verdict: str) -> bool:
        """Whether the baseline lists this verdict for the vector."""
        entry = self.of.get(vector_id)
        return entry is not None and verdict in entry.verdicts

    @property
    def losses(self) -> frozenset[str]:
        """Ids of vectors that are listed with verdicts such as crashed or timed out: no answer."""
        lost = {verdict.value for verdict in LOST_VERDICTS}
        return frozenset(
            vector_id for vector_id, entry in self.of.items() if not lost.isdisjoint(entry.verdicts)
        )


NO_EXPECTATIONS = Expectations(None, {})


def expectations_of(baseline: Baseline, corpus: Mapping[str, Entry]) -> Expectations:
    """Find each entry's vectors among all of the corpus, by id, before anything is run.

    Raises BadInputError if an entry matches no vector or a vector has two entries.
    """
    found = entry_of_each(baseline, corpus, IdIndex(corpus))
    return Expectations(
        baseline.file,
        {item: entry for item, entry in found.items() if not entry.passes},
        baseline.made_with,
    )


def entry_of_each(
    baseline: Baseline, corpus: Mapping[str, Entry], index: IdIndex
) -> dict[str, BaselineEntry]:
    """The entry of each vector: the baseline's own, else that of an included baseline.

    Entries of its own that say that a vector passes are included; `expectations_of` leaves them
    out. Raises BadInputError as `expectations_of` does.
    """
    listed: dict[str, BaselineEntry] = {}
    for other in baseline.included:
        for vector_id, entry in entry_of_each(other, corpus, index).items():
            known = listed.setdefault(vector_id, entry)
            if known.where != entry.where:
                raise _second_entry(entry, vector_id, known)
    found: dict[str, BaselineEntry] = {}
    for entry in baseline.entries:
        for pattern in entry.patterns:
            _require_some(entry, pattern, corpus, index)
        for vector_id in entry.matching(corpus, index):
            if entry.passes and vector_id not in listed:
                raise BadInputError(
                    f"{entry.where}: '{vector_id}' is listed as 'pass', which is expected of every"
                    " vector that no included baseline lists; remove it"
                )
            other_entry = found.setdefault(vector_id, entry)
            if other_entry is not entry:
                raise _second_entry(entry, vector_id, other_entry)
    return {**listed, **found}


def _require_some(
    entry: BaselineEntry, pattern: str, corpus: Mapping[str, Entry], index: IdIndex
) -> None:
    """Raise BadInputError if a pattern matches no vector."""
    if entry.matching_one(pattern, corpus, index):
        return
    what = f"{entry.kind} vector" if entry.kind else "vector"
    why = "" if index.matching(pattern) else f": {index.explain(pattern)}"
    raise BadInputError(f"{entry.where}: '{pattern}' matches no {what} of this corpus{why}")


def _second_entry(entry: BaselineEntry, vector_id: str, other: BaselineEntry) -> BadInputError:
    place = f"on line {other.line}" if other.file == entry.file else f"at {other.where}"
    return BadInputError(
        f"{entry.where}: '{vector_id}' has an entry {place} already ({other.named}); one vector"
        " has one entry"
    )
