"""The baseline: failures that the author of a backend knows, and what is expected of each vector.

A baseline is a YAML file in the backend's repository (docs/gate.md):

    include: onnx-baseline.yaml              # optional: the entries of another file count here too
    runtime: {name: tract, version: 0.21}    # optional: what it was made with, see `made_with`
    corpus: 0.2.0                            # optional, as the next two: see `about`
    selection: all
    passed: 29718
    entries:
      - id: reshape-14/zero_dim/float32      # an id, or a pattern, see `patterns`; `ids` lists more
        verdict: rejected
        reason: the parser takes no 0 in a constant shape
        link: https://…/issues/12            # optional
        kind: valid                          # optional: of a pattern, only vectors of this kind
        flaky: true                          # optional: may pass as well

Listed vectors are run like all others. Expectations are strict, so that a baseline stays true:
an entry that matches no vector, two entries for one vector of which neither is more specific, a
listed vector that passes (stale) and one that fails in another way are all errors that name the
line of the file.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path

from onnx_conformance.core.corpus.patterns import PatternError, check_pattern, is_pattern
from onnx_conformance.core.corpus.vectors import KINDS, Kind
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.limits import INCLUDES
from onnx_conformance.core.yaml.nodes import Node
from onnx_conformance.core.yaml.reading import read_yaml

from ..judging.verdicts import LOST_VERDICTS, Verdict
from .about import KEYS, About, about_in
from .made_with import KEY, Runtime, runtime_in

BASELINE_FORMAT = 1
_OPTIONAL = ("format", "include", KEY, *KEYS)

# A vector that differs from what was published says nothing about the backend; passing needs no
# entry.
VERDICTS = tuple(
    verdict.value for verdict in Verdict if verdict not in (Verdict.PASS, Verdict.BAD_VECTOR)
)


@dataclass(frozen=True)
class BaselineEntry:
    """One entry, as it is read or to be written.

    Attributes:
        patterns: ids of vectors, or patterns of ids: several if one bug affects several.
        kind: the entry is only for vectors of this kind; None for all of them.
        verdicts: the expected verdicts; more than one only if flaky.
        reason: why, in words.
        link: where to read more, or None.
        flaky: whether the vector may pass as well.
        file, line: where the entry begins, if it is written already.
        several: whether the patterns are written as a list, under `ids`.
    """

    patterns: tuple[str, ...]
    verdicts: tuple[str, ...]
    reason: str
    link: str | None = None
    flaky: bool = False
    file: str = ""
    line: int = 0
    kind: Kind | None = None
    several: bool = False

    @property
    def shown(self) -> str:
        """The first pattern, and the number of others."""
        more = f" and {len(self.patterns) - 1} more" if len(self.patterns) > 1 else ""
        return f"'{self.patterns[0]}'{more}"

    @property
    def named(self) -> str:
        """The patterns and the kind: how messages name the entry."""
        return self.shown + (f" ({self.kind})" if self.kind else "")

    @property
    def said(self) -> str:
        """What it says, as a sentence begins: `'a' and 2 more are listed as rejected`."""
        verb = "are" if len(self.patterns) > 1 else "is"
        return f"{self.named} {verb} listed as {self.listed}"

    @property
    def passes(self) -> bool:
        """Whether it says that vectors pass although a wider entry lists them as failing."""
        return Verdict.PASS.value in self.verdicts

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
        says: the corpus, the selection and the number of passes that it names itself.
    """

    file: str
    entries: tuple[BaselineEntry, ...] = ()
    included: tuple[Baseline, ...] = ()
    runtime: Runtime | None = None
    says: About = field(default_factory=About)

    @property
    def files(self) -> tuple[Baseline, ...]:
        """Itself and every baseline that it includes, directly or through another; each once."""
        found: dict[int, Baseline] = {}
        left = [self]
        while left:
            item = left.pop()
            if found.setdefault(id(item), item) is item:
                left += [other for other in reversed(item.included) if id(other) not in found]
        return tuple(found.values())

    @property
    def made_with(self) -> Runtime | None:
        """Its own `runtime`, else that of the first included baseline that has one."""
        return next((item.runtime for item in self.files if item.runtime is not None), None)

    @property
    def about(self) -> About:
        """What it says itself, else what the first included baseline that says so does."""
        found = self.says
        for item in self.files[1:]:
            found = found.else_of(item.says)
        return found


def read_baseline(path: Path, include_from: Path | None = None) -> Baseline:
    """Read a baseline and the files that it includes, each of them once.

    Args:
        path: the file.
        include_from: a folder of which files may be included, beside that of `path`.

    Raises BadInputError, which names file and line. Of a file that is no baseline it tells nothing
    more: whoever proposes a change to a baseline does not read other files by it.
    """
    folders = tuple(item.resolve() for item in (path.parent, include_from) if item is not None)
    return _Reading(folders).read(path, read_yaml(path), ())


@dataclass(frozen=True)
class _Reading:
    """The reading of a baseline with all that it includes.

    Attributes:
        folders: where included files may lie.
        known: what was read, by its real path.
    """

    folders: tuple[Path, ...]
    known: dict[Path, Baseline] = field(default_factory=dict)

    def read(self, path: Path, document: Node, within: tuple[Path, ...]) -> Baseline:
        """A baseline with those it includes; `within` is the chain of files that include it."""
        keys = document.mapping(required=("entries",), optional=_OPTIONAL)
        nodes: tuple[Node, ...] = ()
        if "include" in keys:
            node = keys["include"]
            nodes = node.sequence() if node.kind == "sequence" else (node,)
        chain = (path.resolve(), *within)
        included = tuple(self._included(path.parent / item.string(), item, chain) for item in nodes)
        return replace(baseline_of(document), included=included)

    def _included(self, path: Path, item: Node, chain: tuple[Path, ...]) -> Baseline:
        real = path.resolve()
        if real in chain:
            raise item.error(f"{path} includes this file: a circle")
        if not any(real.is_relative_to(folder) for folder in self.folders):
            raise item.error(
                f"{path} lies outside {self.folders[0]}, the folder of the baseline; move it there,"
                " or name its folder with --include-from"
            )
        if real in self.known:
            return self.known[real]
        if len(chain) > INCLUDES:
            raise item.error(f"files include each other more than {INCLUDES} deep")
        if not real.is_file():
            raise item.error(f"there is no file {path}; the path is relative to this file")
        self.known[real] = found = self.read(path, _entries_document(path, item), chain)
        return found


def _entries_document(path: Path, item: Node) -> Node:
    """The YAML of an included file; the error of what is no baseline shows nothing of it."""
    try:
        document = read_yaml(path)
        is_baseline = isinstance(document.value, dict) and "entries" in document.value
    except BadInputError as error:
        line = re.match(rf"{re.escape(str(path))}:(\d+)", str(error))
        place = f" (line {line[1]})" if line else ""
        raise item.error(f"{path} cannot be read as YAML{place}, so it is no baseline") from None
    if not is_baseline:
        raise item.error(f"{path} is no baseline: it has no 'entries'")
    return document


def baseline_of(document: Node) -> Baseline:
    """The baseline in a YAML document, without the included ones."""
    keys = document.mapping(required=("entries",), optional=_OPTIONAL)
    if "format" in keys:
        keys["format"].integer(BASELINE_FORMAT, BASELINE_FORMAT)
    entries = tuple(_entry(node) for node in keys["entries"].sequence())
    runtime = runtime_in(keys[KEY]) if KEY in keys else None
    return Baseline(document.file, entries, runtime=runtime, says=about_in(keys))


def _entry(node: Node) -> BaselineEntry:
    keys = node.mapping(
        required=("verdict", "reason"), optional=("id", "ids", "kind", "link", "flaky")
    )
    flaky = keys["flaky"].boolean() if "flaky" in keys else False
    verdicts = _verdicts(keys["verdict"], flaky=flaky)
    return BaselineEntry(
        patterns=_patterns(node, verdicts),
        verdicts=verdicts,
        reason=keys["reason"].string(),
        link=keys["link"].string() if "link" in keys else None,
        flaky=flaky,
        file=node.file,
        line=node.line,
        kind=Kind(keys["kind"].one_of(KINDS, "kind")) if "kind" in keys else None,
        several="ids" in keys,
    )


def _patterns(node: Node, verdicts: Collection[str]) -> tuple[str, ...]:
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
        if unanswered(verdicts) and is_over_operators(pattern):
            raise item.error(
                f"'{pattern}' is over several operators, and '{unanswered(verdicts)}' is listed one"
                " operator at a time: a library that does not load answers so for every vector"
            )
        found[pattern] = None
    return tuple(found)


def unanswered(verdicts: Collection[str]) -> str:
    """The first of these verdicts that is no answer of the backend; empty if all are answers."""
    return next((item for item in verdicts if item in LOST_VERDICTS), "")


def is_over_operators(pattern: str) -> bool:
    """Whether a pattern may match vectors of several operators."""
    first = pattern.strip("/").split("/", maxsplit=1)[0]
    return is_pattern(first.rpartition("-")[0] or first)


def _verdicts(node: Node, *, flaky: bool) -> tuple[str, ...]:
    several = node.kind == "sequence"
    if several and not flaky:
        raise node.error("several verdicts are for entries with 'flaky: true'; list the one it has")
    nodes = node.sequence() if several else (node,)
    if not nodes:
        raise node.error("a verdict is needed here; the list is empty")
    if not (several or flaky) and node.value == Verdict.PASS.value:
        return (Verdict.PASS.value,)
    for item in nodes:
        if item.value == Verdict.PASS:
            raise item.error(
                "'pass' is expected of every vector without an entry; a flaky entry names what else"
                " it does"
            )
        if item.value == Verdict.BAD_VECTOR:
            raise item.error("'bad-vector' says that the vector is damaged: nobody can expect that")
    return tuple(item.one_of(VERDICTS, "verdict") for item in nodes)
