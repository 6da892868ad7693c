"""`run --fresh SEED`: vectors of the corpus with their derived inputs drawn anew."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from commands import validate
from places import VECTORS

from onnx_conformance.core.errors import ExitCode
from onnx_conformance.generators.exploring.anew import fresh_vector

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ("run", "--backend", "reference", "--vectors", VECTORS / "standard", "--jobs", "1")


def test_a_derived_input_is_another_one_for_each_seed() -> None:
    name = "add-14/shape_1/float32"
    found = [dict(fresh_vector(name, seed).files or {}) for seed in ("1", "2", "1")]
    inputs = [item["test_data_set_0/input_0.pb"] for item in found]
    assert inputs[0] == inputs[2]
    assert inputs[0] != inputs[1]


def test_a_vector_that_is_written_out_stays_as_it_is() -> None:
    assert () == fresh_vector("add-14/example/float32", "1").edits


@pytest.mark.slow
def test_a_run_says_how_many_were_drawn_anew_and_its_results_are_of_another_corpus(
    tmp_path: Path,
) -> None:
    results = tmp_path / "results.jsonl"
    names = ("add-14/example/float32", "add-14/shape_1/float32")
    done = validate(*WORDS, *names, "--fresh", "7", "--results", results)
    assert done.returncode == ExitCode.OK, done.stderr
    assert b"1 vector drawn anew; 1 have all values written out" in done.stderr
    header = json.loads(results.read_text().splitlines()[0])
    assert header["corpus"]["version"].endswith("+fresh.7")
    assert header["corpus"]["digest"] is None


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--resume", "--reuse"])
def test_verdicts_on_other_values_are_not_taken_over(option: str, tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    validate(*WORDS, "add-14/example/float32", "--results", results)
    more = (option,) if option == "--resume" else (option, results)
    done = validate(*WORDS, "add-14/example/float32", "--results", results, "--fresh", "7", *more)
    assert done.returncode == ExitCode.USAGE
