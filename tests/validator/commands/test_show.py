"""`onnx-validate show`, and the same where one vector is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sample_results as sample
from limited_corpus import LIMITED, limited_corpus
from runnable_corpus import shape_vector, write_manifest, write_vector

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.validator.main import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

GOOD, BAD = "shape-15/good/float32", "shape-15/bad/float32"


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    root = tmp_path / "vectors"
    about = {"covers": ("clamp",), "purpose": "what goes wrong", "documented": "test_shape"}
    write_vector(root, shape_vector(GOOD, **about), [(2, 3)])
    write_vector(root, shape_vector(BAD, "invalid", reject="load", control=GOOD))
    write_manifest(root)
    words = '{"Shape": {"clamp": {"text": "It is clamped.", "document": "Shape-15"}}}'
    (root / "requirements.json").write_text(words)
    return root


def call(*words: object) -> int:
    return dispatch("onnx-validate", "", COMMANDS, [str(word) for word in words])


def test_everything_that_is_known_of_a_vector_is_shown(
    vectors: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == call("show", GOOD, "--vectors", vectors)
    lines = capsys.readouterr().out.splitlines()
    for line in (
        "ONNX      its own name of this case is test_shape",
        "purpose   what goes wrong",
        "requires  It is clamped. (Shape-15)",
        "input     data: float32 [2, 3] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]",
        "expected  shape: int64 [2] = [2, 3]",
    ):
        assert line in lines
    assert any("shape = Shape (data)" in line for line in lines)


def test_a_control_and_the_phase_of_a_rejection_are_shown(
    vectors: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == call("show", BAD, "--vectors", vectors)
    printed = capsys.readouterr().out
    assert "expected  a rejection at load, or later" in printed
    assert f"control   {GOOD} must pass for the rejection to count" in printed


def test_limits_are_shown_in_the_profile_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = limited_corpus(tmp_path / "limited")
    assert 0 == call("show", LIMITED, "--vectors", root, "--accuracy", "gpu")
    assert "from int64 [2] = [2, 3] to int64 [2] = [2, 9] (gpu)" in capsys.readouterr().out


def test_limits_that_accept_the_expected_value_alone_are_not_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = limited_corpus(tmp_path / "limited", ieee=(5, 5))
    assert 0 == call("show", LIMITED, "--vectors", root)
    assert "expected  shape: int64 [2] = [2, 5]\n" in capsys.readouterr().out


def test_verdicts_of_results_files_are_shown(
    tmp_path: Path, vectors: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crashed = sample.row(GOOD, "crashed", message="signal SIGSEGV", stderr="loading\nboom\n")
    sample.write(tmp_path / "a.jsonl", sample.header("one", [GOOD]), [crashed])
    sample.simple(tmp_path / "b.jsonl", "two", {GOOD: "pass"})
    files = (tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert 0 == call("show", GOOD, *files, "--vectors", vectors)
    printed = capsys.readouterr().out
    assert "verdict   one 1.0: crashed: signal SIGSEGV\nstderr\n  loading\n  boom\n" in printed
    assert "verdict   two 1.0: pass\n" in printed


def test_a_results_file_without_a_verdict_is_no_success(
    tmp_path: Path, vectors: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sample.simple(tmp_path / "a.jsonl", "one", {BAD: "pass"})
    assert 5 == call("show", GOOD, tmp_path / "a.jsonl", "--vectors", vectors)
    assert "verdict   one 1.0: none; it was not run" in capsys.readouterr().out


def test_an_unknown_id_is_one_line_that_names_what_is_near(
    vectors: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 5 == call("show", "shape-15/god/float32", "--vectors", vectors)
    error = capsys.readouterr().err
    assert (1, True) == (error.count("\n"), "good" in error)


def test_a_pattern_of_one_vector_shows_it_and_one_of_several_names_them(
    vectors: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == call("show", "Shape/good", "--vectors", vectors)
    assert capsys.readouterr().out.startswith(GOOD)
    assert 5 == call("show", "shape-15", "--vectors", vectors)
    assert f"'shape-15' matches 2 vectors, and one is wanted: {GOOD}" in capsys.readouterr().err


def test_show_and_run_agree_on_the_code_of_what_there_is_not(vectors: Path) -> None:
    asked = ("nothing/at/all", "--vectors", vectors)
    assert 5 == call("show", *asked) == call("run", "--backend", "reference", *asked)


def test_one_vector_that_is_run_alone_is_shown_whole(
    vectors: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 1 == call("run", "--backend", "reference", "--vectors", vectors, BAD)
    printed = capsys.readouterr().out
    assert "control   shape-15/good/float32" in printed
    assert "verdict   reference" in printed
    assert "accepted-invalid: expected a rejection at load" in printed
    assert "onnx-validate run --backend" not in printed


def test_several_vectors_are_listed_with_the_command_that_shows_one(
    vectors: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 1 == call("run", "--backend", "reference", "--vectors", vectors)
    printed = capsys.readouterr().out
    assert "onnx-validate run --backend reference" in printed
    assert "control   " not in printed
