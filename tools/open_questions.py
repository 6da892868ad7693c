"""What runtimes make of each open question of the specs: `core/witnesses/open_questions.json`.

    python -m tools.open_questions RESULTS... --vectors build/vectors

A latitude vector gives, with each result that it permits, the reasons of the readings that permit
it. A question is asked by a vector in which a reading of it has its name in a label and its reason
beside it. Results of latitude vectors alone are enough (`onnx-validate run --kind latitude`).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.corpus.vectors import Kind, Permitted, Vector
from onnx_conformance.core.files import write_whole
from onnx_conformance.core.witnesses.readings import (
    LEDGER,
    NONE_OF_THESE,
    Asked,
    OpenLedger,
    open_ledger_text,
)
from onnx_conformance.generators.specs.reading import OTHER_FILES
from onnx_conformance.generators.specs.statements import OpenQuestion
from onnx_conformance.generators.specs.statements_reading import questions_of_file
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.results.file_format import read_results
from onnx_conformance.validator.results.merging import natural_order
from onnx_conformance.validator.results.records import Results, Row
from onnx_conformance.validator.results.witnessing import engine_of

SPECS = Path(__file__).parents[1] / "specs"
_SILENT = {Verdict.UNSUPPORTED, Verdict.INCONCLUSIVE}
_EITHER = "either"


def reading_of(question: OpenQuestion, item: Permitted) -> str | None:
    """The reading of a question that a permitted result takes; None if it takes none of them.

    A question about single elements has no names in labels: `choice_2` is its second choice.
    """
    if question.id == _EITHER and item.reason == question.text:
        return item.taken
    label = item.taken.replace("_", "-")
    for name, reason in question.readings.items():
        if name in label and reason in item.reason:
            return name
    return None


def asked_by(vector: Vector, questions: Mapping[str, OpenQuestion]) -> Iterator[OpenQuestion]:
    """The questions that a vector asks: those of which two results take other readings."""
    for question in questions.values():
        taken = {reading_of(question, item) for item in vector.permitted}
        if len(taken - {None}) > 1:
            yield question


def answer_of(row: Row, vector: Vector, question: OpenQuestion) -> str | None:
    """The reading that a runtime took; None where its verdict says nothing of it."""
    if row.verdict in _SILENT:
        return None
    if not row.passed:
        return NONE_OF_THESE
    item = next((item for item in vector.permitted if item.taken == row.taken), None)
    return None if item is None else reading_of(question, item)


def ledger_of(
    columns: Sequence[Results],
    vectors: Iterable[Vector],
    questions: Mapping[str, Mapping[str, OpenQuestion]],
    corpus: str,
) -> OpenLedger:
    """The ledger of some runs; vectors are those of kind latitude, questions by operator in ids."""
    rows = [{row.id: row for row in column.rows} for column in columns]
    asking: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    taken: defaultdict[tuple[str, str], list[Counter[str]]] = defaultdict(
        lambda: [Counter() for _ in columns]
    )
    for vector in vectors:
        slug = vector.id.partition("/")[0].rpartition("-")[0]
        for question in asked_by(vector, questions.get(slug, {})):
            key = slug, question.id
            asking[key].append(vector.id)
            for place, of_one in enumerate(rows):
                if vector.id in of_one:
                    answer = answer_of(of_one[vector.id], vector, question)
                    if answer is not None:
                        taken[key][place][answer] += 1
    found: dict[str, dict[str, Asked]] = {}
    for slug, name in sorted(asking):
        ids = asking[slug, name]
        answers = tuple(dict(sorted(item.items())) for item in taken[slug, name])
        found.setdefault(slug, {})[name] = Asked(len(ids), _example(ids), answers)
    return OpenLedger(corpus, tuple(engine_of(item) for item in columns), found)


def _example(ids: Sequence[str]) -> str:
    """The id of a vector of the newest version, in the plain form where there is one."""
    return min(
        sorted(ids, key=natural_order, reverse=True),
        key=lambda item: (
            "." in item.rpartition("/")[2],
            -int(item.split("/")[0].rpartition("-")[2]),
        ),
    )


def main() -> int:
    """Write the ledger."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("results", nargs="+", type=Path, help="results files, one of each runtime")
    parser.add_argument("--vectors", type=Path, default=Path("build/vectors"))
    arguments = parser.parse_args()
    corpus = open_corpus(arguments.vectors)
    columns = [read_results(path) for path in arguments.results]
    for path, column in zip(arguments.results, columns, strict=True):
        if column.header.corpus.get("digest") != corpus.digest:
            print(f"{path}: is of another corpus than {corpus.root}", file=sys.stderr)
            return 3
    vectors = (load(item).vector for item in corpus.entries.values() if item.kind is Kind.LATITUDE)
    questions = {
        path.stem: questions_of_file(path)[1]
        for path in SPECS.glob("*.yaml")
        if path.name not in OTHER_FILES
    }
    write_whole(LEDGER, open_ledger_text(ledger_of(columns, vectors, questions, corpus.version)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
