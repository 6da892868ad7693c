"""`core/witnesses/alone.yaml`: why vectors stand that no witness agrees with.

    unargued: 12
    alone:
      - ids: ["tile-1/*/float16"]
        vectors: 3
        read: {document: Tile-1, part: Inputs}
        why: ...

Each entry says what the page was read to require of these vectors, and how many they are, so that a
pattern takes in no further one unread. `unargued` is how many vectors nobody agrees with and no
entry names: it may only become less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..corpus.patterns import IdIndex, pattern_in
from ..corpus.vectors import Kind
from ..text import quantity
from ..yaml.nodes import Node
from ..yaml.reading import read_yaml

if TYPE_CHECKING:
    from ..corpus.corpus import Entry
    from ..corpus.listing.model import Listed
    from .ledger import Agreement, Ledger

#: The arguments that come along.
ALONE = Path(__file__).with_name("alone.yaml")
_NAMED = 3


@dataclass(frozen=True)
class Argument:
    """Why some vectors stand that nobody agrees with.

    Attributes:
        ids: their ids, or patterns of them.
        vectors: how many they are, without those that an earlier argument names.
        document, part: what was read.
        why: what it requires, and where the engines go wrong or do not go at all.
        where: `file:line`: messages about it begin with this.
    """

    ids: tuple[str, ...]
    vectors: int
    document: str
    part: str
    why: str
    where: str

    @property
    def words(self) -> str:
        """`The tiles and ... (Tile-1, Inputs)`."""
        return f"{self.why} ({self.document}, {self.part})"


@dataclass(frozen=True)
class Alone:
    """All arguments, and how many vectors have none."""

    #: In the order of the file.
    arguments: tuple[Argument, ...]
    #: How many vectors nobody agrees with and nothing is said of.
    unargued: int
    #: Where the file says so.
    where: str


def read_alone(path: Path) -> Alone:
    """The arguments in a file; BadInputError, with file and line, for anything else."""
    node = read_yaml(path)
    document = node.mapping(required=("unargued", "alone"), optional=())
    arguments = tuple(map(_argument, document["alone"].sequence()))
    return Alone(arguments, document["unargued"].integer(0), document["unargued"].where)


def _argument(node: Node) -> Argument:
    document = node.mapping(required=("ids", "vectors", "read", "why"), optional=())
    source = document["read"].mapping(required=("document", "part"), optional=())
    ids = tuple(pattern_in(item) for item in document["ids"].sequence())
    if not ids:
        raise document["ids"].error("ids or patterns are needed here; this list is empty")
    return Argument(
        ids,
        document["vectors"].integer(1),
        source["document"].string(),
        source["part"].string(),
        document["why"].string(),
        node.where,
    )


@dataclass(frozen=True)
class CorpusWitnesses:
    """What a ledger has of the vectors of a corpus.

    Attributes:
        agreements: by id, who agrees; vectors of which the ledger knows nothing are not here.
        unknown: ids of those, in the order of the corpus.
        alone: ids of the valid and invalid vectors that nobody agrees with. What a latitude vector
            permits has its reasons in itself.
    """

    agreements: Mapping[str, Agreement]
    unknown: tuple[str, ...]
    alone: tuple[str, ...]


def corpus_witnesses(ledger: Ledger, vectors: Iterable[Entry | Listed]) -> CorpusWitnesses:
    """How these vectors stand."""
    agreements, unknown, alone = {}, [], []
    for item in vectors:
        found = ledger.of(item.id, item.digest)
        if found is None:
            unknown.append(item.id)
            continue
        agreements[item.id] = found
        if not found.engines and item.kind is not Kind.LATITUDE:
            alone.append(item.id)
    return CorpusWitnesses(agreements, tuple(unknown), tuple(alone))


def argued(alone: Alone, ids: Sequence[str]) -> dict[str, Argument]:
    """The first argument that names each of these ids; those that none names are not there."""
    index = IdIndex(ids)
    found: dict[str, Argument] = {}
    for argument in alone.arguments:
        for pattern in argument.ids:
            for vector_id in index.matching(pattern):
                found.setdefault(vector_id, argument)
    return found


def problems(found: CorpusWitnesses, alone: Alone) -> Iterator[str]:
    """A line for each thing in which ledger, arguments and corpus do not fit each other."""
    if found.unknown:
        yield (
            f"the ledger of witnesses knows nothing of {quantity(len(found.unknown), 'vector')},"
            f" which changed or are new: {_some(found.unknown)}; run the engines and"
            " `onnx-validate witnesses RESULTS… --write core/witnesses/ledger.json`"
        )
    index = IdIndex(found.alone)
    for argument in alone.arguments:
        for pattern in argument.ids:
            if not index.matching(pattern):
                yield (
                    f"{argument.where}: '{pattern}' names no vector without a witness (any more);"
                    " take it out"
                )
    named = argued(alone, found.alone)
    served = Counter(item.where for item in named.values())
    for argument in alone.arguments:
        if served[argument.where] != argument.vectors:
            yield (
                f"{argument.where}: is about {quantity(served[argument.where], 'vector')} that"
                f" nobody agrees with, and says {argument.vectors:,}; read those that are new, and"
                " write the number"
            )
    without = [item for item in found.alone if item not in named]
    if len(without) > alone.unargued:
        yield (
            f"{alone.where}: nobody agrees with {quantity(len(without), 'vector')} of which nothing"
            f" is said, more than {alone.unargued:,}: {_some(without)}; read their pages, and say"
            " under `alone` why they stand"
        )
    elif len(without) < alone.unargued:
        yield (
            f"{alone.where}: nothing is said of {len(without):,} vectors that nobody agrees with;"
            f" write that number instead of {alone.unargued:,}, so that it cannot grow again"
        )


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
    return ", ".join(ids[:_NAMED]) + more
