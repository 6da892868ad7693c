"""What reports say of accuracy, for each operator and backend."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import sample_results as sample
from parsed_pages import Page
from result_schemas import REPORT

from onnx_conformance.core.markdown import cell
from onnx_conformance.validator.reports import html, json_report, markdown, terminal
from onnx_conformance.validator.reports.facts.profiles_met import (
    Accuracy,
    accuracy_by_operator,
    share_text,
    summary,
    words,
)
from onnx_conformance.validator.results.records import Results

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.results.records import Row


def measured(vector_id: str, met: str, used: float | None = None, **facts: Any) -> Row:  # noqa: ANN401  any field of Row
    details = {"met": met} | ({} if used is None else {"used": used})
    verdict = "pass" if met in ("exact", "ieee") else "wrong-value"
    return sample.row(vector_id, facts.pop("verdict", verdict), details=details, **facts)


def results(folder: Path, *rows: Row, name: str = "a", accuracy: str = "ieee") -> Results:
    head = sample.header(name, [row.id for row in rows], extra={"accuracy": accuracy})
    return sample.write(folder / f"{name}.jsonl", head, rows)


EXP = "exp-13/{}/float32"
DIV = "div-14/{}/float32"


# --- what an operator meets ---------------------------------------------------------------------


def test_an_operator_meets_what_its_worst_vector_meets(tmp_path: Path) -> None:
    found = accuracy_by_operator(
        results(
            tmp_path,
            measured(EXP.format("a"), "exact", 0.0),
            measured("exp-6/b/float16", "gpu", 2.5),
            measured(EXP.format("c"), "ieee", 0.9),
        )
    )
    assert {"Exp": Accuracy(3, 0, "gpu", 2.5, "exp-6/b/float16", careful=2)} == found


def test_the_used_fraction_is_the_largest_and_its_vector_is_named(tmp_path: Path) -> None:
    rows = [measured(EXP.format(name), "ieee", share) for name, share in (("a", 0.2), ("b", 0.7))]
    found = accuracy_by_operator(results(tmp_path, *rows))["Exp"]
    assert ("ieee", 0.7, EXP.format("b")) == (found.met, found.used, found.worst)


def test_a_vector_without_a_fraction_can_be_the_worst(tmp_path: Path) -> None:
    rows = [measured(EXP.format("nan"), "none"), measured(EXP.format("b"), "ieee", 0.7)]
    found = accuracy_by_operator(results(tmp_path, *rows))["Exp"]
    assert ("none", 0.7, EXP.format("nan")) == (found.met, found.used, found.worst)


def test_a_vector_without_outputs_is_counted_as_not_measured(tmp_path: Path) -> None:
    rejected = sample.row(EXP.format("b"), "rejected", details={"accuracy": "3 ulp"})
    found = accuracy_by_operator(
        results(tmp_path, measured(EXP.format("a"), "ieee", 0.5), rejected)
    )
    assert Accuracy(2, 1, "ieee", 0.5, EXP.format("a"), careful=1) == found["Exp"]


def test_an_operator_of_which_nothing_was_measured_meets_nothing_and_fails_nothing(
    tmp_path: Path,
) -> None:
    row = sample.row(EXP.format("a"), "unsupported", details={"accuracy": "3 ulp"})
    assert {"Exp": Accuracy(1, 1)} == accuracy_by_operator(results(tmp_path, row))


def test_vectors_without_limits_do_not_count(tmp_path: Path) -> None:
    rows = [sample.row(), sample.row("size-13/scalar/int8", "crashed")]
    assert {} == accuracy_by_operator(results(tmp_path, *rows))


@pytest.mark.parametrize("used", [True, "0.5", -1, [0.5], 1e999, None])
def test_a_fraction_that_is_no_number_is_not_believed(used: object) -> None:
    row = sample.row(EXP.format("a"), details={"met": "ieee", "used": used})
    head = sample.header("a", [row.id])
    assert accuracy_by_operator(Results(head, (row,), None))["Exp"].used is None


@pytest.mark.parametrize("met", ["best", 3, ["ieee"], None])
def test_a_profile_that_is_none_is_not_believed(met: object, tmp_path: Path) -> None:
    row = sample.row(EXP.format("a"), details={"met": met})
    assert Accuracy(1, 1) == accuracy_by_operator(results(tmp_path, row))["Exp"]


# --- in words -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accuracy", "text"),
    [
        (None, ""),
        (Accuracy(3, 0, "exact", 0.0, "x"), "exact"),
        (Accuracy(3, 0, "ieee", 0.834, "x"), "ieee, 0.83 used"),
        (Accuracy(3, 1, "none", 23456789.0, "x"), "none, 2.3e+07 used, 1 of 3 not measured"),
        (Accuracy(3, 3), "not measured"),
    ],
)
def test_a_cell_says_profile_fraction_and_what_was_not_measured(
    accuracy: Accuracy | None, text: str
) -> None:
    assert text == words(accuracy)


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0"), (1e-5, "<0.01"), (0.5, "0.50"), (12.34, "12"), (1e9, "1.0e+09")]
)
def test_fractions_are_short(share: float, text: str) -> None:
    assert text == share_text(share)


def test_the_summary_counts_operators_and_names_those_that_do_not_meet_the_profile(
    tmp_path: Path,
) -> None:
    found = results(
        tmp_path,
        measured("add-14/a/float32", "exact", 0.0),
        measured(EXP.format("a"), "ieee", 0.9),
        measured(DIV.format("a"), "gpu", 1.8),
        measured("sigmoid-13/a/float32", "none", 2.3e7),
        measured("tanh-13/a/float32", "none", 57.0),
        sample.row("erf-13/a/float32", "unsupported", details={"accuracy": "16 ulp"}),
    )
    first = "accuracy: 2 of 6 operators with limits meet ieee, 1 of them exactly;"
    assert [
        f"{first} at most 0.90 of a bound is used (Exp)",
        "    gpu only (1): Div 1.80",
        "    no profile (2): Sigmoid 2.3e+07, Tanh 57",
        "    not measured (1): Erf",
    ] == summary(found)


def test_under_gpu_what_meets_gpu_is_within(tmp_path: Path) -> None:
    row = measured(DIV.format("a"), "gpu", 0.7, verdict="pass")
    (line,) = summary(results(tmp_path, row, accuracy="gpu"))
    assert line.startswith("accuracy: 1 of 1 operator with limits meets gpu; at most 0.70")


def test_many_operators_are_cut_short(tmp_path: Path) -> None:
    rows = [measured(f"op{number:02d}-1/a/float32", "none", 2.0) for number in range(9)]
    assert summary(results(tmp_path, *rows))[1].endswith(" and 3 more")


# --- where it is shown --------------------------------------------------------------------------


def both(folder: Path) -> list[Results]:
    return [
        results(folder, measured(EXP.format("a"), "ieee", 0.9), name="one"),
        results(folder, measured(EXP.format("a"), "none", 7.0), name="two"),
    ]


def test_the_terminal_has_a_line(tmp_path: Path) -> None:
    text = terminal.render([results(tmp_path, measured(EXP.format("a"), "ieee", 0.9))])
    assert "\naccuracy: 1 of 1 operator with limits meets ieee; at most 0.90" in text


def test_markdown_has_a_table_with_a_column_for_each_backend(tmp_path: Path) -> None:
    text = markdown.render(both(tmp_path))
    assert "## Accuracy" in text
    assert "| operator | `one` | `two` |" in text
    assert "| `Exp` | ieee, 0.90 used | none, 7.00 used |" in text


def test_the_page_has_a_table_that_leads_to_the_worst_vector(tmp_path: Path) -> None:
    page = Page(html.render(both(tmp_path)))
    links = [facts.get("href") for tag, facts in page.tags if tag == "a"]
    assert "#accuracy" in links
    assert 2 <= links.count(f"#vector/{EXP.format('a')}")
    assert "ieee, 0.90 used" in page.text
    assert [] == page.unbalanced


def test_json_holds_the_figures_and_is_valid(tmp_path: Path) -> None:
    document = json.loads(json_report.render(both(tmp_path)))
    jsonschema.Draft202012Validator(REPORT).validate(document)
    assert [
        {
            "operator": "Exp",
            "vectors": 1,
            "unmeasured": 0,
            "met": "none",
            "used": 7.0,
            "worst": EXP.format("a"),
        }
    ] == document["backends"][1]["accuracy"]
    assert "ieee" == document["backends"][1]["judged_by"]


def test_reports_without_limits_say_nothing_of_accuracy(tmp_path: Path) -> None:
    plain = [results(tmp_path, sample.row())]
    assert "accuracy:" not in terminal.render(plain)
    assert "Accuracy" not in markdown.render(plain)
    assert 'id="accuracy"' not in html.render(plain)
    assert [] == json.loads(json_report.render(plain))["backends"][0]["accuracy"]


def test_an_operator_by_a_hostile_name_is_only_text(tmp_path: Path) -> None:
    name = "<script>|`x`"
    found = results(tmp_path, measured(EXP.format("a"), "none", 2.0, operator=name))
    assert name in Page(html.render([found])).text
    assert f"\n| {cell(name)} | none, 2.00 used |" in markdown.render([found])
