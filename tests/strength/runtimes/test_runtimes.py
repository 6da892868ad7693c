"""Runtimes that are wrong around operators, put before a few whole models and one operator."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from committed_corpus import SPECS
from strength.__main__ import main
from strength.runtimes import judging
from strength.runtimes.faults.validity import RULES
from strength.runtimes.index import correct_runtimes, wrong_runtimes
from strength.runtimes.judging import MistakeError, notices
from strength.runtimes.measuring import measure_runtimes
from strength.runtimes.registry import Runtime
from strength.runtimes.steps import CrashError, NodeStep, session_with
from strength.vectors import Vectors

from onnx_conformance.core.errors import IncompleteError
from onnx_conformance.generators.interpreter import running as interpreting
from onnx_conformance.generators.interpreter.validity import binding, checking

if TYPE_CHECKING:
    from collections.abc import Callable

    from strength.runtimes.steps import Values

CASES = (
    *("graphs-8/transposes_of_four_axes", "graphs-10/readers_of_a_slice"),
    *("graphs-8/runs_of_one_sum", "graphs-10/computed_index_of_gather"),
    *("graphs-10/function_of_each_type", "ir-8/unused_input"),
    *("ir-8/captured_value_with_earlier_readers", "graphs-8/reshapes_with_a_second_reader"),
    "ir-8/carried_value_with_earlier_readers",
)
# One of each area, with the case that notices it.
NOTICED = {
    "fusions: transposes compose in the wrong order": "transposes_of_four_axes",
    "views: memory is read behind Slice for products": "readers_of_a_slice",
    "shapes: of shapes Sub is Add": "computed_index_of_gather",
    "caches: runs are told apart by their elements without order": "runs_of_one_sum",
    "names: no inputs that no node takes": "unused_input",
    "functions: no functions of uint16": "function_of_each_type",
}


def generate(folder: Path, patterns: list[str], *options: str) -> Path:
    command = ["generate", *options, "--jobs", "1", "--output", str(folder), *patterns]
    subprocess.run(
        [sys.executable, "-m", "onnx_conformance.generators.main", *command],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few whole models."""
    specs = tmp_path_factory.mktemp("specs")
    (specs / "models").symlink_to(SPECS / "models")
    for name in ("types.yaml", "corpus.yaml", "schemas.json", "schema.json", "add.yaml"):
        (specs / name).symlink_to(SPECS / name)
    patterns = [f"{case}/*" for case in CASES]
    return generate(tmp_path_factory.mktemp("models"), patterns, "--specs", str(specs))


@pytest.fixture(scope="module")
def size(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The newest version of Size."""
    return generate(tmp_path_factory.mktemp("size"), ["size-25/*"])


def named(*names: str) -> list[Runtime]:
    found = [item for item in wrong_runtimes() if item.name in names]
    assert set(names) == {item.name for item in found}
    return found


def first_vectors(folder: Path, runtimes: list[Runtime], *operators: str) -> dict[str, str]:
    return {
        item.runtime.name: item.vector for item in measure_runtimes(folder, runtimes, 1, operators)
    }


def test_a_wrong_runtime_of_each_area_is_noticed(models: Path) -> None:
    found = first_vectors(models, named(*NOTICED), "IR", "Graphs")
    assert {name: found[name].split("/")[1] for name in found} == NOTICED


def test_right_runtimes_that_work_in_the_same_ways_are_not(models: Path) -> None:
    assert len(correct_runtimes()) >= 8
    found = first_vectors(models, list(correct_runtimes()), "IR", "Graphs")
    assert set(found.values()) == {""}


def test_memory_that_is_used_again_too_early_is_noticed(models: Path) -> None:
    wrong = [item for item in wrong_runtimes() if item.area == "reused memory"]
    found = first_vectors(models, wrong, "IR", "Graphs")
    assert len(found) == 3
    assert all(found.values())


def test_there_are_many_of_each_area_and_their_names_differ() -> None:
    runtimes = wrong_runtimes()
    areas = Counter(item.area for item in runtimes)
    assert len({item.name for item in runtimes}) == len(runtimes)
    assert len(areas) >= 15
    assert all(count >= 3 for count in areas.values())
    assert sum(item.held_out for item in runtimes) > 100


def test_each_says_in_a_sentence_what_it_does() -> None:
    assert [] == [item.name for item in wrong_runtimes() if not item.summary.endswith(".")]


@pytest.mark.parametrize(
    ("fault", "form"),
    [
        ("subgraphs: the other branch is run", "if_branch"),
        ("subgraphs: subgraphs are refused", "if_branch"),
        ("constants: defaults stay", "overridden_dims"),
        ("names: no inputs of unknown dimensions", "anonymous"),
        ("caches: results of nodes are kept by the node alone", "data_sets"),
    ],
)
def test_what_is_wrong_around_an_operator_shows_in_a_form(
    size: Path, fault: str, form: str
) -> None:
    found = first_vectors(size, named(fault), "Size")
    assert form == found[fault].rpartition(".")[2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kept", "vector"),
    [
        ("of float64 as texts of 15 digits", "abs-13/types/float64.initializer"),
        ("of strings as far as a NUL", "stringconcat-20/shape_2x1x3x2/string.loop_body"),
    ],
)
def test_constants_that_are_folded_and_kept_otherwise_are_noticed(
    tmp_path: Path, kept: str, vector: str
) -> None:
    name = f"constants: folded results {kept}"
    operator = {"abs": "Abs", "stringconcat": "StringConcat"}[vector.partition("-")[0]]
    found = first_vectors(generate(tmp_path, [vector]), named(name), operator)
    assert {name: vector} == found


@pytest.mark.parametrize(
    "rule", ["attributes-are-known", "as-many-inputs", "outputs-have-the-declared-type"]
)
def test_a_rule_that_a_runtime_forgets_shows_in_an_invalid_vector(size: Path, rule: str) -> None:
    name = f"validity: without {rule}"
    assert first_vectors(size, named(name), "Size")[name]


@pytest.mark.parametrize("fault", ["names: absent inputs close up", "views: in place Neg"])
def test_a_fault_that_cannot_show_is_not_noticed(size: Path, fault: str) -> None:
    # Size has one input, and does not read its elements.
    assert {fault: ""} == first_vectors(size, named(fault), "Size")


def test_a_runtime_that_crashes_or_hangs_where_it_should_refuse_is_noticed(size: Path) -> None:
    name = "validity: crashes instead of refusing as-many-inputs"
    assert first_vectors(size, named(name), "Size")[name]


def test_every_rule_of_the_interpreter_can_be_forgotten() -> None:
    known = set()
    for module in (binding, checking, interpreting):
        source = Path(str(module.__file__)).read_text(encoding="utf-8")
        known |= set(re.findall(r'refuse\(\s*f?"([a-z-]+)', source))
    assert {"as-many-", *known} - {"as-many-"} <= {*RULES, "inputs-have-names", "inputs-have-types"}
    assert len(known) > 15


# --- mistakes ---


def runtime_of(wrong: Callable[[NodeStep], Values]) -> Runtime:
    return Runtime("area", "title", "What it does.", session=session_with({NodeStep: wrong}))


def test_a_wrong_runtime_whose_own_code_fails_is_no_finding(
    size: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumbling(step: NodeStep) -> Values:
        return step.values[99:100] or [step.values[99]]

    monkeypatch.setattr(judging, "_FOLDER", Path(__file__).parent)
    vectors = Vectors(size, "", "Size")
    with pytest.raises(MistakeError, match="'area: title' stumbles over itself"):
        notices(vectors, "size-25/example/float32", runtime_of(stumbling))


def test_a_crash_is_noticed_by_a_valid_vector(size: Path) -> None:
    def crashing(step: NodeStep) -> Values:
        raise CrashError(step.node.text)

    vectors = Vectors(size, "", "Size")
    assert notices(vectors, "size-25/example/float32", runtime_of(crashing))


def test_a_vector_that_judges_the_right_runtime_wrong_is_an_error(
    size: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "is_noticed", lambda _judgement: True)
    with pytest.raises(ValueError, match="judges a runtime wrong that is right"):
        first_vectors(size, named("views: in place Neg"), "Size")


# --- the command ---


@pytest.mark.slow
def test_what_survives_is_named_and_fails(
    size: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["runtimes", "--operator", "Size", "--jobs", "2", "--vectors", str(size)]
    monkeypatch.setattr(sys, "argv", ["strength", *arguments])
    assert 1 == main()
    out = capsys.readouterr().out
    assert "SURVIVED views: in place Neg\n          An operator writes its result over" in out
    assert "argued   validity: without names-are-defined" in out
    assert "correct  correct: memory is reused" in out.replace("MemoryIsReused", "memory is reused")


def test_a_folder_without_vectors_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "valid").mkdir()
    with pytest.raises(IncompleteError, match="has no vector of Size"):
        first_vectors(tmp_path, named("views: in place Neg"), "Size")
