"""Shards that take equally long, and their plan."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING

import pytest
import sample_results as sample
from hypothesis import given
from hypothesis import strategies as st
from misbehaviour import CASES, harness, vector_id
from runnable_corpus import runnable_corpus

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.validator.main import main
from onnx_conformance.validator.results.file_format import read_results
from onnx_conformance.validator.running.sharing.shard_plan import ShardPlan, read_plan
from onnx_conformance.validator.running.sharing.times import (
    OVERHEAD,
    Times,
    equal_parts,
    times_of,
    together,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    Output = pytest.CaptureFixture[str]

IDS = st.lists(st.text("abc", min_size=1, max_size=4), unique=True, min_size=1)


@given(IDS, st.integers(1, 5), st.data())
def test_each_vector_is_in_exactly_one_part(
    ids: list[str], parts: int, data: st.DataObject
) -> None:
    seconds = {item: data.draw(st.floats(0, 10)) for item in ids}
    found = equal_parts([(item,) for item in ids], Times(seconds), parts)
    assert parts == len(found)
    assert sorted(ids) == sorted(item for part in found for item in part)


@given(IDS, st.integers(1, 5), st.data())
def test_no_part_takes_longer_than_another_by_more_than_one_group(
    ids: list[str], parts: int, data: st.DataObject
) -> None:
    times = Times({item: data.draw(st.floats(0, 10)) for item in ids})
    loads = [
        sum(map(times.seconds, part)) for part in equal_parts([(i,) for i in ids], times, parts)
    ]
    assert max(loads) <= min(loads) + max(map(times.seconds, ids)) + 1e-9


def test_control_stays_with_the_vectors_that_need_it_and_comes_first() -> None:
    groups = together(["x", "bad", "good", "worse"], {"bad": "good", "worse": "good", "x": "gone"})
    assert [("x",), ("good", "bad", "worse")] == groups


def test_unknown_vector_takes_as_long_as_others_of_its_operator_version(tmp_path: Path) -> None:
    rows = {"shape-15/a/f": 1.0, "shape-15/b/f": 3.0, "size-13/a/f": 9.0}
    path = tmp_path / "r.jsonl"
    written = [sample.row(item, seconds=seconds) for item, seconds in rows.items()]
    times = times_of([sample.write(path, sample.header("some", list(rows)), written)])
    assert (2.0, 3.0) == (
        times.seconds("shape-15/new/f") - OVERHEAD,
        times.seconds("other-1/new/f") - OVERHEAD,
    )


# --- the command ----------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return runnable_corpus(tmp_path / "vectors", CASES)


def earlier(path: Path, seconds: Mapping[str, float]) -> Path:
    """Results of an earlier run in which the cases took so long."""
    ids = [vector_id(case) for case in CASES]
    rows = [sample.row(vector_id(case), seconds=seconds.get(case, 1.0)) for case in CASES]
    sample.write(path, sample.header("some", ids), rows)
    return path


def command(*words: object) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["onnx-validate", *map(str, words)])
        return main()


def run(root: Path, *words: object) -> int:
    backend = f"command:{shlex.join(harness('well_behaved'))}"
    return command("run", "--backend", backend, "--vectors", root, *words)


def sharded(
    root: Path, folder: Path, seconds: Mapping[str, float], name: str = "plan"
) -> list[Path]:
    """Results of both shards by the times of an earlier run, and the plan beside them."""
    by = earlier(folder / f"{name}-earlier.jsonl", seconds)
    paths = [folder / f"{name}-{number}.jsonl" for number in (1, 2)]
    for number, path in enumerate(paths, 1):
        words = ["--shard", f"{number}/2", "--by-time", by, "--write-plan", folder / f"{name}.json"]
        assert 0 == run(root, *words, "--results", path)
    return paths


def checked(root: Path, plan: Path, *results: Path) -> int:
    baseline = plan.with_name("baseline.yaml")
    baseline.write_text("format: 1\nentries: []\n")
    return command("baseline", "check", baseline, *results, "--plan", plan, "--vectors", root)


def test_shard_with_the_longest_vector_has_no_other(root: Path, tmp_path: Path) -> None:
    one, two = sharded(root, tmp_path, {"bad": 9.0})
    assert (vector_id("bad"),) == read_results(one).header.planned
    assert set(CASES) - {"bad"} == {item.split("/")[1] for item in read_results(two).header.planned}


def test_shards_of_a_plan_are_a_whole(root: Path, tmp_path: Path) -> None:
    assert 0 == checked(root, tmp_path / "plan.json", *sharded(root, tmp_path, {"bad": 9.0}))


def test_missing_shard_is_red(root: Path, tmp_path: Path, capsys: Output) -> None:
    one, _ = sharded(root, tmp_path, {"bad": 9.0})
    assert 5 == checked(root, tmp_path / "plan.json", one)
    assert "no results file has 2/2 of the plan" in capsys.readouterr().err


def test_doubled_shard_is_red(root: Path, tmp_path: Path, capsys: Output) -> None:
    one, two = sharded(root, tmp_path, {"bad": 9.0})
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(one.read_bytes())
    assert 5 == checked(root, tmp_path / "plan.json", one, two, copy)
    assert "copy.jsonl: is shard 1/2, as " in capsys.readouterr().err


def test_shards_of_two_plans_are_red_without_a_plan_too(
    root: Path, tmp_path: Path, capsys: Output
) -> None:
    one, _ = sharded(root, tmp_path, {"bad": 9.0})
    _, other = sharded(root, tmp_path, {"one": 9.0}, "other")
    assert 5 == checked(root, tmp_path / "plan.json", one, other)
    assert "it is a shard of another plan" in capsys.readouterr().err
    assert 5 == command("report", one, other)
    assert "is of another selection" in capsys.readouterr().err


def test_plan_leads_to_the_same_shards_as_the_times_it_was_made_of(
    root: Path, tmp_path: Path
) -> None:
    one, _ = sharded(root, tmp_path, {"bad": 9.0})
    again = tmp_path / "again.jsonl"
    words = ("--shard", "1/2", "--by-time", tmp_path / "plan.json")
    assert 0 == run(root, *words, "--results", again)
    assert read_results(one).header.planned == read_results(again).header.planned


def test_list_names_the_vectors_of_a_shard(root: Path, tmp_path: Path, capsys: Output) -> None:
    by = earlier(tmp_path / "earlier.jsonl", {"bad": 9.0})
    assert 0 == command("list", "--vectors", root, "--shard", "1/2", "--by-time", by)
    assert f"{vector_id('bad')}\n" == capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--by-time", "plan.json"), 2, "--by-time needs --shard K/N"),
        (("--shard", "1/3", "--by-time", "plan.json"), 3, "plans 2 shards, and --shard says 3"),
        (
            (vector_id("one"), "--shard", "1/2", "--by-time", "plan.json"),
            3,
            "is a plan of 5 vectors, and 1 are selected",
        ),
        (("--shard", "1/2", "--write-plan", "x.json"), 2, "--write-plan needs"),
        (("--shard", "1/2", "--by-time", "gone.json"), 3, "gone.json: cannot be read"),
    ],
)
def test_what_gives_no_plan_is_refused(  # noqa: PLR0913, PLR0917  fixtures
    words: tuple[str, ...],
    code: int,
    said: str,
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Output,
) -> None:
    sharded(root, tmp_path, {})
    monkeypatch.chdir(tmp_path)
    assert code == run(root, *words)
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"digest": "0" * 16}, "was changed"),
        ({"parts": [["a"], ["a"]]}, "has 'a' in two shards"),
        ({"parts": [[1]]}, "1 is no id"),
        ({"format": 2}, "does not say that it is one, of format 1"),
    ],
)
def test_spoiled_plan_is_bad_input(change: dict[str, object], said: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({**ShardPlan((("a",), ("b",))).to_json(), **change}))
    with pytest.raises(BadInputError, match=said):
        read_plan(path)
