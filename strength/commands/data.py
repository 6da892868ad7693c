"""`python -m strength data`: say of which vectors the data are equal, zero, or symmetric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.errors import IncompleteError

from ..arranging.data import plain_data
from ..vectors import slug_of, split_name
from .options import add_operators, add_vectors

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from onnx_conformance.core.corpus.corpus import Entry

    from ..arranging.data import Plainness


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_operators(parser, "look at this one alone; may be given again")
    add_vectors(parser)
    parser.add_argument(
        "--every",
        action="store_true",
        help="name every vector, and not one of each case in plain form at its newest version",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Look, and print a line for each; nothing that is found is a fault by itself."""
    slugs = {slug_of(*split_name(name)) for name in arguments.operator}
    entries = [
        item
        for item in open_corpus(arguments.vectors).entries.values()
        if not slugs or item.operator_version.rpartition("-")[0] in slugs
    ]
    if not entries:
        raise IncompleteError(f"{arguments.vectors} has no such vector")
    chosen = entries if arguments.every else list(_one_of_each(entries))
    found = list(plain_data(chosen))
    for text in told(found):
        print(text)
    print(
        f"{len(found)} of {len(chosen)} vectors have data that cannot tell something;"
        f" {sum(item.tells_nothing for item in found)} have no output with two elements that differ"
    )
    return 0


def _one_of_each(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The vector of each case that has the newest version and the plainest form."""
    best: dict[tuple[str, str], tuple[tuple[bool, int, str], Entry]] = {}
    for entry in entries:
        slug, _, version = entry.operator_version.rpartition("-")
        _, case, variant = entry.id.split("/")
        rank = "." in variant, -int(version), variant
        known = best.get((slug, case))
        if known is None or rank < known[0]:
            best[slug, case] = rank, entry
    yield from (entry for _, entry in best.values())


def told(found: Sequence[Plainness]) -> Iterator[str]:
    """A line for each: first those that tell nothing, then those with an output like a slice."""
    kinds = ("NOTHING", "axis   ", "input  ")
    ranked = [((not item.tells_nothing) + (not item.outputs), item) for item in found]
    for rank, item in sorted(ranked, key=lambda pair: (pair[0], pair[1].id)):
        yield f"{kinds[rank]} {item.id}: {', '.join((*item.outputs, *item.inputs))}"
