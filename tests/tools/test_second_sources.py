"""What is beside the oracle where no runtime has a version: the key, the page and the check."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sample_results as sample
from places import ROOT
from sample_specs import changed, line_of, plan_sample
from tools import second_sources

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.yaml.reading import read_yaml
from onnx_conformance.generators.corpus.coverage.operators import operator_page
from onnx_conformance.generators.specs.second_sources import SecondSource

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results

ENTRY = (
    "second_sources:\n"
    "  - {versions: [5], kind: derivation, text: By counting., held_by: tests/test_some.py}\n"
)


def with_entry(entry: str = ENTRY) -> str:
    return changed("requirements:\n", entry + "requirements:\n")


def run(folder: Path, name: str, **verdicts: str) -> Results:
    """A run of three vectors of Shape-1, of which the named ones do otherwise than fail."""
    ids = {f"shape-1/{case}/float32": "unsupported" for case in ("a", "b", "c")}
    ids |= {f"shape-1/{case}/float32": verdict for case, verdict in verdicts.items()}
    return sample.simple(folder / name, name, ids)


def test_an_entry_is_read(tmp_path: Path) -> None:
    (spec,) = plan_sample(tmp_path, with_entry()).specs
    expected = SecondSource((5,), "derivation", "By counting.", "tests/test_some.py")
    assert (expected,) == spec.second_sources


def test_the_page_of_an_operator_shows_it(tmp_path: Path) -> None:
    corpus = plan_sample(tmp_path, with_entry())
    (row,) = [
        line
        for line in operator_page(corpus.specs[0], corpus.plans).splitlines()
        if "By counting." in line
    ]
    assert row.endswith("| By counting. | `tests/test_some.py` |")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[5]", "[6]", "the operator has no version 6; it has 1, 5, 14"),
        ("[5]", "[]", "at least one version is needed"),
        ("derivation", "guess", "unknown word 'guess'"),
        ("tests/test_some.py", "some.py", "a file of tests is needed here: tests/…/test_….py"),
    ],
)
def test_a_wrong_entry_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    text = with_entry(ENTRY.replace(old, new))
    with pytest.raises(BadInputError) as error:
        plan_sample(tmp_path, text)
    assert words in str(error.value)
    assert f"reshape.yaml:{line_of('held_by', text)}: " in str(error.value)


def test_a_version_has_each_kind_once(tmp_path: Path) -> None:
    twice = ENTRY + ENTRY.split("\n", 1)[1]
    with pytest.raises(BadInputError, match="version 5 has kind 'derivation' twice"):
        plan_sample(tmp_path, with_entry(twice))


def test_a_version_that_no_run_passes_is_lonely(tmp_path: Path) -> None:
    runs = [run(tmp_path, "one"), run(tmp_path, "two", a="wrong-value")]
    assert {"shape": {1}} == second_sources.lonely(runs)


def test_a_version_that_one_run_passes_is_not(tmp_path: Path) -> None:
    assert {} == second_sources.lonely([run(tmp_path, "one"), run(tmp_path, "two", a="pass")])


def test_a_pass_among_many_is_an_accident(tmp_path: Path) -> None:
    many = {f"shape-1/case_{number}/float32": "rejected" for number in range(11)}
    many["shape-1/case_0/float32"] = "pass"
    runs = [sample.simple(tmp_path / "many", "many", many)]
    assert {"shape": {1}} == second_sources.lonely(runs)


def test_a_lonely_version_without_a_second_source_is_complained_of() -> None:
    (found,) = second_sources.complaints({"shape": frozenset({1})}, {"shape": frozenset()})
    assert found.startswith("shape-1: no runtime that was run has it; say under `second_sources`")


def test_a_second_source_that_nobody_needs_is_complained_of() -> None:
    (found,) = second_sources.complaints({}, {"shape": frozenset({1})})
    assert found.startswith("shape-1: a runtime that was run has it; take it out")


def test_subjects_that_are_no_operators_need_none() -> None:
    assert [] == list(second_sources.complaints({"ir": frozenset({12})}, {}))


def test_every_test_that_a_spec_names_is_there() -> None:
    missing = []
    for path in (*(ROOT / "specs").glob("*.yaml"), *(ROOT / "specs/models").glob("*.yaml")):
        keys = read_yaml(path).mapping()
        for item in keys["second_sources"].sequence() if "second_sources" in keys else ():
            held_by = item.mapping()["held_by"].string()
            if not (ROOT / held_by).is_file():
                missing.append(f"{path.name}: {held_by}")
    assert [] == missing


def test_the_committed_specs_say_it_of_seventeen_versions() -> None:
    assert 17 == sum(map(len, second_sources.said(ROOT / "specs").values()))
