"""The command: each verdict fires, and a wrong expectation is noticed."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import onnx
import pytest
from places import VECTORS
from second_opinion.command import main

from onnx_conformance.core.errors import ExitCode

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLE = "valid/softmax-13/test_softmax_13_example_float32"
ID = "softmax-13/example/float32"
NONE = "rulings: []\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder with one vector of the committed corpus."""
    shutil.copytree(VECTORS / EXAMPLE, tmp_path / "corpus" / EXAMPLE)
    return tmp_path / "corpus"


def spoil(corpus: Path) -> None:
    """Expect another result, with limits around it."""
    folder = corpus / EXAMPLE / "test_data_set_0"
    for path in folder.glob("*_0.pb"):
        if path.name == "input_0.pb":
            continue
        tensor = onnx.TensorProto.FromString(path.read_bytes())
        wrong = onnx.numpy_helper.to_array(tensor) + 1
        tensor.raw_data = wrong.tobytes()
        path.write_bytes(tensor.SerializeToString())


def opinion(corpus: Path, *arguments: str, rulings: str = NONE) -> int:
    path = corpus.parent / "rulings.yaml"
    path.write_text(rulings, "utf-8")
    return main(["--vectors", str(corpus), "--rulings", str(path), *arguments])


def test_what_agrees_is_counted(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ExitCode.OK == opinion(corpus)
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == (
        "1 vector of 1 operator version, 1 answered (3 elements): 1 agree, 0 disagree"
        " (0 without a ruling), 0 open"
    )


def test_a_wrong_expectation_is_noticed_and_its_id_comes_first(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(corpus)
    assert ExitCode.UNEXPECTED == opinion(corpus)
    lines = capsys.readouterr().out.splitlines()
    (line,) = [item for item in lines if item.startswith(f"  {ID}  ")]
    assert "the corpus has" in line
    assert "the second opinion" in line


def test_an_expected_element_that_is_not_the_nearest_is_shown(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = corpus / EXAMPLE / "test_data_set_0"
    path = folder / "output_0.pb"
    tensor = onnx.TensorProto.FromString(path.read_bytes())
    # The highest value that its limits accept, in the place of the nearest.
    tensor.raw_data = onnx.TensorProto.FromString((folder / "high_0.pb").read_bytes()).raw_data
    path.write_bytes(tensor.SerializeToString())
    assert ExitCode.OK == opinion(corpus)
    out = capsys.readouterr().out
    assert "agree, but lie 2 ulps or more from an expected element: 1" in out


def ruling(pattern: str) -> str:
    return (
        f'rulings:\n  - ids: ["{pattern}"]\n    cause: open\n'
        "    read: {document: Softmax-13, part: Summary}\n    why: for a test\n"
    )


def test_a_disagreement_with_a_ruling_is_as_expected(corpus: Path) -> None:
    spoil(corpus)
    assert ExitCode.OK == opinion(corpus, rulings=ruling("softmax-13/example/*"))


def test_a_stale_ruling_is_an_error(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ExitCode.UNEXPECTED == opinion(corpus, rulings=ruling("softmax-13/example/*"))
    assert "agrees now; take the ruling out" in capsys.readouterr().err


def test_nothing_answered_is_loud(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = VECTORS / "valid" / "imagedecoder-20"
    shutil.copytree(folder, tmp_path / "corpus" / "valid" / "imagedecoder-20")
    assert ExitCode.INCOMPLETE == opinion(tmp_path / "corpus")
    printed = capsys.readouterr()
    assert "0 vectors answered; nothing was compared" in printed.err
    assert "no evaluator for ai.onnx ImageDecoder-20" in printed.out


def test_nothing_selected_is_loud(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = next(iter((VECTORS / "invalid" / "softmax-13").iterdir()))
    target = tmp_path / "corpus" / "invalid" / "softmax-13" / folder.name
    shutil.copytree(folder, target)
    assert ExitCode.INCOMPLETE == opinion(tmp_path / "corpus")
    assert "0 judged" in capsys.readouterr().err


def test_a_pattern_that_matches_nothing_is_refused(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ExitCode.USAGE == opinion(corpus, "sofmax")
    assert "sofmax" in capsys.readouterr().err


def test_an_operator_is_selected_by_the_name_in_its_document(corpus: Path) -> None:
    assert ExitCode.OK == opinion(corpus, "Softmax")


def test_a_file_that_cannot_be_used_is_bad_input(corpus: Path) -> None:
    (corpus / EXAMPLE / "data.json").write_text("{", "utf-8")
    assert ExitCode.BAD_INPUT == opinion(corpus)


def test_a_latitude_vector_agrees_with_one_of_its_results(tmp_path: Path) -> None:
    folder = VECTORS / "latitude" / "add-14"
    shutil.copytree(folder, tmp_path / "corpus" / "latitude" / "add-14")
    assert ExitCode.OK == opinion(tmp_path / "corpus")


def test_another_result_of_a_latitude_vector_is_open_and_no_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = VECTORS / "latitude" / "ai.onnx.preview.training.adagrad-1"
    shutil.copytree(folder, tmp_path / "corpus" / "latitude" / folder.name)
    assert ExitCode.OK == opinion(tmp_path / "corpus")
    assert "open: another result than those permitted" in capsys.readouterr().out


def test_the_page_is_of_the_whole_corpus_only(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    assert ExitCode.USAGE == opinion(corpus, "softmax", "--page", str(page))
    assert "leave the patterns away" in capsys.readouterr().err
    spoil(corpus)
    opinion(corpus, "--page", str(page), rulings=ruling(ID))
    text = page.read_text("utf-8")
    assert "| Softmax" in text
    assert f"`{ID}`" in text
