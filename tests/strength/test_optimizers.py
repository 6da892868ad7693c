"""Runtimes that are wrong in what they optimize, put before a few whole models."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from committed_corpus import SPECS
from strength.aliasing import careless
from strength.around import measure_optimizers
from strength.held.measuring import convicted, held_faults
from strength.optimizers import innocents, optimizers

if TYPE_CHECKING:
    from pathlib import Path

CASES = (
    *(
        "graphs-8/transposes_of_four_axes",
        "graphs-10/readers_of_a_slice",
        "graphs-8/runs_of_one_sum",
    ),
    *("graphs-10/computed_index_of_gather", "graphs-10/function_of_each_type"),
    "ir-8/unused_input",
    *("ir-8/captured_value_with_earlier_readers", "graphs-8/reshapes_with_a_second_reader"),
)
CONVICTED = {
    "fusions: two transposes are merged in the wrong order": "transposes_of_four_axes",
    "views: products read the memory behind Slice": "readers_of_a_slice",
    "shapes: Sub is Add": "computed_index_of_gather",
    "runs: kept by their elements without order": "runs_of_one_sum",
    "names: no inputs that no node takes": "unused_input",
    "types: functions do not take uint16": "function_of_each_type",
}


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vectors")
    patterns = [f"{case}/*" for case in CASES]
    specs = tmp_path_factory.mktemp("specs")
    (specs / "models").symlink_to(SPECS / "models")
    for name in ("types.yaml", "corpus.yaml", "schemas.json", "schema.json", "add.yaml"):
        (specs / name).symlink_to(SPECS / name)
    options = ["--specs", str(specs), "--jobs", "1", "--output", str(folder)]
    command = ["generate", *options, *patterns]
    subprocess.run(
        [sys.executable, "-m", "onnx_conformance.generators.main", *command],
        check=True,
        capture_output=True,
    )
    return folder


def test_a_runtime_of_each_area_is_convicted(vectors: Path) -> None:
    wrong = [item for item in optimizers() if item.name in CONVICTED]
    found = {item.name: item.first[0][1] for item in measure_optimizers(vectors, wrong)}
    assert {name: found[name].split("/")[1] for name in found} == CONVICTED


def test_right_runtimes_of_the_same_makes_are_acquitted(vectors: Path) -> None:
    assert len({item.name for item in innocents()}) >= 6
    assert not any(item.first for item in measure_optimizers(vectors, innocents()))


def test_memory_that_is_used_again_too_early_is_noticed(vectors: Path) -> None:
    found = [item.first for item in measure_optimizers(vectors, careless())]
    assert len(found) == 3
    assert all(found)


def test_there_are_fifteen_of_each_area_and_their_names_differ() -> None:
    names = [item.name for item in optimizers()]
    assert len(set(names)) == len(names)
    areas = Counter(name.partition(":")[0] for name in names)
    assert {"fusions", "views", "runs", "names", "shapes", "types"} == areas.keys()
    assert all(count >= 15 for count in areas.values())


def test_faults_that_were_written_before_the_cases_are_convicted(vectors: Path) -> None:
    names = ("transposes_compose_backwards", "unused_inputs_are_gone", "offsets_are_ignored")
    chosen = [item for item in held_faults() if item.name in names]
    found = {fault.name for fault, _ in convicted(vectors, ("IR", "Graphs"), chosen)}
    assert set(names) == found


def test_there_are_six_held_faults_of_each_area_and_their_names_differ() -> None:
    faults = held_faults()
    areas = Counter(item.area for item in faults)
    assert len(areas) == 10
    assert min(areas.values()) >= 6
    assert len({item.name for item in faults}) == len(faults)
    assert all(item.summary for item in faults)
