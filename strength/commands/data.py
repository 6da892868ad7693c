"""`python -m strength data`: say of which vectors the data are equal, zero, or symmetric."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.corpus import Entry, open_corpus
from onnx_conformance.core.errors import IncompleteError

from ..arranging.data import plain_data
from ..arranging.plain_reasons import FILE, Reason, Ruled, faults, ruled
from ..arranging.record import FILE as RECORD
from ..arranging.record import read_record
from ..arranging.redrawing import Redrawing
from ..names import slug_of, split_name
from .options import add_operators, add_vectors

if TYPE_CHECKING:
    import argparse


_SHOWN = 10


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_operators(parser, "look at this one alone; may be given again")
    add_vectors(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--every",
        action="store_true",
        help="name every vector, and not one of each case in plain form at its newest version",
    )
    which.add_argument(
        "--check",
        action="store_true",
        help="name those alone that have no reason, and rules that no vector needs; exit code 1"
        " where there is one",
    )
    parser.add_argument("--rules", type=Path, default=FILE, metavar="FILE")
    parser.add_argument("--record", type=Path, default=RECORD, metavar="FILE")


def execute(arguments: argparse.Namespace) -> int:
    """Look, and print a line for each with its reason; with `--check` fail where one has none."""
    slugs = {slug_of(*split_name(name)) for name in arguments.operator}
    entries = [
        item
        for item in open_corpus(arguments.vectors).entries.values()
        if not slugs or item.operator_version.rpartition("-")[0] in slugs
    ]
    if not entries:
        raise IncompleteError(f"{arguments.vectors} has no such vector")
    chosen = entries if arguments.every else list(_one_of_each(entries))
    redrawing = Redrawing(arguments.vectors, {item.id: item for item in chosen})
    found = list(
        ruled(plain_data(chosen), read_record(arguments.record), redrawing.says_so, arguments.rules)
    )
    summary = _summary(found, len(chosen))
    if not arguments.check:
        for text in told(found):
            print(text)
        print(summary)
        return 0
    wrong = list(faults(found, [item.id for item in chosen], arguments.rules, whole=not slugs))
    for fault in wrong[:_SHOWN]:
        print(f"strength: {fault}", file=sys.stderr)
    if len(wrong) > _SHOWN:
        print(f"strength: and {len(wrong) - _SHOWN} more", file=sys.stderr)
    print(f"strength: {summary}")
    return 1 if wrong else 0


def _summary(found: Sequence[Ruled], looked_at: int) -> str:
    reasons = Counter(item.reason for item in found)
    words = "; ".join(f"{reasons[reason]}: {reason.value}" for reason in Reason)
    nothing = sum(item.plain.tells_nothing for item in found)
    return (
        f"{len(found)} of {looked_at} vectors have data that cannot tell something; {nothing} have"
        f" no output with two elements that differ\nof these {words}"
    )


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


def told(found: Sequence[Ruled]) -> Iterator[str]:
    """A line for each: first those that tell nothing, then those with an output like a slice."""
    kinds = ("NOTHING", "axis   ", "input  ")
    ranked = [((not it.plain.tells_nothing) + (not it.plain.outputs), it) for it in found]
    for rank, item in sorted(ranked, key=lambda pair: (pair[0], pair[1].plain.id)):
        words = ", ".join((*item.plain.outputs, *item.plain.inputs))
        why = item.rule.why if item.rule else item.reason.value
        yield f"{kinds[rank]} {item.plain.id}: {words} ({why})"
