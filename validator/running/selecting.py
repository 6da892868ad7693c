"""Selects the vectors of a command: by ids, patterns and filters on their metadata.

Several values of one option select more, several options select less. A part of a selection that
matches nothing is an error that names it, because a gate that runs nothing would always be green.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.corpus import Corpus, Entry, read_metadata
from onnx_conformance.core.corpus.listing.model import Facts
from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.corpus.small import EVERY, SIZES, SMALL, small_entries
from onnx_conformance.core.corpus.vectors import KINDS, Vector
from onnx_conformance.core.errors import BadInputError, IncompleteError, UsageError
from onnx_conformance.core.families import family_of

from .as_of import in_release
from .narrowing import narrow

if TYPE_CHECKING:
    import argparse


@dataclass(frozen=True)
class Selection:
    """What the user selected; an empty field does not restrict.

    Attributes:
        patterns: ids and patterns of ids, see `patterns`.
        kinds: `valid`, `invalid`, `latitude`.
        operators: names of operators, in any letter case.
        families: names of families of operators, of `core.families`.
        since_versions: operator versions.
        opsets: opsets that the models import.
        types: element types, of any type variable.
        forms: how the model presents the case.
        requirements: ids of requirements that the vector covers.
        failed: ids that did not pass in earlier results; None if that option was not used.
        shard: (K, N): the K-th of N parts, K from 1.
        part: the ids of that part where a plan says which they are; None goes by their hash.
        plan: the digest of that plan.
        newest: only the newest version of each operator.
        size: `small` for small vectors alone; None for all.
        corpus_as_of: a release of the corpus: only vectors that were in it.
    """

    patterns: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    since_versions: tuple[int, ...] = ()
    opsets: tuple[int, ...] = ()
    types: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    failed: frozenset[str] | None = None
    shard: tuple[int, int] | None = None
    part: frozenset[str] | None = None
    plan: str | None = None
    newest: bool = False
    size: str | None = None
    corpus_as_of: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The options that were used, for the header of a results file."""
        asked = {key: value for key, value in vars(self).items() if value not in ((), None, False)}
        asked.pop("part", None)
        if self.failed is not None:
            asked["failed"] = len(self.failed)
        return {key: list(value) if type(value) is tuple else value for key, value in asked.items()}


# --- the command line ----------------------------------------------------------------------

# Names of onnx.proto for types that have NumPy's names in ids.
_ONNX_TYPES = {"float": "float32", "double": "float64"}
_FILTERS = (
    ("--operator", "operators", str, "NAME", "vectors of this operator, e.g. Reshape"),
    ("--family", "families", str, "NAME", "vectors of these operators, e.g. pooling, attention"),
    ("--since-version", "since_versions", int, "N", "vectors of this operator version, e.g. 14"),
    ("--opset", "opsets", int, "N", "vectors whose model imports this opset"),
    (
        "--type",
        "types",
        str,
        "TYPE",
        "vectors with this element type, e.g. float16; float is float32",
    ),
    ("--form", "forms", str, "FORM", "vectors in this form, e.g. initializer"),
    ("--requirement", "requirements", str, "ID", "vectors that cover this requirement"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of a selection to a command."""
    group = parser.add_argument_group(
        "selection",
        "Several values of one option widen the selection, different options narrow it."
        " Each option may be given again.",
    )
    group.add_argument(
        "patterns",
        nargs="*",
        metavar="ID",
        help="id of a vector, or a pattern such as 'reshape-14/*' or '*/clip_start/*'",
    )
    group.add_argument(
        "--kind", dest="kinds", action="append", default=[], choices=KINDS, help="kind of vectors"
    )
    for option, name, kind, metavar, text in _FILTERS:
        group.add_argument(
            option, dest=name, action="append", default=[], type=kind, metavar=metavar, help=text
        )
    group.add_argument(
        "--newest", action="store_true", help="vectors of the newest version of each operator"
    )
    group.add_argument(
        "--size",
        choices=SIZES,
        default=EVERY,
        help="small: only vectors without a file above 16 KiB, just under 4,096 elements of"
        " float32, for runtimes with little memory or time (default: %(default)s)",
    )
    group.add_argument(
        "--failed-in",
        action="append",
        default=[],
        type=Path,
        metavar="RESULTS",
        help="vectors that did not pass in this results file",
    )
    group.add_argument(
        "--shard", metavar="K/N", help="the K-th of N parts, the same on every machine; K from 1"
    )
    group.add_argument(
        "--by-time",
        type=Path,
        metavar="FILE",
        help="with --shard: parts that take equally long, by the times in this results file, or as"
        " this plan of --write-plan has them",
    )
    group.add_argument(
        "--corpus-as-of",
        metavar="RELEASE",
        help="vectors that were in this release of the corpus, e.g. 0.2.0, and none that is newer",
    )


def from_arguments(arguments: argparse.Namespace) -> Selection:
    """The selection of a command line.

    Raises UsageError for an invalid shard, and BadInputError for unreadable results.
    """
    asked: dict[str, Any] = {name: tuple(getattr(arguments, name)) for _, name, *_ in _FILTERS}
    asked["types"] = tuple(_ONNX_TYPES.get(item.lower(), item) for item in asked["types"])
    return Selection(
        patterns=tuple(arguments.patterns),
        kinds=tuple(arguments.kinds),
        failed=_failed_in(arguments.failed_in),
        shard=parse_shard(arguments.shard) if arguments.shard else None,
        newest=arguments.newest,
        size=SMALL if arguments.size == SMALL else None,
        corpus_as_of=arguments.corpus_as_of,
        **asked,
    )


def parse_shard(text: str) -> tuple[int, int]:
    """`K/N` as numbers, 1 <= K <= N; UsageError otherwise."""
    first, slash, second = text.partition("/")
    if not (slash and first.isdecimal() and second.isdecimal()):
        raise UsageError(f"--shard wants K/N, e.g. 1/4; '{text}' given")
    part, parts = int(first), int(second)
    if not 1 <= part <= parts:
        raise UsageError(f"--shard {text}: K must be from 1 to N")
    return part, parts


def _failed_in(paths: Sequence[Path]) -> frozenset[str] | None:
    if not paths:
        return None
    from ..results.file_format import read_results

    failed: set[str] = set()
    for results in map(read_results, paths):
        failed.update(row.id for row in results.rows if not row.passed)
        failed.update(results.missing)  # without a verdict it did not pass
    return frozenset(failed)


# --- selecting -----------------------------------------------------------------------------


def select(corpus: Corpus, selection: Selection) -> tuple[Entry, ...]:
    """The vectors of a corpus that a selection matches, in the order of the manifest.

    What cannot be read well enough to know what it is belongs to every selection: it may be what
    was asked for. Its verdict is `bad-vector`, so that no run hides it.

    Raises IncompleteError, which names the part that matches nothing, and similar names.
    """
    entries = _by_patterns(corpus, selection.patterns)
    if selection.corpus_as_of is not None:
        entries = list(in_release(corpus, entries, selection.corpus_as_of))
    entries = narrow(entries, "kind", selection.kinds, lambda entry: (entry.kind,))
    if selection.failed is not None:
        failed = selection.failed
        entries = [entry for entry in entries if entry.id in failed]
        if not entries:
            raise IncompleteError(
                f"none of the {len(failed)} vectors that failed in the given results is selected"
                if failed
                else "every vector passed in the given results: there is nothing to select"
            )
    entries = narrow(entries, "operator", selection.operators, _operator_names)
    entries = narrow(entries, "family", selection.families, _families)
    entries = narrow(entries, "since-version", selection.since_versions, _since_version)
    if selection.newest:
        entries = _newest(entries)
    if selection.size == SMALL:
        entries = _small(corpus, entries)
    entries = _by_metadata(entries, selection)
    kept = {entry.id for entry in entries}
    if any(entry.nameless and entry.id not in kept for entry in corpus.entries.values()):
        everything = corpus.entries.values()
        entries = [entry for entry in everything if entry.nameless or entry.id in kept]
    return tuple(_by_shard(entries, selection))


def _by_patterns(corpus: Corpus, patterns: Sequence[str]) -> list[Entry]:
    if not corpus.entries:
        raise IncompleteError(f"{corpus.root}: holds no vector")
    if not patterns:
        return list(corpus.entries.values())
    index = IdIndex(corpus.entries)
    taken: set[str] = set()
    for pattern in patterns:
        found = index.matching(pattern)
        if not found:
            raise IncompleteError(f"'{pattern}' matches no vector: {index.explain(pattern)}")
        taken.update(found)
    return [entry for vector_id, entry in corpus.entries.items() if vector_id in taken]


def _by_metadata(entries: list[Entry], selection: Selection) -> list[Entry]:
    """Filter by the manifest's facts, or by data.json if the manifest has only digests."""
    filters: tuple[tuple[str, tuple[Any, ...], Callable[[Vector | Facts], Iterable[Any]]], ...]
    filters = (
        ("opset", selection.opsets, lambda vector: (vector.opset,)),
        ("type", selection.types, lambda vector: vector.types.values()),
        ("form", selection.forms, lambda vector: (vector.form,)),
        ("requirement", selection.requirements, lambda vector: vector.covers),
    )
    if not any(asked for _, asked, _ in filters):
        return entries
    vectors = {entry.id: entry.facts or _metadata(entry) for entry in entries}
    # An unreadable vector passes every filter: its verdict is `bad-vector`, and no run hides it.
    unreadable = [entry for entry in entries if vectors[entry.id] is None and not entry.plain]
    skipped = frozenset(unreadable)
    everything, entries = entries, [entry for entry in entries if entry not in skipped]

    def of(values: Callable[[Vector | Facts], Iterable[Any]]) -> Callable[[Entry], Iterable[Any]]:
        return lambda entry: () if (vector := vectors[entry.id]) is None else values(vector)

    for option, asked, values in filters:
        entries = narrow(entries, option, asked, of(values))
    if not unreadable:
        return entries
    kept = {entry.id for entry in (*entries, *unreadable)}
    return [entry for entry in everything if entry.id in kept]


def _metadata(entry: Entry) -> Vector | None:
    """The metadata of a vector; None if its files cannot be read.

    A plain directory without a readable model has no operator and no type, so no filter matches it;
    without a filter it is selected, and its verdict is `bad-vector`.
    """
    try:
        return read_metadata(entry)
    except BadInputError:
        return None


def _operator_names(entry: Entry) -> tuple[str, ...]:
    """The operator's name in an id, with and without its domain."""
    if entry.plain:
        vector = _metadata(entry)
        return () if vector is None else (vector.operator,)
    name = entry.id.split("/", 1)[0].rpartition("-")[0]
    return tuple(dict.fromkeys((name, name.rpartition(".")[2])))


def _families(entry: Entry) -> tuple[str, ...]:
    return tuple(map(family_of, _operator_names(entry)[:1]))


def _since_version(entry: Entry) -> tuple[int, ...]:
    if entry.plain:
        vector = _metadata(entry)
        return () if vector is None else (vector.since_version,)
    digits = entry.id.split("/", 1)[0].rpartition("-")[2]
    return (int(digits),) if digits.isdecimal() else ()


def _newest(entries: Sequence[Entry]) -> list[Entry]:
    """Those of the highest version of their operator among these; all of what says no version."""
    newest: dict[tuple[str, ...], int] = {}
    for entry in entries:
        name, version = _operator_names(entry), _since_version(entry)
        if version:
            newest[name] = max(newest.get(name, 0), *version)
    return [
        entry
        for entry in entries
        if _since_version(entry) in ((), (newest.get(_operator_names(entry), 0),))
    ]


def _small(corpus: Corpus, entries: Sequence[Entry]) -> list[Entry]:
    kept = small_entries(corpus, entries)
    if entries and not kept:
        raise IncompleteError(f"--size small takes none of {len(entries)} vectors")
    return kept


def _by_shard(entries: list[Entry], selection: Selection) -> list[Entry]:
    if selection.shard is None:
        return entries
    part, parts = selection.shard
    planned = selection.part
    if planned is not None:
        kept = [entry for entry in entries if entry.id in planned]
    else:
        kept = [entry for entry in entries if shard_of(entry.id, parts) == part]
    if not kept:
        raise IncompleteError(
            f"--shard {part}/{parts} has none of the {len(entries)} selected vectors;"
            " use fewer shards"
        )
    return kept


def shard_of(vector_id: str, parts: int) -> int:
    """The shard, 1 to `parts`, that a vector belongs to.

    It depends only on the SHA-256 of its id, so that no vector moves when others are added.
    """
    return int.from_bytes(hashlib.sha256(vector_id.encode()).digest()[:8], "big") % parts + 1
