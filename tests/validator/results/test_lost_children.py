"""Children of one backend that differ, and children that are lost in a gate."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from commands import run_words, validate
from misbehaviour import CASES
from runnable_corpus import runnable_corpus

from onnx_conformance.core.errors import ExitCode
from onnx_conformance.validator.results.file_format import read_results
from onnx_conformance.validator.results.lost_children import permitted

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "none.yaml").write_text("entries: []\n")
    return runnable_corpus(tmp_path / "vectors", CASES)


def changing(
    corpus: Path, change: dict[str, object], *words: object
) -> subprocess.CompletedProcess[bytes]:
    """A run whose second child describes itself with other values."""
    variables = {"STARTED": str(corpus.parent / "started"), "CHANGE": json.dumps(change)}
    return validate(*run_words(corpus, "describes_differently"), *words, **variables)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": "2"}, b"the first says that its 'version' is '1', a later one '2'"),
        ({"judges": "validity"}, b"its 'judges' is None, a later one 'validity'"),
        ({"details": {"threads": "4"}}, b"its 'details' is None, a later one {'threads': '4'}"),
    ],
)
def test_a_child_that_is_not_like_the_first_ends_the_run(
    corpus: Path, change: dict[str, object], said: bytes
) -> None:
    done = changing(corpus, change, "--results", corpus.parent / "r.jsonl")
    assert ExitCode.BACKEND_UNUSABLE == done.returncode
    assert said in done.stderr
    footer = read_results(corpus.parent / "r.jsonl").footer or {}
    assert "its children differ" in footer["unusable"]


def test_the_first_child_of_a_run_is_held_to_the_one_that_was_asked_before_it(corpus: Path) -> None:
    variables = {"STARTED": str(corpus.parent / "started"), "CHANGE": '{"version": "2"}'}
    words = (*run_words(corpus, "describes_differently"), "--results", corpus.parent / "r.jsonl")
    done = validate(*words, SPOIL="nothing", ALIKE="1", **variables)
    assert ExitCode.BACKEND_UNUSABLE == done.returncode
    assert b"the first says that its 'version' is '1', a later one '2'" in done.stderr
    assert not (corpus.parent / "r.jsonl").exists()


def test_children_that_are_alike_end_nothing(corpus: Path) -> None:
    done = changing(corpus, {}, "--max-lost-children", "1")
    assert ExitCode.OK == done.returncode


def test_a_child_of_a_rerun_is_held_to_the_first_as_well(corpus: Path) -> None:
    # Nothing ends the first child, so the next one is that of the rerun.
    known = corpus.parent / "known.yaml"
    known.write_text("entries:\n  - {id: shape-15/bad, verdict: rejected, reason: r}\n")
    variables = {"STARTED": str(corpus.parent / "started"), "CHANGE": '{"version": "2"}'}
    words = (*run_words(corpus, "describes_differently"), "--baseline", known)
    done = validate(*words, "--rerun-failures", "1", SPOIL="nothing", **variables)
    assert ExitCode.BACKEND_UNUSABLE == done.returncode
    assert b"its children differ" in done.stderr


# --- lost children -------------------------------------------------------------------------


def test_a_gate_permits_no_lost_child(corpus: Path) -> None:
    words = ("--baseline", corpus.parent / "none.yaml")
    done = changing(corpus, {}, *words)
    assert ExitCode.UNEXPECTED == done.returncode
    assert b"gate RED: 1 children lost" in done.stdout
    (corpus.parent / "started").unlink()
    assert ExitCode.OK == changing(corpus, {}, *words, "--max-lost-children", "1").returncode


def test_without_a_gate_one_lost_child_is_permitted_and_two_are_not(corpus: Path) -> None:
    assert ExitCode.OK == changing(corpus, {}).returncode
    done = validate(*run_words(corpus, "dies_on_every_second"))
    assert ExitCode.UNEXPECTED == done.returncode
    assert b"more than the 1 that --max-lost-children permits" in done.stdout


@pytest.mark.parametrize(("vectors", "limit"), [(1, 1), (17, 1), (19_999, 1), (39_688, 3)])
def test_how_many_may_be_lost_is_a_share_of_the_vectors(vectors: int, limit: int) -> None:
    assert limit == permitted(vectors)


def test_the_lost_children_of_all_shards_are_added_up(corpus: Path, tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.jsonl" for number in (1, 2)]
    for number, file in enumerate(files, 1):
        words = ("--shard", f"{number}/2", "--results", file, "--max-lost-children", "9")
        assert (
            ExitCode.OK == validate(*run_words(corpus, "dies_on_every_second"), *words).returncode
        )
    counts = [read_results(file).footer["lost_children"]["count"] for file in files]  # type: ignore[index]
    gate = ("--baseline", tmp_path / "none.yaml", "--vectors", corpus)
    total = str(sum(counts))
    assert sum(counts) > max(counts)
    red = validate("report", *files, *gate, "--max-lost-children", str(sum(counts) - 1))
    assert ExitCode.UNEXPECTED == red.returncode
    assert f"gate RED: {total} children lost".encode() in red.stdout
    words = ("check", tmp_path / "none.yaml", *files, "--vectors", corpus)
    assert ExitCode.UNEXPECTED == validate("baseline", *words).returncode
    assert ExitCode.OK == (validate("baseline", *words, "--max-lost-children", total).returncode)


def test_a_child_that_dies_at_stop_is_said_in_every_report(corpus: Path, tmp_path: Path) -> None:
    results = tmp_path / "r.jsonl"
    done = validate(*run_words(corpus, "crashes_at_stop"), "--results", results)
    said = b"a child ended with signal SIGABRT at 'stop'"
    assert said in done.stdout
    assert said in validate("report", results).stdout
