"""Why a runtime fails what it fails: its results, compared with what is known of its causes.

    python -m tools.explained NAME RESULTS... [--write]

Each failing vector is put below the first cause of baselines/causes/NAME.yaml that fits it; what
none fits is printed, by cluster, and the exit code is 1; so it is where a cause has no vector of a
run of everything: its bug is mended, or its vectors are gone. `--write` renews the table of
docs/findings/NAME.md. A cause says what vectors it is for, by their verdicts and any of:

    operators, requirements, types, forms, ids    at least one of a list; ids may be patterns
    vectors                                       the same: valid, invalid, latitude
    says                                          a regular expression in the verdict's message
    listed                                        a backend whose baseline lists the verdict, too

Why this is no baseline: docs/decisions/2026-11-22-causes-of-the-runtimes-that-nobody-gates.md.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.files import write_whole
from onnx_conformance.core.markdown import cell, escaped, table
from onnx_conformance.core.yaml.nodes import Node
from onnx_conformance.core.yaml.reading import read_yaml
from onnx_conformance.validator.gate.entries import VERDICTS, read_baseline
from onnx_conformance.validator.gate.expectations import Expectations, expectations_of
from onnx_conformance.validator.results.causes import causes_of
from onnx_conformance.validator.results.merging import merge, read_sources
from onnx_conformance.validator.results.records import Results, Row

ROOT = Path(__file__).parents[1]
KNOWN = ROOT / "baselines" / "causes"
PAGES = ROOT / "docs" / "findings"
HEADING = "## Every cause"
# How a cause is explained, in the order of the table, and what the table says of it.
KINDS = {
    "finding": "a bug; the link is its section",
    "inexact": "further from the exact result than [our limits](../accuracy.md) allow",
    "open": "wrong, and not looked into further",
    "minor": "wrong or doubtful at an edge that models hardly meet, or as an earlier text had it",
    "refused": "a valid model that is refused, which nobody can fail to notice",
    "unchecked": "an invalid model that runs; a runtime is no checker, and says so nowhere",
    "unsupported": "the runtime has not got it, by its own words",
    "follows": "nothing is shown of it, because something else fails before",
    "judge": "onnxruntime does the same by itself, and its baseline lists it",
}
_LISTS = ("verdicts", "operators", "requirements", "types", "forms", "vectors", "ids")


@dataclass(frozen=True, eq=False)
class Known:
    """A cause that somebody has looked at."""

    cause: str
    kind: str
    link: str
    says: str
    listed: str
    lists: dict[str, frozenset[str]]
    file: str
    line: int

    def fits(self, row: Row, ids: IdIndex) -> bool:
        """Whether a failing vector is one of its."""
        of_row: dict[str, Iterable[str]] = {
            "verdicts": (row.verdict.value,),
            "operators": (row.operator,),
            "requirements": row.covers,
            "types": row.types.values(),
            "forms": (row.form,),
            "vectors": (row.kind.value,),
        }
        if any(found.isdisjoint(of_row[key]) for key, found in self.lists.items() if key != "ids"):
            return False
        patterns = self.lists.get("ids")
        if patterns and not any(row.id in ids.matching(pattern) for pattern in patterns):
            return False
        if self.listed and not _expected(self.listed).lists(row.id, row.verdict):
            return False
        return re.search(self.says, row.message) is not None


@cache
def _expected(backend: str) -> Expectations:
    """What the baseline of a backend of ours lists."""
    corpus = open_corpus(ROOT / "vectors" / "standard")
    baseline = read_baseline(ROOT / "baselines" / f"{backend}.yaml")
    return expectations_of(baseline, corpus.entries, corpus.withdrawn)


def known_causes(path: Path) -> tuple[Known, ...]:
    """The causes of a file, in its order; BadInputError names the line of what is wrong."""
    root = read_yaml(path).mapping(("format", "causes"), ())
    if root["format"].integer() != 1:
        raise root["format"].error("only format 1 is known")
    return tuple(_known(node) for node in root["causes"].sequence())


def _known(node: Node) -> Known:
    found = node.mapping(("cause", "kind", "verdicts"), ("link", "says", "listed", *_LISTS[1:]))
    kind = found["kind"].one_of(tuple(KINDS), "kind")
    if (kind == "finding") != ("link" in found):
        raise node.error("a finding has a link, and nothing else has one")
    lists = {
        key: frozenset(item.string() for item in found[key].sequence())
        for key in _LISTS
        if key in found
    }
    for item in found["verdicts"].sequence():
        item.one_of(VERDICTS, "verdict")
    link, says, listed = (
        found[key].string() if key in found else "" for key in ("link", "says", "listed")
    )
    return Known(found["cause"].string(), kind, link, says, listed, lists, node.file, node.line)


def explained(known: Sequence[Known], results: Results) -> tuple[dict[Known, list[Row]], list[Row]]:
    """The failing vectors of each cause, and those that nothing explains."""
    rows = [row for row in results.rows if not row.passed]
    ids = IdIndex(row.id for row in rows)
    found: dict[Known, list[Row]] = {item: [] for item in known}
    left = []
    for row in rows:
        cause = next((item for item in known if item.fits(row, ids)), None)
        if cause is None:
            left.append(row)
        else:
            found[cause].append(row)
    return found, left


def idle(found: Mapping[Known, Sequence[Row]]) -> list[Known]:
    """The causes that no vector has."""
    return [item for item, rows in found.items() if not rows]


def page(name: str, results: Results, found: dict[Known, list[Row]]) -> str:
    """The table of a runtime's page."""
    described = results.header.describe
    words = {
        kind: sum(len(rows) for item, rows in found.items() if item.kind == kind) for kind in KINDS
    }
    every = [
        [escaped(item.cause), f"{len(rows):,}", cell(causes_of(rows)[0].example.id), _why(item)]
        for kind in KINDS
        for item, rows in found.items()
        if item.kind == kind and rows
    ]
    part = ", a part ([which](../scoreboard.md#who-was-judged))"
    where = f"{len(results.rows):,} vectors{part if results.header.extra.get('selection') else ''}"
    counted = (
        f"{name} {described.get('version', '')} was run on {where}, and "
        f"{sum(row.passed for row in results.rows):,} pass or take a result that the document "
        f"leaves open. Each of the others is below one of {len(every)} causes:"
    )
    lines = [
        HEADING,
        "",
        counted,
        "",
        *(f"- **{kind}** ({words[kind]:,}): {meaning}." for kind, meaning in KINDS.items()),
        "",
        table(("cause", "vectors", "for example", "what it is"), every),
        "",
    ]
    return "\n".join(lines)


def _why(item: Known) -> str:
    return f"[finding]({item.link.removeprefix('docs/findings/')})" if item.link else item.kind


def main() -> int:
    """Print what is not explained, and renew the page where asked; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", help="the runtime, as its files are called")
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="renew docs/findings/NAME.md")
    arguments = parser.parse_args()
    try:
        known = known_causes(KNOWN / f"{arguments.name}.yaml")
        (results,) = merge(read_sources(arguments.results))
        found, left = explained(known, results)
    except BadInputError as error:
        print(error, file=sys.stderr)
        return 3
    # Of a part of the corpus nobody expects every cause.
    empty = [] if results.header.extra.get("selection") else idle(found)
    for item in empty:
        print(f"{item.file}:{item.line}: no vector has this cause: {item.cause}", file=sys.stderr)
    clusters = causes_of(left, results.rows)
    for cluster in clusters:
        example = cluster.example
        print(
            f"{cluster.verdict.value} {len(cluster.rows)} {','.join(cluster.operators[:4])}"
            f" | {cluster.common} | {example.id} | {example.message[:300]}"
        )
    every = len(causes_of([row for row in results.rows if not row.passed], results.rows))
    print(f"{every} clusters; {len(clusters)} of {len(left)} vectors are not explained")
    if arguments.write:
        path = PAGES / f"{arguments.name}.md"
        before = path.read_text("utf-8").partition(HEADING)[0].rstrip()
        write_whole(path, f"{before}\n\n{page(arguments.name, results, found)}")
    return 1 if left or empty else 0


if __name__ == "__main__":
    sys.exit(main())
