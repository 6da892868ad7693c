from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from small_corpus import small_vector, write_corpus

from onnx_conformance.core.errors import ExitCode
from onnx_conformance.validator.main import main
from onnx_conformance.validator.results.file_format import ResultsWriter
from onnx_conformance.validator.results.records import Header, Row

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.core.corpus.corpus import Corpus

A = "reshape-14/clip/float32"
B = "reshape-14/clip/int8"
C = "shape-15/clip/float32"


class Place:
    """A folder with a corpus in it, in which the command is called."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.corpus: Corpus = write_corpus(root / "vectors", map(small_vector, (A, B, C)))
        self._monkeypatch = monkeypatch
        monkeypatch.chdir(root)

    def results(
        self, name: str, verdicts: dict[str, str], backend: str = "b", **header: object
    ) -> str:
        values = {
            "backend": backend,
            "describe": {"name": backend, "version": "2.1"},
            "corpus": {"version": "test", "digest": self.corpus.digest},
            "planned": tuple(verdicts),
            **header,
        }
        with (self.root / name).open("w") as stream:
            writer = ResultsWriter(stream)
            writer.header(Header(**values))  # type: ignore[arg-type]
            for vector_id, verdict in verdicts.items():
                writer.row(Row(vector_id, verdict, None, "said", 0.0))
            writer.footer()
        return name

    def call(self, *words: str) -> int:
        self._monkeypatch.setattr(sys, "argv", ["onnx-validate", "baseline", *words])
        return main()

    def read(self, name: str = "onnx-baseline.yaml") -> str:
        return (self.root / name).read_text()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path, monkeypatch)


FAILING = {A: "rejected", B: "rejected", C: "pass"}


def test_init_writes_what_check_finds_green(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    results = place.results("r.jsonl", FAILING)
    assert ExitCode.OK == place.call("init", results)
    assert ExitCode.OK == place.call("check", "onnx-baseline.yaml", results)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(
        "onnx-baseline.yaml: 2 vectors that do not pass, of 3, in 1 entry; give each a reason"
    )
    assert "onnx-baseline.yaml: 1 entry for 2 vectors of corpus test" == lines[1]
    assert ["b, run of an unknown date", "gate green: 1 pass, 2 fail as listed"] == lines[2:4]


def test_check_counts_the_entries_of_included_files_once_each(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    (place.root / "a.yaml").write_text(f"entries:\n  - {{id: {A}, verdict: rejected, reason: r}}\n")
    (place.root / "b.yaml").write_text("include: a.yaml\nentries: []\n")
    (place.root / "all.yaml").write_text("include: [b.yaml, a.yaml]\nentries: []\n")
    assert ExitCode.OK == place.call("check", "b.yaml")
    assert "b.yaml: 1 entry (none of its own, 1 in 1 included file) for 1 vector of" in (
        capsys.readouterr().out
    )


def test_init_does_not_replace_a_file_that_people_wrote(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    results = place.results("r.jsonl", FAILING)
    (place.root / "onnx-baseline.yaml").write_text("mine")
    assert ExitCode.USAGE == place.call("init", results)
    assert "mine" == place.read()
    assert "onnx-baseline.yaml: exists" in capsys.readouterr().err
    assert ExitCode.OK == place.call("init", results, "--force")


def test_init_refuses_results_with_a_vector_missing(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    results = place.results("r.jsonl", {A: "rejected"}, planned=(A, B))
    assert ExitCode.INCOMPLETE == place.call("init", results)
    words = f"1 planned vector without a verdict, the first is '{B}'"
    assert words in capsys.readouterr().err


def test_init_refuses_a_missing_shard(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    results = place.results("r.jsonl", {A: "rejected"}, extra={"shard": "1/2"})
    assert ExitCode.INCOMPLETE == place.call("init", results)
    assert "1 shard missing (2/2)" in capsys.readouterr().err


def test_shards_are_put_together(place: Place) -> None:
    first = place.results("1.jsonl", {A: "rejected"}, extra={"shard": "1/2"})
    second = place.results("2.jsonl", {B: "rejected", C: "pass"}, extra={"shard": "2/2"})
    assert ExitCode.OK == place.call("init", first, second)
    assert "  - id: reshape-14/*\n" in place.read()


LISTED = f"entries:\n  - {{id: {A}, verdict: rejected, reason: r}}\n"
LISTED += f"  - {{id: {B}, verdict: rejected, reason: r}}\n"


@pytest.mark.parametrize("numbers", [(1,), (1, 3), (2, 3)])
def test_check_is_not_green_while_a_shard_is_missing(
    place: Place, capsys: pytest.CaptureFixture[str], numbers: tuple[int, ...]
) -> None:
    (place.root / "baseline.yaml").write_text(LISTED)
    files = {1: {A: "rejected"}, 2: {B: "rejected"}, 3: {C: "pass"}}
    shards = [
        place.results(f"{number}.jsonl", files[number], extra={"shard": f"{number}/3"})
        for number in numbers
    ]
    assert ExitCode.INCOMPLETE == place.call("check", "baseline.yaml", *shards)
    printed = capsys.readouterr().out
    assert f"{3 - len(numbers)} shard" in printed
    assert "gate RED: incomplete" in printed


def test_check_is_green_when_every_shard_is_there(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    (place.root / "baseline.yaml").write_text(LISTED)
    first = place.results("1.jsonl", {A: "rejected"}, extra={"shard": "1/2"})
    second = place.results("2.jsonl", {B: "rejected", C: "pass"}, extra={"shard": "2/2"})
    assert ExitCode.OK == place.call("check", "baseline.yaml", first, second)
    assert "gate green: 1 pass, 2 fail as listed" in capsys.readouterr().out


def test_check_of_a_run_that_planned_nothing_is_not_green(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    (place.root / "baseline.yaml").write_text(LISTED)
    assert ExitCode.INCOMPLETE == place.call("check", "baseline.yaml", place.results("r.jsonl", {}))
    assert "no vector was planned" in capsys.readouterr().out


@pytest.mark.parametrize("action", ["check", "update", "init"])
def test_min_cases_holds_for_every_action(
    place: Place, capsys: pytest.CaptureFixture[str], action: str
) -> None:
    (place.root / "baseline.yaml").write_text(LISTED)
    results = place.results("r.jsonl", FAILING)
    files = [results] if action == "init" else ["baseline.yaml", results]
    assert ExitCode.INCOMPLETE == place.call(action, *files, "--min-cases", "4")
    said = capsys.readouterr()
    assert "3 vectors with a verdict, fewer than --min-cases 4" in said.out + said.err


def test_update_with_a_missing_shard_does_its_work_and_ends_5(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    (place.root / "baseline.yaml").write_text(LISTED)
    results = place.results("1.jsonl", {A: "pass"}, extra={"shard": "1/2"})
    assert ExitCode.INCOMPLETE == place.call("update", "baseline.yaml", results)
    assert A not in place.read("baseline.yaml")
    assert "1 shard missing (2/2)" in capsys.readouterr().err


def test_shards_of_different_selections_are_refused(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    (place.root / "baseline.yaml").write_text(LISTED)
    whole = {"shard": "1/2", "selection": {"shard": [1, 2]}}
    part = {"shard": "2/2", "selection": {"operators": ["Shape"], "shard": [2, 2]}}
    first = place.results("1.jsonl", {A: "rejected"}, extra=whole)
    second = place.results("2.jsonl", {C: "pass"}, extra=part)
    assert ExitCode.INCOMPLETE == place.call("check", "baseline.yaml", first, second)
    assert "2.jsonl: is of another selection than 1.jsonl" in capsys.readouterr().err


def test_results_of_another_corpus_are_refused(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    results = place.results("r.jsonl", FAILING, corpus={"version": "old", "digest": "0"})
    assert ExitCode.BAD_INPUT == place.call("init", results)
    assert "r.jsonl: is of corpus old, whose manifest has another" in capsys.readouterr().err


def test_results_of_two_backends_are_refused(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    files = (place.results("1.jsonl", FAILING), place.results("2.jsonl", FAILING, backend="c"))
    assert ExitCode.BAD_INPUT == place.call("init", *files)
    assert "the results are of several backends ('b', 'c')" in capsys.readouterr().err


def test_a_fix_makes_check_red_and_update_makes_it_green(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    place.call("init", place.results("old.jsonl", FAILING))
    fixed = place.results("new.jsonl", {A: "pass", B: "pass", C: "pass"})
    assert ExitCode.UNEXPECTED == place.call("check", "onnx-baseline.yaml", fixed)
    assert ExitCode.OK == place.call("update", "onnx-baseline.yaml", fixed)
    assert ExitCode.OK == place.call("check", "onnx-baseline.yaml", fixed)
    said = capsys.readouterr().out
    assert "onnx-baseline.yaml:10: 'reshape-14/*' is listed as rejected, but" in said
    assert "onnx-baseline.yaml:10: 'reshape-14/*' removed: 2 no longer fail" in said
    assert place.read().endswith("entries: []\n")


def test_update_leaves_a_new_failure_red_unless_it_is_accepted(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    failing = {A: "rejected", B: "pass", C: "pass"}
    place.call("init", place.results("old.jsonl", failing))
    worse = place.results("new.jsonl", {**failing, C: "crashed"})
    capsys.readouterr()
    place.call("update", "onnx-baseline.yaml", worse)
    expected = [
        "onnx-baseline.yaml: nothing to change",
        "1 failure is not listed, so the gate stays red; --accept-new lists it",
    ]
    assert expected == capsys.readouterr().out.splitlines()
    assert ExitCode.UNEXPECTED == place.call("check", "onnx-baseline.yaml", worse)
    place.call("update", "onnx-baseline.yaml", worse, "--accept-new")
    assert ExitCode.OK == place.call("check", "onnx-baseline.yaml", worse)


def test_a_dry_run_writes_nothing(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.call("init", place.results("old.jsonl", FAILING))
    before = place.read()
    fixed = place.results("new.jsonl", dict.fromkeys(FAILING, "pass"))
    place.call("update", "onnx-baseline.yaml", fixed, "--dry-run")
    assert before == place.read()
    assert "2 changes (not written: --dry-run)" in capsys.readouterr().out


def test_check_without_results_finds_an_entry_that_fits_nothing(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "entries:\n  - {id: reshape-14/clap/*, verdict: crashed, reason: x}\n"
    (place.root / "b.yaml").write_text(text)
    assert ExitCode.BAD_INPUT == place.call("check", "b.yaml")
    expected = (
        "onnx-validate: b.yaml:2: 'reshape-14/clap/*' matches no vector of this corpus:"
        " nothing below 'reshape-14' is called 'clap'; did you mean clip?\n"
    )
    assert expected == capsys.readouterr().err


def test_a_run_with_a_missing_verdict_is_incomplete(place: Place) -> None:
    (place.root / "b.yaml").write_text("entries: []\n")
    results = place.results("r.jsonl", {C: "pass"}, planned=(A, C))
    assert ExitCode.INCOMPLETE == place.call("check", "b.yaml", results)
