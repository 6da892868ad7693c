"""Which operator versions no gated runtime has, and whether their specs say what replaces one.

    python -m tools.second_sources build/reference.jsonl build/onnxruntime.jsonl

Only the oracle says what a version returns where each run passes fewer than one in ten of its
vectors that have a result. Its spec then has `second_sources` (docs/specs.md); a version that a
runtime has does without. Prints a line for each spec that says otherwise, and exits with 1.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.yaml.reading import read_yaml
from onnx_conformance.generators.specs.reading import OTHER_FILES
from onnx_conformance.validator.results.file_format import read_results
from onnx_conformance.validator.results.records import Results

SPECS = Path(__file__).parents[1] / "specs"
#: A version is a runtime's if it passes at least this share of the vectors that have a result: one
#: or two pass by accident, as where nothing is to be computed.
SHARE = 0.1


def lonely(runs: Iterable[Results]) -> dict[str, frozenset[int]]:
    """The versions that none of these runs has, by operator as in ids.

    Subjects that are no operator (IR, Graphs) have no versions, and are left to the caller.
    """
    asked: set[tuple[str, int]] = set()
    had: set[tuple[str, int]] = set()
    for results in runs:
        total: Counter[tuple[str, int]] = Counter()
        passed: Counter[tuple[str, int]] = Counter()
        for row in results.rows:
            if row.kind != Kind.INVALID:
                key = (row.id.partition("/")[0].rpartition("-")[0], row.since_version)
                total[key] += 1
                passed[key] += row.passed
        asked |= total.keys()
        had |= {key for key, count in total.items() if passed[key] >= SHARE * count}
    found: dict[str, set[int]] = {}
    for slug, version in asked - had:
        found.setdefault(slug, set()).add(version)
    return {slug: frozenset(versions) for slug, versions in found.items()}


def said(specs: Path) -> dict[str, frozenset[int]]:
    """The versions with a second source, by operator as in ids; each operator has an entry."""
    paths = [path for path in specs.glob("*.yaml") if path.name not in OTHER_FILES]
    found = {}
    for path in (*paths, *(specs / "models").glob("*.yaml")):
        keys = read_yaml(path).mapping()
        if path.parent == specs or "version" in keys:
            found[path.stem] = frozenset(
                number.integer()
                for item in (keys["second_sources"].sequence() if "second_sources" in keys else ())
                for number in item.mapping()["versions"].sequence()
            )
    return found


def complaints(
    needed: Mapping[str, frozenset[int]], stated: Mapping[str, frozenset[int]]
) -> Iterator[str]:
    """A line for each version without a second source, and each that needs none."""
    for slug, versions in sorted(stated.items()):
        for number in sorted(needed.get(slug, frozenset()) - versions):
            yield (
                f"{slug}-{number}: no runtime that was run has it; say under `second_sources` of"
                " its spec what the oracle was compared with"
            )
        for number in sorted(versions - needed.get(slug, frozenset())):
            yield (
                f"{slug}-{number}: a runtime that was run has it; take it out of `second_sources`"
                " of its spec"
            )


def main() -> int:
    """Print what is wrong; 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("results", nargs="+", type=Path, help="of runs of all vectors")
    runs = [read_results(path) for path in parser.parse_args().results]
    found = list(complaints(lonely(runs), said(SPECS)))
    for line in found:
        print(f"second sources: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
