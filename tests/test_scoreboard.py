from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import sample_results as sample
from committed_corpus import VECTORS
from tools.scoreboard import page as scoreboard_page
from tools.scoreboard import running as scoreboard
from tools.scoreboard import shards as scoreboard_shards
from tools.scoreboard.shards import Board

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.validator.results.file_format import read_results

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results

CORPUS = open_corpus(VECTORS)
ABS = next(item for item in CORPUS.entries if item.startswith("abs-13/"))
ADD = next(item for item in CORPUS.entries if item.startswith("add-14/"))
OF_SHARD = {1: (ABS, ADD), 2: ("abs-13/example/float32",)}


FOUND = {ABS: "pass", ADD: "wrong-value", "abs-13/gone/float32": "pass"}


def dealt(folder: Path, then: dict[str, str] | None, found: Mapping[str, str] = FOUND) -> Board:
    """A board after earlier results on other versions of the operators were dealt to two shards."""
    board = Board(VECTORS, folder, shards=2)
    sample.simple(board.path("some"), "some", dict(found))
    if then is not None:
        versions = {**scoreboard_shards.versions(CORPUS), **then}
        board.versions("some").write_text(json.dumps(versions), encoding="utf-8")
    scoreboard_shards.deal(board, "some", CORPUS, OF_SHARD)
    return board


def shard(board: Board, number: int) -> Results | None:
    return scoreboard_shards.earlier(board.shard("some", number))


def test_verdicts_on_operator_versions_that_did_not_change_are_kept(tmp_path: Path) -> None:
    results = shard(dealt(tmp_path, {"add-14": "another"}), 1)
    assert results is not None
    assert {ABS: "pass"} == {row.id: row.verdict for row in results.rows}


def test_verdicts_on_damaged_vectors_are_not_kept(tmp_path: Path) -> None:
    results = shard(dealt(tmp_path, {}, {ABS: "bad-vector", ADD: "pass"}), 1)
    assert results is not None
    assert {ADD: "pass"} == {row.id: row.verdict for row in results.rows}


def test_what_is_kept_is_a_run_of_the_corpus_of_today_that_was_stopped(tmp_path: Path) -> None:
    board = dealt(tmp_path, {"add-14": "another"})
    results = shard(board, 1)
    assert results is not None
    assert CORPUS.digest == results.header.corpus["digest"]
    assert (OF_SHARD[1], (ADD,)) == (results.header.planned, results.missing)
    assert not board.path("some").exists()


def test_a_shard_of_today_stays_when_shards_are_dealt_again(tmp_path: Path) -> None:
    board = dealt(tmp_path, {})
    before = board.shard("some", 1).read_bytes()
    scoreboard_shards.deal(board, "some", CORPUS, OF_SHARD)
    assert before == board.shard("some", 1).read_bytes()


def test_nothing_is_kept_where_nobody_knows_which_vectors_they_were(tmp_path: Path) -> None:
    assert shard(dealt(tmp_path, None), 1) is None


@pytest.mark.parametrize(("whole", "same"), [(True, True), (False, True), (True, False)])
def test_what_make_validate_found_is_not_run_again(
    tmp_path: Path, *, whole: bool, same: bool
) -> None:
    found, board = tmp_path / "validated.jsonl", Board(VECTORS, tmp_path / "board")
    header = sample.header("some", [ABS, ADD])
    if same:
        header = replace(header, corpus={**header.corpus, "digest": CORPUS.digest})
    rows = [sample.row(ABS, "pass"), sample.row(ADD, "pass")]
    sample.write(found, header, rows if whole else rows[:1])
    taken = scoreboard_shards.take_over(found, board, "some", CORPUS, [ABS, ADD])
    assert (whole and same, whole and same) == (taken, board.path("some").exists())


def test_a_row_is_taken_from_its_own_shard_and_not_from_where_it_was_a_control(
    tmp_path: Path,
) -> None:
    own = scoreboard_shards.shard_of(ABS, 2)
    parts = {
        number: sample.simple(
            tmp_path / f"{number}.jsonl", "some", {ABS: "pass" if number == own else "crashed"}
        )
        for number in (1, 2)
    }
    assert [(ABS, "pass")] == [
        (row.id, row.verdict) for row in scoreboard_shards.rows_of(parts, shards=2)
    ]


def test_shards_of_an_older_version_of_the_runtime_are_run_again(tmp_path: Path) -> None:
    parts = {}
    for number, version in enumerate(("1.0", "2.0", "2.0"), 1):
        header = sample.header("some", [ABS], describe={"name": "some", "version": version})
        header = replace(header, started=f"2026-11-0{number}T00:00:00+00:00")
        path = tmp_path / f"{number}.jsonl"
        parts[number] = sample.write(path, header, [sample.row(ABS, "pass")])
    assert [1] == scoreboard_shards.of_other_versions(parts)


def test_what_the_page_says_of_onnx_own_tests_stays_where_they_were_not_run(
    tmp_path: Path,
) -> None:
    sample.simple(tmp_path / "one.jsonl", "one", {ABS: "pass"})
    (tmp_path / "onnx").mkdir()
    sample.simple(tmp_path / "onnx" / "one.jsonl", "one", {ABS: "pass", ADD: "crashed"})
    page = scoreboard_page.written(tmp_path, "")
    assert "| `one` | 1 | · | · | · | · | · | 1 |" in page
    assert "| `one` | 1 | · | 1 | · | · | · | 2 |" in page
    (tmp_path / "onnx" / "one.jsonl").unlink()
    assert page == scoreboard_page.written(tmp_path, page)


def of_corpus(path: Path, name: str, digest: str) -> None:
    path.parent.mkdir(exist_ok=True)
    header = sample.header(name, [ABS])
    header = replace(header, corpus={**header.corpus, "digest": digest})
    sample.write(path, header, [sample.row(ABS, "pass")])


def test_running_one_backend_keeps_what_make_validate_found_on_the_page(tmp_path: Path) -> None:
    for name in scoreboard_page.FIRST:
        of_corpus(tmp_path / "build" / f"{name}.jsonl", name, CORPUS.digest)
    board = Board(VECTORS, tmp_path / "board")
    of_corpus(board.path("tinygrad"), "tinygrad", CORPUS.digest)
    page = tmp_path / "scoreboard.md"
    assert [] == scoreboard.write_page(page, board.results, tmp_path / "build", board)
    rows = [line.split("`")[1] for line in page.read_text("utf-8").splitlines() if "| 1 |" in line]
    assert [*scoreboard_page.FIRST, "tinygrad"] == rows


def test_results_of_another_corpus_or_none_are_not_on_the_page_and_that_is_said(
    tmp_path: Path,
) -> None:
    of_corpus(tmp_path / "build" / "reference.jsonl", "reference", "an older one")
    board = Board(VECTORS, tmp_path / "board")
    of_corpus(board.path("tinygrad"), "tinygrad", CORPUS.digest)
    of_corpus(board.path("tract"), "tract", "an older one")
    page = tmp_path / "scoreboard.md"
    said = scoreboard.write_page(page, board.results, tmp_path / "build", board)
    never = [f"{name}: was never run; `make validate` runs it" for name in scoreboard_page.FIRST]
    assert [*never, "tract: its results are of another corpus; run it again"] == said
    text = page.read_text("utf-8")
    assert (1, 0) == (text.count("| `tinygrad` |"), text.count("| `tract` |"))


# --- with real runtimes ---------------------------------------------------------------------


class Stopped(BaseException):
    """What a person does who has to go."""


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The results files of the runs that were begun; the third stops before it begins."""
    begun: list[str] = []
    call = subprocess.run

    def run(command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[bytes]:  # noqa: ANN401  as subprocess has it
        if "run" in command:
            begun.append(command[command.index("--results") + 1].rpartition("board/")[2])
            if len(begun) == 3:
                raise Stopped
        return call(command, **options)

    monkeypatch.setattr(subprocess, "run", run)
    return begun


def test_two_runtimes_on_both_corpora_after_an_interruption_and_one_that_is_not_there(
    tmp_path: Path,
    runs: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("onnxruntime")
    monkeypatch.setattr(scoreboard, "environment_of", lambda backend: tmp_path / backend.name)
    output = tmp_path / "board"
    words = ["reference", "onnxruntime", "tinygrad", "--operator", "Add", "--shards", "2"]
    words += ["--vectors", str(VECTORS), "--output", str(output)]
    with pytest.raises(Stopped):
        scoreboard.main(words)
    # A trouble with one is no trouble for the others, and is said last.
    assert 1 == scoreboard.main(words)
    assert "NOT ON THE SCOREBOARD: tinygrad: not installed" in capfd.readouterr().err
    shards = [f"{number}-of-2.jsonl" for number in (1, 2)]
    folders = [f"{at}shards/{name}" for at in ("", "onnx/") for name in words[:2]]
    every = [f"{folder}/{shard}" for folder in folders for shard in shards]
    # The shards before the interruption once, that which was interrupted twice.
    assert every == sorted(set(runs), key=runs.index)
    assert len(every) + 1 == len(runs)

    for name in words[:2]:
        results = read_results(output / f"{name}.jsonl")
        planned = [item for item in CORPUS.entries if item.startswith("add-")]
        assert set(planned) <= set(results.header.planned)
        assert not results.missing
        own = read_results(output / "onnx" / f"{name}.jsonl")
        assert ("add-14/test_add/node", "pass") in [(row.id, row.verdict) for row in own.rows]
    page = (output / "scoreboard.md").read_text("utf-8")
    assert 4 == page.count("| `reference` |") + page.count("| `onnxruntime` |")
    assert (output / "site" / "operators" / "add.html").is_file()
    assert (output / "onnx" / "site" / "index.html").is_file()

    count = len(runs)
    assert 0 == scoreboard.main(["reference", *words[3:], "--corpus", "standard"])
    assert count == len(runs)


def test_a_runtime_that_cannot_be_installed_does_not_stop_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = []

    def install(backend: Any) -> bool:  # noqa: ANN401  a backend's facts
        tried.append(backend.name)
        return bool(backend.name != "tract")

    monkeypatch.setattr(scoreboard.runtimes, "install", install)
    failed = scoreboard.install(["openvino", "tract", "tract+freeze+static+int64", "tinygrad"])
    assert ["tract: could not be installed"] == failed
    assert ["openvino", "tract", "tinygrad"] == tried
