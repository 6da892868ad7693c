"""What documents leave open, beside what runtimes make of it: in texts for issues, on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sample_results as sample
from places import ROOT
from small_corpus import small_vector
from tools import errata_page
from tools import open_questions as making

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.core.corpus.vectors import Permitted
from onnx_conformance.core.errors import BadInputError, UsageError
from onnx_conformance.core.witnesses.ledger import Engine
from onnx_conformance.core.witnesses.readings import (
    LEDGER,
    Asked,
    OpenLedger,
    open_ledger_text,
    read_open_ledger,
)
from onnx_conformance.generators.main import COMMANDS
from onnx_conformance.generators.opens.joining import Open, open_questions
from onnx_conformance.generators.opens.wording import issue, listed, sources_of
from onnx_conformance.generators.specs.statements_reading import questions_of_file

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.core.corpus.vectors import Vector
    from onnx_conformance.validator.results.records import Results

SPEC = """\
operator: Relu
open:
  - id: not-a-number
    text: The page does not say what NaN gives.
    source: {document: Relu-14, part: Summary}
    readings: {propagates: it stays NaN, zero-is-it: "0, as in the function body"}
  - id: sign-of-zero
    text: The page does not say which zero it is.
    source: {document: Relu-14, part: Summary}
    readings: {kept: its own, plus: the positive one}
"""
NAN = "relu-14/with_nan/float32"


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    folder = tmp_path / "specs"
    folder.mkdir()
    (folder / "relu.yaml").write_text(SPEC)
    return folder


def vector(vector_id: str = NAN) -> Vector:
    permitted = (
        Permitted("propagates", "it stays NaN", "permitted_0"),
        Permitted("zero_is_it", "0, as in the function body", "permitted_1"),
    )
    return small_vector(vector_id, "latitude", permitted=permitted)


def column(tmp_path: Path, name: str, verdict: str = "pass", taken: str | None = None) -> Results:
    rows = [sample.row(NAN, verdict, kind="latitude", expect="any", taken=taken)]
    head = sample.header(name, [NAN], describe={"name": name, "version": "1"})
    return sample.write(tmp_path / f"{name}.jsonl", head, rows)


def ledger(tmp_path: Path, specs: Path, **taken: str) -> OpenLedger:
    columns = [column(tmp_path, name, taken=reading) for name, reading in taken.items()]
    questions = {"relu": questions_of_file(specs / "relu.yaml")[1]}
    return making.ledger_of(columns, [vector()], questions, "1.0")


def test_a_question_is_asked_where_results_take_two_of_its_readings(
    tmp_path: Path, specs: Path
) -> None:
    found = ledger(tmp_path, specs, one="propagates", two="zero_is_it").questions
    asked = Asked(1, NAN, ({"propagates": 1}, {"zero-is-it": 1}))
    assert {"relu": {"not-a-number": asked}} == found


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [("wrong-value", {"": 1}), ("rejected", {"": 1}), ("unsupported", {}), ("inconclusive", {})],
)
def test_a_result_that_no_reading_permits_is_counted_and_what_was_not_run_is_not(
    tmp_path: Path, specs: Path, verdict: str, expected: dict[str, int]
) -> None:
    questions = {"relu": questions_of_file(specs / "relu.yaml")[1]}
    columns = [column(tmp_path, "one", verdict)]
    found = making.ledger_of(columns, [vector()], questions, "1.0")
    assert (expected,) == found.questions["relu"]["not-a-number"].taken


def test_questions_on_which_more_runtimes_differ_come_first(tmp_path: Path, specs: Path) -> None:
    found = ledger(tmp_path, specs, one="propagates", two="zero_is_it", three="propagates")
    first, second = open_questions(specs, found)
    assert ("not-a-number", 1) == (first.question.id, first.differing)
    assert ("sign-of-zero", 0) == (second.question.id, second.differing)
    assert [
        "Relu: not a number (1 of 3 runtimes differ): The page does not say what NaN gives.",
        "Relu: sign of zero (no vector asks it): The page does not say which zero it is.",
    ] == list(listed([first, second]))


def test_a_runtime_that_takes_no_reading_differs_from_nobody() -> None:
    question = questions_of_file(ROOT / "specs/max.yaml")[1]["nan-among-inputs"]
    engines = [Engine(name, "1") for name in "abc"]
    answers = ({"propagates": 2, "": 9}, {"": 1}, {"ignored": 1})
    found = Open("Max", "max", question, None, tuple(zip(engines, answers, strict=True)))
    assert 1 == found.differing


def test_the_text_of_an_issue_says_where_what_and_who(tmp_path: Path, specs: Path) -> None:
    found = ledger(tmp_path, specs, one="propagates", two="zero_is_it")
    text = issue(open_questions(specs, found)[0], "1.0")
    for words in (
        "### Relu: not a number",
        "[Relu-14](https://onnx.ai/onnx/operators/onnx__Relu.html), Summary.",
        "* `zero-is-it`: 0, as in the function body",
        f"such as `{NAN}`",
        "| one 1 | `propagates` 1 |",
        "Readings also follow: function body.",
    ):
        assert words in text


def test_what_contradicts_the_page_is_named(tmp_path: Path, specs: Path) -> None:
    first, second = open_questions(specs, ledger(tmp_path, specs))
    assert {("function body",), ()} == {sources_of(first), sources_of(second)}


def test_an_unknown_operator_is_told_with_a_similar_name(specs: Path) -> None:
    with pytest.raises(UsageError, match="no spec is of 'Rely'; did you mean relu"):
        open_questions(specs, OpenLedger("1", (), {}), "Rely")


def test_the_ledger_is_read_as_it_was_written(tmp_path: Path) -> None:
    asked = Asked(2, NAN, ({"kept": 2, "": 1}, {}))
    written = OpenLedger("1", (Engine("a", "1"), Engine("b", "")), {"relu": {"x": asked}})
    path = tmp_path / "ledger.json"
    path.write_text(open_ledger_text(written))
    assert written == read_open_ledger(path)


def test_a_damaged_ledger_is_said_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    path.write_text('{"format": 1, "corpus": "1", "runtimes": [{}], "questions": {}}')
    with pytest.raises(BadInputError, match="is no ledger of open questions"):
        read_open_ledger(path)


def test_the_command_prints_what_can_be_filed(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["opens", "Max", "--specs", str(ROOT / "specs")]
    assert 0 == dispatch("onnx-vectors", "", COMMANDS, arguments)
    printed = capsys.readouterr().out
    assert printed.startswith("### Max: ")
    assert "| onnxruntime " in printed


def test_the_ledger_that_comes_along_is_of_questions_of_the_specs() -> None:
    found = read_open_ledger(LEDGER)
    known = {item.slug: set[str]() for item in open_questions(ROOT / "specs", found)}
    for item in open_questions(ROOT / "specs", found):
        known[item.slug].add(item.question.id)
    listed_there = {slug: set(of_one) for slug, of_one in found.questions.items()}
    assert len(listed_there) > 100
    assert {} == {
        slug: names - known.get(slug, set())
        for slug, names in listed_there.items()
        if names - known.get(slug, set())
    }


@pytest.mark.slow
def test_the_page_is_up_to_date() -> None:
    found = read_open_ledger(LEDGER)
    page = errata_page.page(open_questions(ROOT / "specs", found), found.corpus)
    assert page == (ROOT / "docs/errata.md").read_text("utf-8")
