from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pytest
from places import ROOT
from small_corpus import small_vector, write_corpus

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.errors import IncompleteError, UsageError
from onnx_conformance.validator.results.file_format import ResultsWriter
from onnx_conformance.validator.results.records import Header, Row
from onnx_conformance.validator.running.selecting import (
    Selection,
    add_arguments,
    from_arguments,
    parse_shard,
    select,
    shard_of,
)

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.core.corpus.corpus import Corpus

VECTORS = (
    small_vector("shape-13/whole/float32"),
    small_vector("shape-15/clip_start/float32", opset=18),
    small_vector("shape-15/clip_start/int8.initializer"),
    small_vector("reshape-14/zero_dim/float32", types={"T": "float32", "S": "bfloat16"}),
    small_vector("reshape-14/two_inferred/float32", "invalid"),
    small_vector("reshape-14/open/float32", "latitude"),
)
IDS = tuple(vector.id for vector in VECTORS)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return write_corpus(tmp_path_factory.mktemp("corpus"), VECTORS)


def parsed(*words: str) -> Selection:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return from_arguments(parser.parse_args(words))


def selected(corpus: Corpus, *words: str) -> tuple[int, ...]:
    return tuple(IDS.index(entry.id) for entry in select(corpus, parsed(*words)))


@pytest.mark.parametrize(
    ("words", "taken"),
    [
        ("", (0, 1, 2, 3, 4, 5)),
        ("reshape-14/*", (3, 4, 5)),
        ("*/clip_start/* shape-13", (0, 1, 2)),
        ("--operator reshape", (3, 4, 5)),
        ("--operator Shape", (0, 1, 2)),
        ("--operator SHAPE --operator reshape", (0, 1, 2, 3, 4, 5)),
        ("--since-version 13 --since-version 14", (0, 3, 4, 5)),
        ("--opset 18", (1,)),
        ("--type int8", (2,)),
        ("--type bfloat16", (3,)),
        ("--form initializer", (2,)),
        ("--requirement requirement-of-clip_start", (1, 2)),
        ("--kind invalid --kind latitude", (4, 5)),
        ("--operator Shape --type float32", (0, 1)),
        ("shape-15/* --form initializer --type int8", (2,)),
    ],
)
def test_a_selection_takes_what_it_says(corpus: Corpus, words: str, taken: tuple[int, ...]) -> None:
    assert taken == selected(corpus, *words.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "shape-15/* reshape-14/zero_dmi",
            (
                "'reshape-14/zero_dmi' matches no vector:"
                " nothing below 'reshape-14' is called 'zero_dmi'; did you mean zero_dim?"
            ),
        ),
        (
            "--operator Reshap",
            "--operator Reshap takes none of 6 vectors; did you mean reshape or shape?",
        ),
        ("--since-version 99", "--since-version 99 takes none of 6 vectors; there are 13, 14, 15"),
        (
            "shape-15 --type float16",
            "--type float16 takes none of 2 vectors; did you mean float32?",
        ),
        (
            "--form initialiser",
            "--form initialiser takes none of 6 vectors; did you mean initializer?",
        ),
        ("shape-15 --kind invalid", "--kind invalid takes none of 2 vectors; did you mean valid?"),
        (
            "--operator ReduceSum",
            "--operator ReduceSum takes none of 6 vectors; there are reshape, shape",
        ),
        (
            "--operator Shape --operator Size",
            "--operator Size takes none of 6 vectors; there are reshape, shape",
        ),
    ],
)
def test_a_part_that_takes_nothing_is_named(corpus: Corpus, words: str, message: str) -> None:
    with pytest.raises(IncompleteError) as caught:
        selected(corpus, *words.split())
    assert message == str(caught.value).partition("; this corpus has no vectors of")[0]


def test_a_corpus_without_vectors_is_incomplete(tmp_path: Path) -> None:
    with pytest.raises(IncompleteError):
        select(write_corpus(tmp_path, ()), Selection())


def test_small_vectors_alone_and_all_of_them(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path, VECTORS)
    large = corpus.entries[IDS[1]]
    (large.directory / "model.onnx").write_bytes(bytes(16_385))
    assert (0, 2, 3, 4, 5) == selected(corpus, "--size", "small")
    assert (0, 1, 2, 3, 4, 5) == selected(corpus, "--size", "all")
    with pytest.raises(IncompleteError, match="--size small takes none of 1 vectors"):
        selected(corpus, IDS[1], "--size", "small")


def test_the_header_says_that_only_small_ones_were_asked_for() -> None:
    assert {"size": "small"} == parsed("--size", "small").to_json()
    assert {} == parsed("--size", "all").to_json()


def test_shards_are_disjoint_and_together_complete(corpus: Corpus) -> None:
    shards = [entry.id for part in (1, 2) for entry in select(corpus, Selection(shard=(part, 2)))]
    assert sorted(IDS) == sorted(shards)


def test_a_shard_is_stable_for_ever() -> None:
    assert [3, 2, 1, 3] == [
        shard_of(vector_id, 4)
        for vector_id in (
            "shape-15/clip_start/float32",
            "shape-15/clip_start/int8",
            "reshape-14/zero_dim/float32",
            "size-13/scalar/bool",
        )
    ]


def test_an_empty_shard_is_incomplete(corpus: Corpus) -> None:
    vector_id = "shape-13/whole/float32"
    other = next(part for part in range(1, 4) if part != shard_of(vector_id, 3))
    with pytest.raises(IncompleteError) as caught:
        selected(corpus, vector_id, "--shard", f"{other}/3")
    assert f"--shard {other}/3 has none of the 1 selected vectors" in str(caught.value)


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "a/b", "1/", "-1/2", "1/2/3"])
def test_a_malformed_shard_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError):
        parse_shard(text)


def write_results(path: Path, verdicts: dict[str, str], *lost: str) -> Path:
    with path.open("w") as stream:
        writer = ResultsWriter(stream)
        writer.header(Header("b", {}, {}, (*verdicts, *lost)))
        for vector_id, verdict in verdicts.items():
            writer.row(Row(vector_id, verdict, None, "", 0.0))
        writer.footer()
    return path


@pytest.mark.parametrize(("name", "ours"), [("float", "float32"), ("FLOAT", "float32")])
def test_a_type_may_be_called_as_onnx_calls_it(corpus: Corpus, name: str, ours: str) -> None:
    assert selected(corpus, "--type", ours) == selected(corpus, "--type", name)


def test_an_operator_of_onnx_without_vectors_is_told_where_its_cases_are(corpus: Corpus) -> None:
    with pytest.raises(IncompleteError, match="no vectors of Conv: `onnx-vectors import onnx"):
        selected(corpus, "--operator", "conv")
    with pytest.raises(IncompleteError) as caught:
        selected(corpus, "--operator", "Covn")
    assert "import onnx" not in str(caught.value)


def test_what_failed_before_is_selected_again(corpus: Corpus, tmp_path: Path) -> None:
    results = write_results(
        tmp_path / "old.jsonl", {IDS[0]: "pass", IDS[1]: "rejected", IDS[4]: "inconclusive"}
    )
    assert (1, 4) == selected(corpus, "--failed-in", str(results))


def test_what_has_no_verdict_is_selected_with_what_failed(corpus: Corpus, tmp_path: Path) -> None:
    results = write_results(tmp_path / "old.jsonl", {IDS[0]: "pass", IDS[1]: "rejected"}, IDS[2])
    assert (1, 2) == selected(corpus, "--failed-in", str(results))


def test_nothing_failed_before_is_said_so(corpus: Corpus, tmp_path: Path) -> None:
    results = write_results(tmp_path / "old.jsonl", {IDS[0]: "pass"})
    with pytest.raises(IncompleteError) as caught:
        selected(corpus, "--failed-in", str(results))
    assert "every vector passed" in str(caught.value)


def test_metadata_is_not_read_for_patterns_kinds_operators_and_versions(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path, VECTORS)
    for entry in corpus.entries.values():
        (entry.directory / "data.json").unlink()
    assert (3,) == selected(
        corpus, "*/*", "--kind", "valid", "--operator", "Reshape", "--since-version", "14"
    )


def test_a_selection_is_kept_in_words_for_the_results_header() -> None:
    selection = Selection(patterns=("a/*",), failed=frozenset({"x", "y"}), shard=(1, 2))
    assert {"patterns": ["a/*"], "failed": 2, "shard": [1, 2]} == selection.to_json()


def test_a_family_selects_its_operators() -> None:
    corpus = open_corpus(ROOT / "vectors")
    taken = select(corpus, Selection(families=("Pooling",)))
    operators = {entry.id.split("-")[0] for entry in taken}
    assert operators
    assert operators <= {
        *("averagepool", "globalaveragepool", "globallppool", "globalmaxpool", "lppool"),
        *("maxpool", "maxroipool", "maxunpool", "roialign"),
    }


def test_an_unknown_family_is_named_with_similar_ones() -> None:
    corpus = open_corpus(ROOT / "vectors")
    with pytest.raises(IncompleteError, match=r"--family poling .*did you mean pooling\?"):
        select(corpus, Selection(families=("poling",)))


def test_newest_is_the_highest_version_of_each_operator(corpus: Corpus) -> None:
    found = {entry.id for entry in select(corpus, Selection(newest=True))}
    assert set(IDS) - {"shape-13/whole/float32"} == found
