from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sample_results as sample

from onnx_conformance.core.errors import BadInputError, IncompleteError
from onnx_conformance.validator.reports.facts.completeness import gaps
from onnx_conformance.validator.results.merging import merge, natural_order, read_sources, runs_of

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results

A = "shape-15/clip_start/float32"
B = "shape-15/clip_end/float32"
C = "size-13/scalar/int8"


def merged(folder: Path) -> list[Results]:
    return merge(read_sources(sorted(folder.glob("*.jsonl"))))


def test_backends_stand_side_by_side_in_the_order_given(tmp_path: Path) -> None:
    sample.simple(tmp_path / "1.jsonl", "tract", {A: "pass"})
    sample.simple(tmp_path / "2.jsonl", "onnxruntime", {A: "rejected"})
    assert ["tract", "onnxruntime"] == [item.header.backend for item in merged(tmp_path)]


def test_shards_of_one_backend_become_one_column(tmp_path: Path) -> None:
    sample.simple(tmp_path / "1.jsonl", "a", {C: "pass"}, extra={"shard": "1/2"})
    sample.simple(tmp_path / "2.jsonl", "a", {B: "pass", A: "crashed"}, extra={"shard": "2/2"})
    (together,) = merged(tmp_path)
    assert (B, A, C) == together.header.planned
    assert {A: "crashed", B: "pass", C: "pass"} == {row.id: row.verdict for row in together.rows}
    assert [] == gaps(together)


def test_shards_of_one_run_after_another_are_two_runs(tmp_path: Path) -> None:
    for number, (name, shard) in enumerate([(A, "1/2"), (B, "2/2"), (A, "1/2"), (B, "2/2")]):
        verdict = "pass" if number < 2 else "crashed"
        sample.simple(tmp_path / f"{number}.jsonl", "a", {name: verdict}, extra={"shard": shard})
    runs = runs_of(read_sources(sorted(tmp_path.glob("*.jsonl"))))
    found = [{row.id: row.verdict for row in run.rows} for run in runs]
    assert [{A: "pass", B: "pass"}, {A: "crashed", B: "crashed"}] == found


def test_files_of_whole_runs_are_runs_of_their_own(tmp_path: Path) -> None:
    for number in range(2):
        sample.simple(tmp_path / f"{number}.jsonl", "a", {A: "pass"})
    assert 2 == len(runs_of(read_sources(sorted(tmp_path.glob("*.jsonl")))))


def test_requirements_of_all_shards_are_kept(tmp_path: Path) -> None:
    words = {"Shape": {"one": {"text": "1"}}}, {"Shape": {"two": {"text": "2"}}, "Size": {}}
    for number, (vector_id, known) in enumerate(zip((A, B), words, strict=True), 1):
        sample.simple(
            tmp_path / f"{number}.jsonl",
            "a",
            {vector_id: "pass"},
            requirements=known,
            extra={"shard": f"{number}/2"},
        )
    (together,) = merged(tmp_path)
    assert {"one", "two"} == together.header.requirements["Shape"].keys()


def test_a_missing_shard_is_said_to_be_missing(tmp_path: Path) -> None:
    extra = {"shard": "2/3", "selected": 10}
    sample.simple(tmp_path / "1.jsonl", "a", {A: "pass"}, extra=extra)
    (together,) = merged(tmp_path)
    assert gaps(together) == ["2 shards missing (1/3, 3/3): 9 vectors are in no results file"]


def test_a_whole_selection_beside_a_shard_is_refused_with_both_files(tmp_path: Path) -> None:
    sample.simple(tmp_path / "1.jsonl", "a", {A: "pass"}, extra={"shard": "1/3"})
    sample.simple(tmp_path / "2.jsonl", "a", {B: "pass"})
    with pytest.raises(IncompleteError) as caught:
        merged(tmp_path)
    words = str(caught.value)
    assert words.startswith(f"{tmp_path / '2.jsonl'}: is a whole selection, but {tmp_path}")
    assert "1.jsonl is shard 1/3; both are of a: give one selection" in words


def test_shards_that_were_planned_from_another_number_of_vectors_are_refused(
    tmp_path: Path,
) -> None:
    for number, selected in ((1, 2), (2, 3)):
        extra = {"shard": f"{number}/2", "selected": selected}
        sample.simple(tmp_path / f"{number}.jsonl", "a", {A: "pass"}, extra=extra)
    with pytest.raises(IncompleteError, match=r"is a shard of 3 vectors, but .*1\.jsonl of 2"):
        merged(tmp_path)


def test_what_no_shard_planned_is_missing_though_every_shard_is_there(tmp_path: Path) -> None:
    for number, vector_id in enumerate((A, B), 1):
        extra = {"shard": f"{number}/2", "selected": 3}
        sample.simple(tmp_path / f"{number}.jsonl", "a", {vector_id: "pass"}, extra=extra)
    (together,) = merged(tmp_path)
    assert ["1 selected vector in none of the shards"] == gaps(together)


@pytest.mark.parametrize("part", [{C: "pass"}, {B: "pass"}])
def test_runs_of_two_selections_are_refused(tmp_path: Path, part: dict[str, str]) -> None:
    sample.simple(tmp_path / "1.jsonl", "a", {A: "pass", B: "pass"})
    sample.simple(tmp_path / "2.jsonl", "a", part)
    with pytest.raises(IncompleteError, match=r"2\.jsonl: was planned with other vectors than"):
        merged(tmp_path)


def test_a_planned_vector_without_a_verdict_is_said_to_lack_one(tmp_path: Path) -> None:
    sample.write(tmp_path / "1.jsonl", sample.header("a", [A, B]), [sample.row(A)])
    (together,) = merged(tmp_path)
    assert gaps(together) == [f"1 planned vector without a verdict, the first is '{B}'"]


def test_a_verdict_in_another_file_fills_the_gap(tmp_path: Path) -> None:
    sample.write(tmp_path / "1.jsonl", sample.header("a", [A, B]), [sample.row(A)])
    sample.write(tmp_path / "2.jsonl", sample.header("a", [A, B]), [sample.row(B)])
    (together,) = merged(tmp_path)
    assert [] == gaps(together)


def test_files_that_agree_count_a_vector_once(tmp_path: Path) -> None:
    sample.simple(tmp_path / "1.jsonl", "a", {A: "pass", B: "pass"})
    sample.simple(tmp_path / "2.jsonl", "a", {B: "pass", A: "pass"})
    (together,) = merged(tmp_path)
    assert {"pass": 2} == together.counts


def test_contradicting_verdicts_name_the_vector_and_both_files(tmp_path: Path) -> None:
    sample.simple(tmp_path / "1.jsonl", "a", {A: "pass"})
    sample.simple(tmp_path / "2.jsonl", "a", {A: "wrong-value"})
    with pytest.raises(BadInputError) as caught:
        merged(tmp_path)
    assert all(word in str(caught.value) for word in ("1.jsonl", "2.jsonl", A, "wrong-value"))


@pytest.mark.parametrize(
    "corpus",
    [{"version": "2026.12", "digest": "a" * 64}, {"version": "2026.11", "digest": "b" * 64}],
)
def test_other_corpora_are_refused(tmp_path: Path, corpus: dict[str, str]) -> None:
    sample.simple(tmp_path / "1.jsonl", "a", {A: "pass"})
    sample.simple(tmp_path / "2.jsonl", "b", {A: "pass"}, corpus=corpus)
    with pytest.raises(BadInputError, match="onnx-validate compare"):
        merged(tmp_path)


def test_a_manifest_is_not_the_same_corpus_as_none(tmp_path: Path) -> None:
    sample.simple(tmp_path / "1.jsonl", "a", {A: "pass"})
    loose = {"version": "2026.11", "digest": None}
    sample.simple(tmp_path / "2.jsonl", "a", {B: "pass"}, corpus=loose)
    with pytest.raises(BadInputError, match="no manifest"):
        merged(tmp_path)


def test_shards_that_were_cut_differently_are_refused(tmp_path: Path) -> None:
    sample.simple(tmp_path / "1.jsonl", "a", {A: "pass"}, extra={"shard": "1/2"})
    sample.simple(tmp_path / "2.jsonl", "a", {B: "pass"}, extra={"shard": "2/3"})
    with pytest.raises(IncompleteError, match="is one of 3 shards, but"):
        merged(tmp_path)


@pytest.mark.parametrize("shard", ["3/2", "0/2", "a/b", "1"])
def test_a_shard_that_is_none_is_refused(tmp_path: Path, shard: str) -> None:
    sample.simple(tmp_path / "1.jsonl", "a", {A: "pass"}, extra={"shard": shard})
    with pytest.raises(BadInputError, match="is no K/N"):
        merged(tmp_path)


def test_two_versions_of_a_runtime_are_two_columns_named_apart(tmp_path: Path) -> None:
    for version in ("1.30", "1.31"):
        described = {"name": "a", "version": version}
        sample.simple(tmp_path / f"{version}.jsonl", "a", {A: "pass"}, describe=described)
    assert ["a 1.30", "a 1.31"] == [item.header.backend for item in merged(tmp_path)]
    assert ["a", "a"] == [item.header.extra["backend"] for item in merged(tmp_path)]


def test_columns_that_cannot_be_named_apart_are_refused(tmp_path: Path) -> None:
    for number, adapts in enumerate(([], [{"adaptation": "freeze", "reason": "r"}])):
        described = {"name": "a", "version": "1", "adapts": adapts}
        sample.simple(tmp_path / f"{number}.jsonl", "a", {A: "pass"}, describe=described)
    with pytest.raises(BadInputError, match="give each its own name"):
        merged(tmp_path)


def test_a_verdict_that_was_not_planned_is_refused(tmp_path: Path) -> None:
    sample.write(tmp_path / "1.jsonl", sample.header("a", [A]), [sample.row(A), sample.row(B)])
    with pytest.raises(BadInputError, match="which its header lacks"):
        merged(tmp_path)


def test_the_later_of_two_rows_counts_as_after_a_resumed_run(tmp_path: Path) -> None:
    rows = [sample.row(A, "crashed"), sample.row(A)]
    results = sample.write(tmp_path / "1.jsonl", sample.header("a", [A]), rows)
    assert ["pass"] == [row.verdict for row in results.rows]


def test_version_5_comes_before_version_14() -> None:
    ids = ["reshape-14/a/b", "reshape-5/z/z", "odd"]
    assert ["odd", "reshape-5/z/z", "reshape-14/a/b"] == sorted(ids, key=natural_order)
