"""docs/accuracy.md: how near runtimes come, from results files alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import sample_results as sample
from committed_corpus import VECTORS
from tools.accuracy import page as accuracy_page

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.validator.reports.facts.profiles_met import Accuracy
from onnx_conformance.validator.results.records import DIGITS

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results

CORPUS = open_corpus(VECTORS)
EXP = "exp-13/{}/float32"


def results(path: Path, backend: str, measured: dict[str, tuple[str, float | None]]) -> Results:
    """A run in which vectors of Exp, by case, meet a profile with a part of the bound."""
    rows = [
        sample.row(
            EXP.format(case),
            "pass",
            details={"met": met} | ({} if used is None else {"used": used}),
        )
        for case, (met, used) in measured.items()
    ]
    return sample.write(path, sample.header(backend, [row.id for row in rows]), rows)


def test_a_line_has_the_tightest_profile_and_the_largest_part_of_each_runtime(
    tmp_path: Path,
) -> None:
    near = results(tmp_path / "a.jsonl", "near", {"a": ("exact", 0.0), "b": ("ieee", 0.25)})
    far = results(tmp_path / "b.jsonl", "far", {"a": ("gpu", 1.9), "b": ("ieee", 0.5)})
    page = accuracy_page.render([near, far])
    assert "| Exp | ieee 0.25 | gpu 1.90, ieee in 1 of 2 |" in page
    assert "| Exp | `far` | gpu | 1.90 | `exp-13/a/float32` |" in page
    assert "| `near` | · | 1 | · | · | · | · | 2, 100.0 % | · | `near 1.0`, 2026-11-21 |" in page
    assert "| `far` | · | · | 1 | · | · | · | 2, 50.0 % | · | `far 1.0`, 2026-11-21 |" in page


def test_the_page_says_how_many_of_the_vectors_with_limits_were_run(tmp_path: Path) -> None:
    some = results(tmp_path / "a.jsonl", "some", {"a": ("ieee", 0.25)})
    every = [EXP.format(case) for case in "abc"]
    assert "| 1, 100.0 % | 1 of 3 | `some 1.0`" in accuracy_page.render([some], every)
    assert "| 1, 100.0 % | all 1 | `some 1.0`" in accuracy_page.render([some], every[:1])


def test_files_that_are_there_already_count_where_they_are_of_the_corpus(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.jsonl"
    results(other, "other", {"a": ("ieee", 0.25)})
    assert not accuracy_page.complete([other], CORPUS)
    assert "other.jsonl: not of this corpus" in capsys.readouterr().err


def ran(
    path: Path, backend: str, ids: list[str], digest: str | None, changed: str | None = None
) -> None:
    """A run of these vectors that has ended, of a corpus with this digest."""
    digests = {item: str(CORPUS.entries[item].digest)[:DIGITS] for item in ids}
    if changed is not None:
        digests[changed] = "0" * DIGITS
    rows = [
        sample.row(item, "pass", digest=digests[item], details={"met": "ieee", "used": 0.5})
        for item in ids
    ]
    header = sample.header(backend, ids)
    facts = {**header.corpus, "version": CORPUS.version, "digest": str(digest)}
    sample.write(path, replace(header, corpus=facts), rows)


def test_an_earlier_corpus_counts_where_the_vectors_are_the_same(
    tmp_path: Path,
) -> None:
    path = tmp_path / "near.jsonl"
    ids = ["exp-13/example/float32", "log-13/example/float32"]
    ran(path, "near", ids, "another", changed=ids[1])
    (found,) = accuracy_page.complete([path], CORPUS)
    assert found.header.planned == ("exp-13/example/float32",)
    assert tuple(row.id for row in found.rows) == ("exp-13/example/float32",)


def test_of_two_runs_of_a_runtime_the_one_with_more_vectors_with_limits_is_on_the_page(
    tmp_path: Path,
) -> None:
    ids = ["exp-13/example/float32", "log-13/example/float32"]
    ran(tmp_path / "brief.jsonl", "near", ids[:1], CORPUS.digest)
    ran(tmp_path / "whole.jsonl", "near", ids, CORPUS.digest)
    found = accuracy_page.measured(CORPUS, ids, [tmp_path])
    (near,) = (item for item in found if item.header.backend == "near")
    assert near.header.planned == tuple(ids)


@pytest.mark.parametrize(
    ("accuracy", "expected"),
    [
        (None, "·"),
        (Accuracy(4, 4), "·"),
        (Accuracy(4, 0, "exact", 0.0), "exact"),
        (Accuracy(4, 1, "ieee", 0.5), "ieee 0.50 (3/4)"),
        (Accuracy(4, 0, "none", 2.3e7, careful=3), "none 2.3e+07, ieee in 3 of 4"),
        (Accuracy(4, 1, "gpu", 1.5, careful=2), "gpu 1.50, ieee in 2 (3/4)"),
        # What decides is a vector without a distance: the number would be of another one.
        (Accuracy(4, 0, "none", 0.75, careful=3), "none, ieee in 3 of 4"),
    ],
)
def test_a_cell_has_no_number_that_does_not_decide(
    accuracy: Accuracy | None, expected: str
) -> None:
    assert accuracy_page.cell(accuracy) == expected


def test_a_wrong_float64_does_not_show_in_float32(tmp_path: Path) -> None:
    rows = [
        sample.row(f"exp-13/{case}", "pass", details={"met": met, "used": used})
        for case, met, used in (
            ("a/float32.symbolic", "ieee", 0.25),
            ("a/float32-int64", "ieee", 0.5),
            ("a/float64", "none", 1e7),
        )
    ]
    run = sample.write(tmp_path / "a.jsonl", sample.header("near", [row.id for row in rows]), rows)
    page = accuracy_page.render([run])
    in_float32, _, in_all = page.partition("## By operator, in every type")
    assert "| Exp | ieee 0.50 |" in in_float32
    assert "| Exp | none 1.0e+07, ieee in 2 of 3 |" in in_all


def test_a_hundred_per_cent_of_the_vectors_are_all_of_them(tmp_path: Path) -> None:
    met: dict[str, tuple[str, float | None]] = {f"c{n}": ("exact", 0.0) for n in range(2_000)}
    most = results(tmp_path / "a.jsonl", "most", {**met, "far": ("none", 2.0)})
    assert "| 2,001, 99.9 % |" in accuracy_page.render([most])


def test_every_vector_with_limits_is_measured_and_no_other() -> None:
    ids = accuracy_page.with_limits(CORPUS)
    assert "exp-13/example/float32" in ids
    assert not any(item.startswith("reshape-") for item in ids)
