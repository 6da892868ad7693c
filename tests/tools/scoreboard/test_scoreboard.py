from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import sample_results as sample
from committed_corpus import VECTORS
from runnable_corpus import shape_vector, write_manifest, write_vector
from tools.scoreboard import page as scoreboard_page
from tools.scoreboard import running as scoreboard
from tools.scoreboard.board import Board, take_over
from tools.scoreboard.kept import HEADING

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.validator.results.file_format import read_results

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


CORPUS = open_corpus(VECTORS)
ABS = next(item for item in CORPUS.entries if item.startswith("abs-13/"))
ADD = next(item for item in CORPUS.entries if item.startswith("add-14/"))


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
    taken = take_over(found, board.path("some"), CORPUS, [ABS, ADD])
    assert (whole and same, whole and same) == (taken, board.path("some").exists())


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


def test_shards_of_a_runtime_add_up_and_the_missing_ones_are_said(tmp_path: Path) -> None:
    board = Board(VECTORS, tmp_path, part=True)
    for number, vector in ((1, ABS), (2, ADD)):
        head = sample.header("iree", [vector], extra={"shard": f"{number}/4", "selected": 9})
        path = replace(board, shard=(number, 4)).path("iree")
        sample.write(path, head, [sample.row(vector, "pass")])
    page = scoreboard_page.written(tmp_path, "")
    assert ["| `iree` | 2 | · | · | · | · | · | 2 |"] == [
        line for line in page.splitlines() if line.startswith("| `iree`")
    ]
    assert "**incomplete:** `2 shards missing (3/4, 4/4): 7 vectors are" in page


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


def test_results_of_another_corpus_stand_under_it_and_that_is_said(
    tmp_path: Path,
) -> None:
    of_corpus(tmp_path / "build" / "reference.jsonl", "reference", "an older one")
    board = Board(VECTORS, tmp_path / "board")
    of_corpus(board.path("tinygrad"), "tinygrad", CORPUS.digest)
    of_corpus(board.path("tract"), "tract", "an older one")
    page = tmp_path / "scoreboard.md"
    said = scoreboard.write_page(page, board.results, tmp_path / "build", board)
    never = [f"{name}: was never run; `make validate` runs it" for name in scoreboard_page.FIRST]
    assert [*never, "tract: its results are of another corpus, under which it stands"] == said
    now, _, other = page.read_text("utf-8").partition(HEADING)
    assert (1, 0) == (now.count("| `tinygrad` |"), now.count("| `tract` |"))
    assert (0, 1) == (other.count("| `tinygrad` |"), other.count("| `tract` |"))


# --- with real runtimes ---------------------------------------------------------------------


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The results files of the runs that were begun."""
    begun: list[str] = []
    call = subprocess.run

    def run(command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[bytes]:  # noqa: ANN401  as subprocess has it
        if "run" in command:
            begun.append(command[command.index("--results") + 1].rpartition("board/")[2])
        return call(command, **options)

    monkeypatch.setattr(subprocess, "run", run)
    return begun


def cut_short(path: Path) -> None:
    """Leave a results file as a run leaves it that was killed after its second verdict."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]))


def of_another_corpus(path: Path, changed: str) -> None:
    """Make a results file one of an earlier corpus, in which one vector was another."""
    documents = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    documents[0]["corpus"]["digest"] = "0" * 64
    for document in documents:
        if document.get("id") == changed:
            document["digest"] = "0" * 32
    path.write_text("".join(json.dumps(item) + "\n" for item in documents), "utf-8")


@pytest.mark.slow
def test_two_runtimes_on_both_corpora_then_after_an_interruption_and_a_change(
    tmp_path: Path,
    runs: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("onnxruntime")
    monkeypatch.setattr(scoreboard, "environment_of", lambda backend: tmp_path / backend.name)
    output = tmp_path / "board"
    words = ["reference", "onnxruntime", "tinygrad", "--operator", "Add"]
    words += ["--vectors", str(VECTORS), "--output", str(output)]
    # A trouble with one is no trouble for the others, and is said last.
    assert 1 == scoreboard.main(words)
    assert "NOT ON THE SCOREBOARD: tinygrad: not installed" in capfd.readouterr().err
    every = [f"{at}{name}.jsonl" for at in ("", "onnx/") for name in words[:2]]
    assert every == runs
    planned = [item for item in CORPUS.entries if item.startswith("add-")]
    for name in words[:2]:
        results = read_results(output / f"{name}.jsonl")
        assert set(planned) <= set(results.header.planned)
        assert not results.missing
        own = read_results(output / "onnx" / f"{name}.jsonl")
        assert ("add-14/test_add/node", "pass") in [(row.id, row.verdict) for row in own.rows]
    page = (output / "scoreboard.md").read_text("utf-8")
    assert 4 == page.count("| `reference` |") + page.count("| `onnxruntime` |")
    assert (output / "site" / "operators" / "add.html").is_file()
    assert (output / "onnx" / "site" / "index.html").is_file()

    again = ["reference", *words[3:], "--corpus", "standard"]
    assert (0, 4) == (scoreboard.main(again), len(runs))  # nothing is left to run
    cut_short(output / "reference.jsonl")
    assert (0, 5) == (scoreboard.main(again), len(runs))
    of_another_corpus(output / "reference.jsonl", ADD)
    assert (0, 6) == (scoreboard.main(again), len(runs))
    rows = read_results(output / "reference.jsonl").rows
    assert [ADD] == [row.id for row in rows if row.reused is None]


@pytest.mark.slow
def test_what_is_slow_is_run_on_a_part_and_the_page_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = [
        scoreboard.Column("reference", ("--backend", "reference")),
        scoreboard.Column("checker", ("--backend", "checker"), slow=True),
    ]
    monkeypatch.setattr(scoreboard, "columns", lambda _names: (columns, []))
    for case, form in (("one", "static"), ("two", "symbolic")):
        vector = shape_vector(f"shape-15/{case}/float32", form=form)
        write_vector(tmp_path / "vectors", vector)
    write_manifest(tmp_path / "vectors")
    words = ["--operator", "Shape", "--corpus", "standard", "--vectors", str(tmp_path / "vectors")]
    assert 0 == scoreboard.main([*words, "--output", str(tmp_path)])
    page = (tmp_path / "scoreboard.md").read_text("utf-8")
    assert "Columns of all 2 vectors that were asked for: 1." in page
    assert "- a part: `operators Shape; forms static; newest`" in page
    assert (
        page.index("| `reference` |")
        < page.index("on a part of them")
        < page.index("| `checker` |")
    )


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
