"""The ledger of witnesses: who counts, what is kept, and where it does not fit the corpus."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

import pytest
import sample_results as sample
from places import ROOT
from small_corpus import small_vector, write_corpus

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.witnesses.alone import (
    ALONE,
    argued,
    corpus_witnesses,
    problems,
    read_alone,
)
from onnx_conformance.core.witnesses.families import families_of
from onnx_conformance.core.witnesses.ledger import LEDGER, Ledger, ledger_text, read_ledger
from onnx_conformance.validator.main import COMMANDS
from onnx_conformance.validator.reports.witnesses import page, sentence
from onnx_conformance.validator.results.witnessing import ledger_of

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.core.corpus.corpus import Corpus
    from onnx_conformance.core.witnesses.alone import CorpusWitnesses
    from onnx_conformance.validator.results.records import Results

STANDARD = ROOT / "vectors" / "standard"
VALID, OTHER = "relu-14/a/float32", "relu-14/b/float32"
INVALID, OPEN = "relu-14/c/float32", "relu-14/d/float32"
KINDS = {INVALID: "invalid", OPEN: "latitude"}


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    ids = (VALID, OTHER, INVALID, OPEN)
    vectors = [
        small_vector(
            item, KINDS.get(item, "valid"), **({"control": VALID} if item == INVALID else {})
        )
        for item in ids
    ]
    return write_corpus(tmp_path / "vectors", vectors)


def column(
    tmp_path: Path, corpus: Corpus, engine: str, *, version: str = "1", **facts: str
) -> Results:
    """A run in which an engine passes everything but what `facts` say of `a` to `d`."""
    rows = [
        sample.row(
            item,
            facts.get(item.split("/")[1], "pass"),
            kind=KINDS.get(item, "valid"),
            taken=facts.get("taken", "any") if item == OPEN else None,
            phase=facts.get("phase", "run") if item == INVALID else None,
            got=facts.get("got") if item == INVALID else None,
        )
        for item in corpus.entries
        if item.split("/")[1] in facts.get("only", "abcd")
    ]
    head = sample.header(
        engine,
        [row.id for row in rows],
        describe={"name": engine, "version": version, "judges": facts.get("judges", "values")},
        corpus={"version": corpus.version, "digest": corpus.digest, "root": "vectors"},
    )
    return sample.write(tmp_path / f"{engine}-{version}.jsonl", head, rows)


def names(ledger: Ledger, corpus: Corpus, vector_id: str) -> list[str]:
    found = ledger.of(vector_id, corpus.entries[vector_id].digest)
    assert found is not None
    return [item.name for item in found.engines]


def witnesses(ledger: Ledger, corpus: Corpus, vector_id: str) -> int:
    found = ledger.of(vector_id, corpus.entries[vector_id].digest)
    assert found is not None
    return found.witnesses


def test_who_passes_a_vector_agrees_with_it(tmp_path: Path, corpus: Corpus) -> None:
    ledger = ledger_of([column(tmp_path, corpus, "one", b="wrong-value")], corpus)
    assert ["one"] == names(ledger, corpus, VALID)
    assert [] == names(ledger, corpus, OTHER)


def test_engines_of_one_family_count_once(tmp_path: Path, corpus: Corpus) -> None:
    columns = [column(tmp_path, corpus, name) for name in ("onnxruntime", "onnxsim", "tract")]
    assert 2 == witnesses(ledger_of(columns, corpus), corpus, VALID)
    assert ("onnxruntime", "tract") == families_of(["onnxruntime", "onnxsim", "tract"])


def test_who_judges_validity_alone_agrees_with_refusals_only(
    tmp_path: Path, corpus: Corpus
) -> None:
    ledger = ledger_of([column(tmp_path, corpus, "judge", judges="validity")], corpus)
    assert [["judge"], [], []] == [names(ledger, corpus, item) for item in (INVALID, VALID, OPEN)]


def test_a_refusal_is_no_witness_of_latitude(tmp_path: Path, corpus: Corpus) -> None:
    ledger = ledger_of([column(tmp_path, corpus, "one", taken="rejected")], corpus)
    assert [] == names(ledger, corpus, OPEN)


@pytest.mark.parametrize(
    ("phase", "got", "expected"),
    [
        ("load", "Fail: [ShapeInferenceError] Incompatible dimensions", "onnx in onnxruntime"),
        ("load", "Type Error: Type 'tensor(uint8)' of input parameter (A)", "onnxruntime"),
        ("run", "Non-zero status code returned while running Upsample node", "onnxruntime"),
    ],
)
def test_onnxruntime_refusing_with_the_library_of_onnx_is_no_second_witness(
    tmp_path: Path, corpus: Corpus, phase: str, got: str, expected: str
) -> None:
    runs = [
        column(tmp_path, corpus, "onnxruntime", phase=phase, got=got),
        column(tmp_path, corpus, "onnx.checker", judges="validity"),
    ]
    ledger = ledger_of(runs, corpus)
    assert {expected, "onnx.checker"} == set(names(ledger, corpus, INVALID))
    assert (1 if expected == "onnx in onnxruntime" else 2) == witnesses(ledger, corpus, INVALID)


def test_the_oracles_are_refused(tmp_path: Path, corpus: Corpus) -> None:
    with pytest.raises(BadInputError, match="it is no witness of them"):
        ledger_of([column(tmp_path, corpus, "oracle")], corpus)


def test_results_of_another_corpus_are_refused(tmp_path: Path, corpus: Corpus) -> None:
    other = sample.simple(tmp_path / "other.jsonl", "one", {VALID: "pass"})
    with pytest.raises(BadInputError, match="of another corpus"):
        ledger_of([other], corpus)


def test_a_run_of_some_vectors_leaves_the_others(tmp_path: Path, corpus: Corpus) -> None:
    first = ledger_of([column(tmp_path, corpus, "one"), column(tmp_path, corpus, "two")], corpus)
    again = column(tmp_path, corpus, "one", only="a", a="wrong-value")
    ledger = ledger_of([again], corpus, first)
    assert ["two"] == names(ledger, corpus, VALID)
    assert ["one", "two"] == names(ledger, corpus, OTHER)


def test_what_an_engine_lacks_on_one_machine_stays_as_another_had_it(
    tmp_path: Path, corpus: Corpus
) -> None:
    first = ledger_of([column(tmp_path, corpus, "one")], corpus)
    again = column(tmp_path, corpus, "one", a="unsupported", b="wrong-value", c="inconclusive")
    ledger = ledger_of([again], corpus, first)
    assert [["one"], [], ["one"]] == [names(ledger, corpus, i) for i in (VALID, OTHER, INVALID)]


def test_another_version_replaces_all_of_an_engine(tmp_path: Path, corpus: Corpus) -> None:
    first = ledger_of([column(tmp_path, corpus, "one"), column(tmp_path, corpus, "two")], corpus)
    newer = column(tmp_path, corpus, "one", version="2", only="a")
    ledger = ledger_of([newer], corpus, first)
    assert ["two"] == names(ledger, corpus, OTHER)
    assert ["one 2", "two 1"] == [str(item) for item in ledger.engines]


def test_a_ledger_is_read_as_it_was_written(tmp_path: Path, corpus: Corpus) -> None:
    ledger = ledger_of([column(tmp_path, corpus, "one", b="rejected")], corpus)
    path = tmp_path / "ledger.json"
    path.write_text(ledger_text(ledger))
    assert ledger == read_ledger(path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("format", 2),
        ("vectors", {"relu-14": {"a": "abc"}}),
        ("vectors", {"relu-14": {"b": "abcd"}}),
        ("vectors", {"relu-14": {"a": "abcd", "": "abcd"}}),
        ("engines", []),
    ],
)
def test_a_damaged_ledger_is_said_in_one_line(tmp_path: Path, key: str, value: object) -> None:
    path = tmp_path / "ledger.json"
    document = {
        "format": 1,
        "corpus": "1",
        "engines": {"a": {"name": "one", "version": "1"}},
        "vectors": {"relu-14": {"a": "abcd"}},
    }
    path.write_text(json.dumps({**document, key: value}))
    with pytest.raises(BadInputError, match="is no ledger of witnesses"):
        read_ledger(path)


# --- vectors that nobody agrees with ---------------------------------------------------------


def complaints(tmp_path: Path, corpus: Corpus, text: str, **facts: str) -> list[str]:
    ledger = ledger_of([column(tmp_path, corpus, "one", **facts)], corpus)
    path = tmp_path / "alone.yaml"
    path.write_text(text)
    return list(problems(corpus_witnesses(ledger, corpus.entries.values()), read_alone(path)))


ARGUED = """unargued: 0
alone:
  - ids: [{ids}]
    vectors: {vectors}
    read: {{document: Relu-14, part: Summary}}
    why: The page says so.
"""


def test_an_argument_serves_the_vectors_that_it_names(tmp_path: Path, corpus: Corpus) -> None:
    assert [] == complaints(
        tmp_path, corpus, ARGUED.format(ids='"relu-14/b/*"', vectors=1), b="wrong-value"
    )


def test_a_vector_without_witness_and_argument_is_refused(tmp_path: Path, corpus: Corpus) -> None:
    (line,) = complaints(tmp_path, corpus, "unargued: 0\nalone: []\n", b="wrong-value")
    assert line.startswith(f"{tmp_path / 'alone.yaml'}:1: nobody agrees with 1 vector")
    assert OTHER in line


def test_the_count_of_what_is_not_argued_must_follow_when_it_falls(
    tmp_path: Path, corpus: Corpus
) -> None:
    (line,) = complaints(tmp_path, corpus, "unargued: 1\nalone: []\n")
    assert "write that number instead of 1" in line


def test_an_argument_for_what_has_a_witness_is_stale(tmp_path: Path, corpus: Corpus) -> None:
    line, _ = complaints(tmp_path, corpus, ARGUED.format(ids='"relu-14/a/*"', vectors=1))
    assert "names no vector without a witness (any more)" in line


def test_a_pattern_takes_in_no_further_vector_unread(tmp_path: Path, corpus: Corpus) -> None:
    text = ARGUED.format(ids='"relu-14"', vectors=1)
    (line,) = complaints(tmp_path, corpus, text, a="wrong-value", b="wrong-value")
    assert "is about 2 vectors that nobody agrees with, and says 1" in line


def test_a_vector_that_changed_has_no_row(tmp_path: Path, corpus: Corpus) -> None:
    ledger = ledger_of([column(tmp_path, corpus, "one")], corpus)
    changed = write_corpus(tmp_path / "changed", [small_vector(VALID, purpose="another")])
    found = corpus_witnesses(ledger, changed.entries.values())
    assert (VALID,) == found.unknown
    path = tmp_path / "alone.yaml"
    path.write_text("unargued: 0\nalone: []\n")
    (line,) = problems(found, read_alone(path))
    assert line.startswith("the ledger of witnesses knows nothing of 1 vector")


def test_latitude_needs_no_argument(tmp_path: Path, corpus: Corpus) -> None:
    assert [] == complaints(tmp_path, corpus, "unargued: 0\nalone: []\n", taken="rejected")


# --- the command -----------------------------------------------------------------------------


def call(*words: object) -> int:
    return dispatch("onnx-validate", "", COMMANDS, [str(word) for word in words])


def test_the_command_writes_a_ledger_and_says_what_it_holds(
    tmp_path: Path, corpus: Corpus, capsys: pytest.CaptureFixture[str]
) -> None:
    column(tmp_path, corpus, "one", b="wrong-value")
    path = tmp_path / "ledger.json"
    results = tmp_path / "one-1.jsonl"
    assert 0 == call("witnesses", results, "--write", path, "--vectors", corpus.root)
    assert "one 1 (one) agrees with 3, and alone with 3" in capsys.readouterr().out
    assert ["one"] == names(read_ledger(path), corpus, VALID)


def test_the_command_lists_what_nobody_agrees_with(
    tmp_path: Path, corpus: Corpus, capsys: pytest.CaptureFixture[str]
) -> None:
    column(tmp_path, corpus, "one", b="wrong-value")
    assert 0 == call("witnesses", tmp_path / "one-1.jsonl", "--alone", "--vectors", corpus.root)
    assert f"{OTHER}\n" == capsys.readouterr().out


def test_vectors_without_a_row_are_loud(
    tmp_path: Path, corpus: Corpus, capsys: pytest.CaptureFixture[str]
) -> None:
    column(tmp_path, corpus, "one", only="a")
    assert 5 == call("witnesses", tmp_path / "one-1.jsonl", "--vectors", corpus.root)
    assert "3 vectors of" in capsys.readouterr().err


def test_writing_needs_results(tmp_path: Path, corpus: Corpus) -> None:
    assert 2 == call("witnesses", "--write", tmp_path / "x.json", "--vectors", corpus.root)


# --- what comes along ------------------------------------------------------------------------


@cache
def published() -> tuple[Corpus, Ledger, CorpusWitnesses]:
    """The corpus, its ledger, and both together: the three are read once."""
    corpus, ledger = open_corpus(STANDARD), read_ledger(LEDGER)
    return corpus, ledger, corpus_witnesses(ledger, corpus.entries.values())


def test_the_ledger_and_the_arguments_fit_the_corpus() -> None:
    _, _, found = published()
    assert [] == list(problems(found, read_alone(ALONE)))


def test_the_page_and_the_sentence_of_readme_are_up_to_date() -> None:
    corpus, ledger, found = published()
    alone = read_alone(ALONE)
    assert page(ledger, corpus, found, alone) == (ROOT / "docs/witnesses.md").read_text("utf-8")
    assert sentence(corpus, found) in " ".join((ROOT / "README.md").read_text("utf-8").split())


def test_each_argument_names_its_page_and_reason() -> None:
    alone, (_, _, found) = read_alone(ALONE), published()
    assert all(
        item.document and item.part and item.why for item in argued(alone, found.alone).values()
    )
