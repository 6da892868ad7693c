from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from committed_corpus import sample_folder
from mutants.assessing import convicts, open_trial, own_verdicts, verdicts
from mutants.backend import Backend
from mutants.confirming import real_verdicts
from mutants.measuring import Conviction, Finding
from mutants.registry import all_mutants, snake_case, touched_operators
from mutants.reporting import PARTS, faults, markdown, summary
from mutants.strategies import INNOCENTS

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.validator.judging.verdicts import Verdict

if TYPE_CHECKING:
    from mutants.assessing import Trial

    from onnx_conformance.core.corpus.corpus import Corpus

ROOT = Path(__file__).resolve().parent.parent

# One of each way to be convicted.
HANDFUL = {
    "end_is_inclusive": Verdict.WRONG_SHAPE,
    "dimensions_are_int_32": Verdict.WRONG_VALUE,
    "int_64_becomes_int_32": Verdict.WRONG_TYPE,
    "inferred_is_left": Verdict.PROTOCOL_ERROR,
    "start_after_end_crashes": Verdict.CRASHED,
    "reshape_lacks_strings": Verdict.UNSUPPORTED,
    "empty_shape_is_refused": Verdict.REJECTED,
    "further_inputs_of_size_are_ignored": Verdict.ACCEPTED_INVALID,
}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """The vectors of the operators that the mutants know."""
    corpus = open_corpus(sample_folder())
    known = ("reshape-", "shape-", "size-")
    return replace(
        corpus,
        entries={name: item for name, item in corpus.entries.items() if name.startswith(known)},
    )


@pytest.fixture(scope="module")
def trial(corpus: Corpus) -> Trial:
    return open_trial(corpus, Backend())


# --- correct backends ---


def test_the_correct_backend_passes_every_vector(corpus: Corpus, trial: Trial) -> None:
    assert len(corpus.entries) == len(trial.exhibits)
    assert {} == own_verdicts(trial)


@pytest.mark.parametrize("name", list(INNOCENTS))
def test_correct_backends_that_work_in_other_ways_pass_every_vector(
    name: str, trial: Trial
) -> None:
    assert {} == verdicts(trial, INNOCENTS[name]())


def test_the_correct_backend_passes_as_a_child_process(corpus: Corpus) -> None:
    ids = list(corpus.entries)[::8]
    found = real_verdicts("innocent:plain", corpus, ids)
    assert set(ids) <= set(found)
    assert {Verdict.PASS} == set(found.values())


# --- mutants ---


@pytest.mark.parametrize(("name", "verdict"), list(HANDFUL.items()))
def test_the_validator_convicts_a_child_process_as_it_was_assessed(
    name: str, verdict: Verdict, corpus: Corpus, trial: Trial
) -> None:
    assessed = verdicts(trial, all_mutants()[name].backend())
    against = [item for item in assessed if assessed[item] is verdict][:3]
    real = real_verdicts(name, corpus, against)
    assert [verdict] * len(against) == [real[item] for item in against]
    assert against


def test_a_rejection_without_its_control_convicts_nobody(trial: Trial) -> None:
    found = verdicts(trial, all_mutants()["old_models_are_refused"].backend())
    inconclusive = [item for item, verdict in found.items() if verdict is Verdict.INCONCLUSIVE]
    assert "shape-1/two_inputs/float32" in inconclusive
    assert not convicts(Verdict.INCONCLUSIVE)


def test_there_are_as_many_mutants_as_were_asked_for() -> None:
    assert 150 <= len(all_mutants())


@pytest.mark.parametrize("name", list(all_mutants()))
def test_a_mutant_says_in_a_sentence_what_it_does_wrong(name: str) -> None:
    mutant = all_mutants()[name]
    assert mutant.bug.endswith(".")
    assert mutant.part in PARTS


def test_a_mutant_is_shown_the_models_that_hold_what_it_replaces() -> None:
    of = {
        name: touched_operators(type(all_mutants()[name].backend()))
        for name in ("end_is_inclusive", "strings_end_at_nul", "complex_is_not_implemented")
    }
    assert {
        "end_is_inclusive": {"Shape"},
        "strings_end_at_nul": {"Reshape"},
        "complex_is_not_implemented": {"Shape", "Size", "Reshape"},
    } == of


@pytest.mark.parametrize(
    ("name", "words"), [("EndIsInclusive", "end_is_inclusive"), ("BoolIs16", "bool_is_16")]
)
def test_names_of_mutants(name: str, words: str) -> None:
    assert words == snake_case(name)


# --- what is wrong with a measurement ---

CONVICTED = Conviction("shape-25/default/float32", "wrong-value", 3)


def all_convicted() -> dict[str, Finding]:
    return {
        name: Finding(name, Conviction() if mutant.equivalent else CONVICTED)
        for name, mutant in all_mutants().items()
    }


def test_a_measurement_without_a_fault_is_fine() -> None:
    assert [] == faults([Finding("plain")], all_convicted())


def test_a_survivor_is_a_fault() -> None:
    found = {**all_convicted(), "end_is_inclusive": Finding("end_is_inclusive")}
    assert ["'end_is_inclusive' survives: The axis of end is included."] == faults([], found)


def test_an_equivalent_mutant_that_is_convicted_is_a_fault() -> None:
    name = next(item.name for item in all_mutants().values() if item.equivalent)
    found = {**all_convicted(), name: Finding(name, CONVICTED)}
    assert [
        f"'{name}' is listed as equivalent and convicted by shape-25/default/float32"
    ] == faults([], found)


def test_a_convicted_innocent_is_a_fault() -> None:
    assert ["the correct backend 'plain' is convicted by shape-25/default/float32"] == faults(
        [Finding("plain", CONVICTED)], all_convicted()
    )


def test_a_child_with_another_verdict_is_a_fault() -> None:
    differing = Finding("end_is_inclusive", CONVICTED, differences=("x: pass as a child",))
    found = {**all_convicted(), "end_is_inclusive": differing}
    assert ["'end_is_inclusive': x: pass as a child"] == faults([], found)


def test_a_mutant_that_fails_by_itself_is_a_fault() -> None:
    failing = Conviction("x", "error", 1, errors=("x",))
    found = {**all_convicted(), "end_is_inclusive": Finding("end_is_inclusive", failing)}
    assert ["'end_is_inclusive' fails by itself on x: mend the mutant"] == faults([], found)


def test_the_summary_counts_what_each_suite_notices() -> None:
    apart = sum(1 for item in all_mutants().values() if not item.equivalent)
    lines = summary(all_convicted(), 5000, 23)
    assert f"this corpus (5000 vectors) convicts {apart} of {apart}: 100.0%" in lines
    assert f"ONNX's own cases (23) convict 0 of {apart}: 0.0%" in lines


# --- the page ---


def test_the_page_has_every_mutant_once() -> None:
    page = markdown([Finding("plain")], all_convicted(), 5000, 23)
    assert sorted(all_mutants()) == sorted(named(page))


def test_the_committed_page_lists_the_mutants_there_are() -> None:
    page = (ROOT / "docs" / "strength.md").read_text(encoding="utf-8")
    assert sorted(all_mutants()) == sorted(named(page)), "`make mutants` writes the page"


def test_the_committed_page_names_vectors_that_exist(corpus: Corpus) -> None:
    page = (ROOT / "docs" / "strength.md").read_text(encoding="utf-8")
    vectors = re.findall(r"^\| `\w+` .*? \| `([^`]+)` [a-z-]+ \|", page, re.MULTILINE)
    assert vectors
    assert set() == set(vectors) - set(corpus.entries), "`make mutants` writes the page"


def named(page: str) -> list[str]:
    return re.findall(r"^\| `(\w+)` ", page, re.MULTILINE)
