from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from committed_corpus import SPECS, committed
from sample_specs import RESHAPE, changed, line_of, plan_sample

from onnx_conformance.generators.corpus.coverage.operators import (
    coverage_page,
    covering,
    operator_coverage,
    operator_gaps,
    operator_page,
)
from onnx_conformance.generators.specs.words import Spread

if TYPE_CHECKING:
    from pathlib import Path


def found(folder: Path, text: str) -> list[str]:
    corpus = plan_sample(folder, text)
    return list(operator_gaps(corpus.specs[0], corpus.plans))


def requirement(folder: Path, name: str) -> str:
    return f"{folder}/reshape.yaml: requirement '{name}'"


def test_a_requirement_without_a_case_is_a_gap(tmp_path: Path) -> None:
    text = changed(
        "  - id: shape-int64\n",
        "  - id: lonely\n    text: Nobody tests this.\n    source: {document: D, part: P}\n"
        "  - id: shape-int64\n",
    )
    where = requirement(tmp_path, "lonely")
    expected = f"{where} has no case; add one, or say in `uncovered` why there is none"
    assert [expected] == found(tmp_path, text)


def test_a_requirement_that_says_why_it_is_not_covered_is_no_gap(tmp_path: Path) -> None:
    text = changed(
        "  - id: shape-int64\n",
        "  - id: lonely\n    text: Nobody tests this.\n    source: {document: D, part: P}\n"
        "    uncovered: It is about speed.\n  - id: shape-int64\n",
    )
    assert [] == found(tmp_path, text)


def test_a_requirement_that_is_covered_after_all_is_a_gap(tmp_path: Path) -> None:
    text = changed(
        "    text: The output has the requested shape.\n",
        "    text: The output has the requested shape.\n    uncovered: It is about speed.\n",
    )
    where = requirement(tmp_path, "requested-shape")
    expected = f"{where} is said to be uncovered, but case 'two_dims' covers it"
    assert [expected] == found(tmp_path, text)


def test_a_requirement_without_a_case_at_a_version_is_a_gap(tmp_path: Path) -> None:
    text = changed("    since: 14\n    text", "    since: 5\n    text")
    expected = f"{requirement(tmp_path, 'literal-zero')} has no case that holds at version 5"
    assert [expected] == found(tmp_path, text)


def test_a_type_without_a_valid_vector_is_a_gap(tmp_path: Path) -> None:
    text = changed(
        "    spread: [everywhere, types]\n",
        "    spread: [everywhere, types]\n    types: [floats, string]\n",
    )
    expected = [
        f"{tmp_path}/reshape.yaml: Reshape-{version} has no valid vector of int32"
        for version in (5, 14)
    ]
    assert expected == found(tmp_path, text)


def test_an_attribute_without_a_vector_is_a_gap(tmp_path: Path) -> None:
    text = changed("{allowzero: {type: int, default: 0}}", "{allowzero: int, shape: ints}")
    expected = f"{tmp_path}/reshape.yaml: Reshape-14 has no vector with 'shape'; give it in a case"
    (gap,) = found(tmp_path, text)
    assert gap.startswith(expected)


def test_an_attribute_that_the_oracle_does_not_name_is_said_to_be_unknown(tmp_path: Path) -> None:
    text = changed("{allowzero: {type: int, default: 0}}", "{allowzero: int, axis: int}")
    (gap,) = found(tmp_path, text)
    assert "no vector with 'axis', which its oracle does not know either; give it in a" in gap


def test_a_form_that_suits_its_case_nowhere_is_a_gap(tmp_path: Path) -> None:
    text = changed(
        "    attributes: {allowzero: 1}\n",
        "    attributes: {allowzero: 1}\n    forms: [static, same_value]\n",
    )
    line = line_of("- id: zero", text)
    where = f"{tmp_path}/reshape.yaml:{line}: case 'zero'"
    assert [f"{where} has no vector of form 'same_value'; take it out"] == found(tmp_path, text)


def test_a_pair_that_suits_its_case_nowhere_is_a_gap(tmp_path: Path) -> None:
    text = changed(
        "    spread: [everywhere, types]\n",
        "    spread: everywhere\n    forms: {same_value: [string], symbolic: [float64]}\n",
    )
    corpus = plan_sample(tmp_path, text[: text.index("invalid:")])
    found = operator_gaps(corpus.specs[0], corpus.plans)
    (gap,) = [item for item in found if "take it out" in item]
    assert "case 'two_dims' has no vector of string in form 'same_value'" in gap


def test_a_case_of_the_full_profile_alone_is_no_gap() -> None:
    corpus = committed()
    assert "codes_0000_to_0fff" in next(s for s in corpus.specs if s.slug == "exp").cases
    for spec in corpus.specs:
        planned = [plan for plan in corpus.plans if plan.spec is spec]
        assert [] == list(operator_gaps(spec, planned))


def test_a_case_of_the_full_profile_alone_covers_nothing() -> None:
    spec = next(spec for spec in committed().specs if spec.slug == "sign")
    cases = {name: replace(case, spread=Spread.FULL) for name, case in spec.cases.items()}
    found = list(operator_gaps(replace(spec, cases=cases), []))
    required = [item.id for item in spec.requirements.values() if item.uncovered is None]
    said = "has no case; add one, or say in `uncovered` why there is none"
    assert [f"{spec.path}: requirement '{name}' {said}" for name in required] == [
        line for line in found if "has no case;" in line
    ]


def test_a_type_that_suits_its_case_nowhere_is_a_gap(tmp_path: Path) -> None:
    text = changed(
        "    spread: [everywhere, types]\n",
        "    spread: [everywhere, types]\n    types: [some, bool]\n",
    )
    line = line_of("- id: two_dims", text)
    where = f"{tmp_path}/reshape.yaml:{line}: case 'two_dims'"
    assert [f"{where} has no vector of type 'bool'; take it out"] == found(tmp_path, text)


def test_cases_of_every_kind_cover(tmp_path: Path) -> None:
    (spec,) = plan_sample(tmp_path, RESHAPE).specs
    assert ("zero", "allowzero_2") == covering(spec, spec.requirements["literal-zero"])


def page_of(folder: Path, text: str = RESHAPE) -> list[str]:
    corpus = plan_sample(folder, text)
    return operator_page(corpus.specs[0], corpus.plans).splitlines()


def test_the_page_counts_vectors_by_kind(tmp_path: Path) -> None:
    corpus = plan_sample(tmp_path)
    page = coverage_page(SPECS, [operator_coverage(corpus.specs[0], corpus.plans)])
    assert "| Reshape | 3 | 3 | 5 | 16 | 5 | 1 | 22 |" in page
    assert "| **all** | 3 | 3 | 5 | 16 | 5 | 1 | 22 |" in page


def test_the_page_says_how_much_of_onnx_has_a_spec(tmp_path: Path) -> None:
    corpus = plan_sample(tmp_path)
    page = coverage_page(SPECS, [operator_coverage(corpus.specs[0], corpus.plans)])
    assert "1 of 227 operators have a spec, 3 of 659 versions." in page


def test_the_page_names_the_versions_that_have_no_vectors_because_they_are_deprecated(
    tmp_path: Path,
) -> None:
    corpus = plan_sample(tmp_path)
    page = coverage_page(SPECS, [operator_coverage(corpus.specs[0], corpus.plans)])
    said = "5 are deprecated, and have no vectors: "
    assert said in page
    names = page.split(said)[1].split(".\n")[0].split(", ")
    assert [
        "GroupNormalization-18",
        "Scatter-11",
        "Upsample-10",
        "ai.onnx.ml.TreeEnsembleClassifier-5",
        "ai.onnx.ml.TreeEnsembleRegressor-5",
    ] == sorted(names)


def test_specs_without_the_schemas_are_about_operators_of_their_own(tmp_path: Path) -> None:
    corpus = plan_sample(tmp_path)
    page = coverage_page(tmp_path, [operator_coverage(corpus.specs[0], corpus.plans)])
    assert "1 of 1 operators have a spec, 3 of 3 versions." in page


def test_the_page_names_each_requirement_with_its_source_and_counts(tmp_path: Path) -> None:
    row = (
        "| `shape-int64` | The shape has the element type int64. | Reshape-5, Inputs | 5 to 14 |"
        " 1 | 2 |"
    )
    assert row in page_of(tmp_path)


def test_the_page_says_why_a_requirement_is_not_covered(tmp_path: Path) -> None:
    text = changed(
        "  - id: shape-int64\n",
        "  - id: lonely\n    text: A | B.\n    until: 1\n    source: {document: D, part: P}\n"
        "    uncovered: It is about speed.\n  - id: shape-int64\n",
    )
    row = "| `lonely` | A \\| B. *It is about speed.* | D, P | 1 | 0 | 0 |"
    assert row in page_of(tmp_path, text)


def test_the_page_says_what_an_erratum_replaced(tmp_path: Path) -> None:
    text = changed(
        "  - id: shape-int64\n",
        "  - id: lonely\n    text: A.\n    until: 1\n    source: {document: D, part: P}\n"
        "    uncovered: It is about speed.\n    errata: NaN before 1.23.\n  - id: shape-int64\n",
    )
    row = "| `lonely` | A. *It is about speed.* *Errata: NaN before 1.23.* | D, P | 1 | 0 | 0 |"
    assert row in page_of(tmp_path, text)


def test_the_page_crosses_versions_with_types_and_forms(tmp_path: Path) -> None:
    lines = page_of(tmp_path)
    assert "|  | Reshape-1 | Reshape-5 | Reshape-14 |" in lines
    assert "| string | · | 1 | 1 |" in lines
    assert "| static | 4 | 7 | 11 |" in lines
