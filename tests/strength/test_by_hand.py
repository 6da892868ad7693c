"""Runtimes of Shape, Size and Reshape that people wrote: the wrong ones are convicted."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from committed_corpus import sample_folder
from strength.__main__ import main
from strength.by_hand import running
from strength.by_hand.backend import Backend
from strength.by_hand.judging import convicts, open_trial, verdicts
from strength.by_hand.registry import all_mutants, snake_case, touched_operators
from strength.by_hand.running import ByHand, measure_by_hand

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.errors import IncompleteError
from onnx_conformance.validator.judging.verdicts import Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from strength.by_hand.judging import Trial

# One of each way to be convicted.
HANDFUL = {
    "four_dimensions_are_kept": Verdict.WRONG_SHAPE,
    "strings_are_stripped": Verdict.WRONG_VALUE,
    "folded_shape_is_int_32": Verdict.WRONG_TYPE,
    "strings_are_copied_as_bytes": Verdict.CRASHED,
    "unresolved_hangs": Verdict.TIMED_OUT,
    "start_of_rank_is_refused": Verdict.REJECTED,
    "unknown_attribute_of_shape_is_ignored": Verdict.ACCEPTED_INVALID,
}


@pytest.fixture(scope="module")
def found() -> ByHand:
    return measure_by_hand(sample_folder())


@pytest.fixture(scope="module")
def trial() -> Trial:
    corpus = open_corpus(sample_folder())
    known = ("reshape-24/", "reshape-25/", "shape-25/", "shape-1/")
    entries = {name: item for name, item in corpus.entries.items() if name.startswith(known)}
    return open_trial(replace(corpus, entries=entries), Backend())


def test_every_runtime_that_is_wrong_is_convicted(found: ByHand) -> None:
    assert () == found.living
    assert found.tried > 150


def test_no_correct_runtime_is_convicted(found: ByHand) -> None:
    assert {} == found.convicted


@pytest.mark.parametrize(("name", "verdict"), list(HANDFUL.items()))
def test_each_way_to_be_wrong_has_its_verdict(name: str, verdict: Verdict, trial: Trial) -> None:
    assert verdict in verdicts(trial, all_mutants()[name].backend()).values()


def test_a_rejection_without_its_control_convicts_nobody() -> None:
    assert not convicts(Verdict.INCONCLUSIVE)


@pytest.mark.parametrize("name", list(all_mutants()))
def test_a_runtime_says_in_a_sentence_what_it_does_wrong(name: str) -> None:
    assert all_mutants()[name].bug.endswith(".")


def test_a_runtime_is_shown_the_models_that_hold_what_it_replaces() -> None:
    names = ("four_dimensions_are_kept", "strings_are_stripped", "consumed_inputs_are_refused")
    of = [touched_operators(all_mutants()[name].backend) for name in names]
    assert [{"Shape"}, {"Reshape"}, {"Shape", "Size", "Reshape"}] == of


@pytest.mark.parametrize(
    ("name", "words"), [("EndIsInclusive", "end_is_inclusive"), ("BoolIs16", "bool_is_16")]
)
def test_names_of_runtimes(name: str, words: str) -> None:
    assert words == snake_case(name)


# --- the command ---


def few(folder: Path) -> Path:
    """A corpus of one vector, which convicts few."""
    place = open_corpus(sample_folder()).entries["size-25/example/float32"].directory
    shutil.copytree(place, folder / "valid" / "size-25" / place.name)
    return folder


def test_what_lives_is_named_and_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["strength", "by-hand", "--vectors", str(few(tmp_path))]
    monkeypatch.setattr("sys.argv", arguments)
    assert 1 == main()
    assert "LIVES   strings_are_stripped: White space around" in capsys.readouterr().out


def test_a_convicted_correct_runtime_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(running, "own_verdicts", lambda _: {"size-25/a/bool": Verdict.REJECTED})
    monkeypatch.setattr("sys.argv", ["strength", "by-hand", "--vectors", str(few(tmp_path))])
    assert 1 == main()
    assert "WRONG   the correct backend 'plain' is convicted" in capsys.readouterr().out


def test_a_folder_without_their_operators_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "valid").mkdir()
    with pytest.raises(IncompleteError):
        measure_by_hand(tmp_path)
