"""`rulings.yaml`: disagreements that were looked into, and why they stand.

    rulings:
      - ids: ["quantizelinear-24/types_t2/*"]
        cause: open
        read: {document: QuantizeLinear-24, part: Summary}
        why: ...

A ruling that no disagreement needs any more is stale, which is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from onnx_conformance.core.corpus.patterns import IdIndex, check_pattern
from onnx_conformance.core.errors import UsageError
from onnx_conformance.core.yaml.nodes import Node
from onnx_conformance.core.yaml.reading import read_yaml

RULINGS = Path(__file__).with_name("rulings.yaml")
#: The document can be read in both ways; the evaluator's numbers are too coarse; the corpus is
#: wrong, and is to be mended.
CAUSES = ("open", "precision", "corpus")


@dataclass(frozen=True)
class Ruling:
    """Why some disagreements stand.

    Attributes:
        ids: of vectors, or patterns of them.
        cause: one of CAUSES.
        document, part: what was read.
        why: in words.
        where: `file:line`: messages about it begin with this.
    """

    ids: tuple[str, ...]
    cause: str
    document: str
    part: str
    why: str
    where: str


def read_rulings(path: Path) -> tuple[Ruling, ...]:
    """The rulings in a file; BadInputError, with file and line, for anything else."""
    node = read_yaml(path)
    node.mapping()
    node.only_keys({"rulings"})
    return tuple(_ruling(item) for item in node.mapping()["rulings"].sequence())


def _ruling(node: Node) -> Ruling:
    node.mapping()
    node.only_keys({"ids", "cause", "read", "why"})
    parts = node.mapping()
    for key in ("ids", "cause", "read", "why"):
        if key not in parts:
            raise node.error(f"has no key '{key}'")
    read = parts["read"]
    read.only_keys({"document", "part"})
    ids = tuple(item.string() for item in parts["ids"].sequence())
    for item in ids:
        try:
            check_pattern(item)
        except UsageError as error:
            raise parts["ids"].error(str(error)) from None
    return Ruling(
        ids,
        parts["cause"].one_of(CAUSES),
        read.mapping()["document"].string(),
        read.mapping()["part"].string(),
        parts["why"].string(),
        node.where,
    )


def ruled(rulings: Sequence[Ruling], disagreeing: Iterable[str]) -> dict[str, Ruling]:
    """The ruling of each vector that disagrees and has one."""
    index = IdIndex(disagreeing)
    found: dict[str, Ruling] = {}
    for ruling in rulings:
        for pattern in ruling.ids:
            for vector_id in index.matching(pattern):
                found.setdefault(vector_id, ruling)
    return found


def stale(
    rulings: Sequence[Ruling], disagreeing: Iterable[str], judged: Iterable[str], *, all_: bool
) -> Iterator[str]:
    """A line for each pattern that no disagreement needs.

    Args:
        rulings: all of them.
        disagreeing: ids of the vectors that disagree.
        judged: ids of the vectors of this run.
        all_: whether that is the whole corpus, so that a pattern must match some of them.
    """
    wrong, here = IdIndex(disagreeing), IdIndex(judged)
    for ruling in rulings:
        for pattern in ruling.ids:
            if wrong.matching(pattern):
                continue
            if here.matching(pattern):
                yield f"{ruling.where}: '{pattern}' agrees now; take the ruling out"
            elif all_:
                yield f"{ruling.where}: '{pattern}' matches no vector; take the ruling out"
