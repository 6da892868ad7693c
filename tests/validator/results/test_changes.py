from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import sample_results as sample

from onnx_conformance.validator.reports.comparison import (
    remarks,
    render_markdown,
    render_text,
    summary,
)
from onnx_conformance.validator.results.changes import changes_between

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.results.changes import RunChanges
    from onnx_conformance.validator.results.records import Results

A = "shape-15/clip_start/float32"
B = "shape-15/clip_end/float32"


def held(folder: Path, old: dict[str, str], new: dict[str, str], **facts: object) -> RunChanges:
    return changes_between(
        sample.simple(folder / "old.jsonl", "a", old),
        sample.simple(folder / "new.jsonl", "a", new, **facts),
    )


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ("pass", "wrong-value", "broken"),
        ("pass", "unsupported", "broken"),
        ("wrong-value", "pass", "fixed"),
        ("crashed", "pass", "fixed"),
        ("unsupported", "pass", "newly-supported"),
        ("inconclusive", "pass", "newly-supported"),
        ("rejected", "crashed", "changed"),
        ("wrong-type", "unsupported", "changed"),
        ("error", "pass", "changed"),
        ("unsupported", "wrong-type", "newly-wrong"),
        ("inconclusive", "crashed", "newly-wrong"),
    ],
)
def test_a_change_has_its_name(tmp_path: Path, old: str, new: str, change: str) -> None:
    found = held(tmp_path, {A: old}, {A: new})
    assert [(A, change)] == [(item.id, item.change) for item in found.differences]


def test_what_stayed_the_same_is_counted(tmp_path: Path) -> None:
    found = held(tmp_path, {A: "pass", B: "rejected"}, {A: "pass", B: "rejected"})
    assert ((), 2) == (found.differences, found.same)


OTHER_CORPUS = {"version": "2026.12", "digest": "b" * 64, "root": "vectors"}


def named(old: Results, new: Results) -> dict[str, str]:
    return {item.id: item.change for item in changes_between(old, new).differences}


def test_what_a_narrower_run_of_the_same_corpus_lacks_was_not_run(tmp_path: Path) -> None:
    found = held(tmp_path, {A: "pass"}, {B: "wrong-value"})
    assert [(B, "added"), (A, "not-run")] == [(item.id, item.change) for item in found.differences]
    assert "1 vector of the earlier run was not run: select the same" in render_text(found)


def test_what_another_corpus_lacks_is_withdrawn(tmp_path: Path) -> None:
    old = sample.simple(tmp_path / "old.jsonl", "a", {A: "pass", B: "pass"})
    new = sample.simple(tmp_path / "new.jsonl", "a", {B: "pass"}, corpus=OTHER_CORPUS)
    assert {A: "withdrawn"} == named(old, new)
    assert not changes_between(old, new).not_run


@pytest.mark.parametrize(
    "extra",
    [{"selection": {"operators": ["Size"]}}, {"profile": {"claims": {"operators": ["Size"]}}}],
)
def test_what_a_narrower_run_of_another_corpus_lacks_was_not_run(
    tmp_path: Path, extra: dict[str, Any]
) -> None:
    old = sample.simple(tmp_path / "old.jsonl", "a", {A: "pass", B: "pass"})
    new = sample.simple(tmp_path / "new.jsonl", "a", {B: "pass"}, corpus=OTHER_CORPUS, extra=extra)
    assert {A: "not-run"} == named(old, new)


def test_a_pass_that_has_no_verdict_any_more_is_broken(tmp_path: Path) -> None:
    old = sample.simple(tmp_path / "old.jsonl", "a", {A: "pass"})
    new = sample.write(tmp_path / "new.jsonl", sample.header("a", [A]), [])
    assert ["broken"] == [item.change for item in changes_between(old, new).differences]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"verdict": "pass", "taken": "a"}, {"verdict": "pass", "taken": "b"}),
        ({"verdict": "rejected", "phase": "load"}, {"verdict": "rejected", "phase": "run"}),
    ],
)
def test_another_way_of_the_same_verdict_is_a_change(
    tmp_path: Path, old: dict[str, str], new: dict[str, str]
) -> None:
    head = sample.header("a", [A])
    before = sample.write(tmp_path / "old.jsonl", head, [sample.row(A, **old)])
    after = sample.write(tmp_path / "new.jsonl", head, [sample.row(A, **new)])
    assert ["changed"] == [item.change for item in changes_between(before, after).differences]


def test_where_a_passing_runtime_rejects_is_its_own_affair(tmp_path: Path) -> None:
    head = sample.header("a", [A])
    before = sample.write(tmp_path / "old.jsonl", head, [sample.row(A, phase="load")])
    after = sample.write(tmp_path / "new.jsonl", head, [sample.row(A, phase="run")])
    assert 1 == changes_between(before, after).same


def test_the_text_says_what_broke_and_how_to_see_it(tmp_path: Path) -> None:
    text = render_text(held(tmp_path, {A: "pass"}, {A: "wrong-value"}))
    assert [
        f"    {A}: pass → wrong-value: wrong-value happened",
        f"    run one alone: onnx-validate run --backend a '{A}'",
    ] == text.splitlines()[-4:-2]


def test_what_broke_alike_is_one_line(tmp_path: Path) -> None:
    ids = [f"shape-15/clip_start/{name}" for name in ("int8", "int16", "int32", "int64")]
    found = held(tmp_path, dict.fromkeys(ids, "pass"), dict.fromkeys(ids, "crashed"))
    text = render_text(found)
    assert 1 == text.count("pass → crashed")
    assert "        and 3 more like it: " in text


def test_what_is_fixed_is_put_together_by_what_was_wrong(tmp_path: Path) -> None:
    found = held(tmp_path, {A: "crashed", B: "crashed"}, {A: "pass", B: "pass"})
    assert 1 == render_text(found).count("crashed → pass")


def test_the_summary_counts_each_change(tmp_path: Path) -> None:
    found = held(tmp_path, {A: "pass"}, {A: "crashed", B: "pass"})
    expected = (
        "1 broken, 0 newly-wrong, 0 fixed, 0 newly-supported, 0 changed, 1 added, 0 not-run,"
        " 0 withdrawn, 0 the same"
    )
    assert expected == summary(found)


def test_a_long_list_is_cut_and_counted(tmp_path: Path) -> None:
    verdicts = ("crashed", "rejected", "timed-out", "timed-out", "timed-out")
    after = {f"shape-15/case_{number}/int8": item for number, item in enumerate(verdicts)}
    found = held(tmp_path, dict.fromkeys(after, "pass"), after)
    assert "    and 2 more vectors" in render_text(found, limit=1).splitlines()
    assert "… and 2 more" in render_markdown(found, limit=1)


def test_other_corpora_are_remarked(tmp_path: Path) -> None:
    corpus = {"version": "2026.12", "digest": "b" * 64}
    (remark,) = remarks(held(tmp_path, {A: "pass"}, {A: "pass"}, corpus=corpus))
    assert "a change may be the vector's" in remark


def test_another_selection_of_the_same_corpus_is_remarked(tmp_path: Path) -> None:
    remark, not_run = remarks(held(tmp_path, {A: "pass", B: "pass"}, {A: "pass"}))
    assert "another selection" in remark
    assert "1 vector of the earlier run was not run" in not_run


def test_another_backend_is_remarked(tmp_path: Path) -> None:
    old = sample.simple(tmp_path / "old.jsonl", "a", {A: "pass"})
    new = sample.simple(tmp_path / "new.jsonl", "b", {A: "pass"})
    assert ["the runs are of different backends, a and b"] == remarks(changes_between(old, new))


def test_markdown_has_a_table_of_each_change(tmp_path: Path) -> None:
    text = render_markdown(held(tmp_path, {A: "pass"}, {A: "rejected"}))
    assert "## Broken: 1 vector" in text
    assert f"| `{A}` | 1 | `pass` | `rejected` | `rejected happened` |" in text
