"""A gate cannot be made green by listing everything, and loses no passes in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from small_corpus import entries_of

from onnx_conformance.core.errors import BadInputError, ExitCode
from onnx_conformance.core.yaml.reading import parse_yaml
from onnx_conformance.validator.gate.about import About, about_results
from onnx_conformance.validator.gate.annotations import github
from onnx_conformance.validator.gate.baseline import gate_of
from onnx_conformance.validator.gate.entries import baseline_of, read_baseline
from onnx_conformance.validator.gate.expectations import expectations_of
from onnx_conformance.validator.gate.updating import update
from onnx_conformance.validator.gate.words import gate_lines
from onnx_conformance.validator.gate.writing import initial
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.results.records import CorpusFacts, Header, Results, Row

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.gate.baseline import GateOutcome

CORPUS: CorpusFacts = {"version": "0.2.0", "digest": None, "root": ""}
IDS = tuple(f"{name}-1/case_{number}/float32" for name in ("add", "mul") for number in range(150))
ENTRIES = entries_of(IDS)
NO_ENTRIES = "entries: []\n"


def results_of(passing: int, of: int = len(IDS), **extra: object) -> Results:
    rows = [
        Row(item, Verdict.PASS if place < passing else Verdict.UNSUPPORTED, None, "no kernel", 0.0)
        for place, item in enumerate(IDS[:of])
    ]
    header = Header("b", {"name": "rt", "version": "1"}, CORPUS, IDS[:of], extra=extra)  # type: ignore[arg-type]
    return Results(header, tuple(rows), None)


def held(heading: str, results: Results) -> GateOutcome:
    """The gate on results whose failures are all listed."""
    failing = [row.id for row in results.rows if not row.passed]
    entry = f"entries:\n  - {{ids: {failing}, verdict: unsupported, reason: r}}\n".replace("'", '"')
    baseline = baseline_of(parse_yaml(heading + (entry if failing else NO_ENTRIES), "b.yaml"))
    return gate_of(results, expectations_of(baseline, ENTRIES))


def updated(text: str, results: Results, *, accept_new: bool = True) -> tuple[str, tuple[str, ...]]:
    changed = update(
        text, "b.yaml", results.rows, ENTRIES, about=about_results(results), accept_new=accept_new
    )
    return changed.text, changed.changes


def test_a_gate_in_which_nothing_passes_is_red_though_all_is_listed() -> None:
    outcome = held("", results_of(0))
    assert ExitCode.UNEXPECTED == outcome.exit_code
    assert "nothing passed" in outcome.alarms[0]


def test_one_pass_is_enough_where_the_baseline_keeps_no_number() -> None:
    assert ExitCode.OK == held("", results_of(1)).exit_code


@pytest.mark.parametrize(
    ("passing", "code"), [(200, ExitCode.OK), (198, ExitCode.OK), (197, ExitCode.UNEXPECTED)]
)
def test_a_hundredth_of_the_passes_may_be_lost_and_no_more(passing: int, code: ExitCode) -> None:
    assert code == held("passed: 200\n", results_of(passing)).exit_code


def test_of_fewer_than_a_hundred_passes_none_may_be_lost() -> None:
    (alarm,) = held("passed: 99\n", results_of(98)).alarms
    assert alarm == (
        "b.yaml:1: 99 vectors passed when the baseline was written, and 98 do now; if that is"
        " right, lower the number with `onnx-validate baseline update`"
    )


def test_a_vector_that_is_listed_as_flaky_is_not_missed() -> None:
    entry = f"{{id: {IDS[98]}, verdict: unsupported, reason: r, flaky: true}}"
    text = f"passed: 99\nentries:\n  - {entry}\n"
    expectations = expectations_of(baseline_of(parse_yaml(text, "b.yaml")), ENTRIES)
    assert () == gate_of(results_of(98, of=99), expectations).alarms


def test_the_alarm_is_said_in_words_and_in_annotations() -> None:
    results = results_of(100)
    outcome = held("passed: 200\n", results)
    lines = list(gate_lines(outcome, results))
    assert "200 vectors passed when the baseline was written" in lines[0]
    assert "gate RED: too few pass, 100 pass, 200 fail as listed" == lines[-1]
    assert "and 100 do now" in next(iter(github(outcome, results)))


def test_a_run_of_a_part_is_not_compared_and_says_so() -> None:
    asked = {"operators": ["Add"]}
    outcome = held("passed: 200\n", results_of(3, of=150, selection=asked))
    assert ExitCode.OK == outcome.exit_code
    (remark,) = outcome.remarks
    assert "the baseline is about the whole corpus, this is a run of operators: Add" in remark


def test_a_baseline_of_small_vectors_says_so_before_all_of_them() -> None:
    listed = results_of(100, of=150, selection={"size": "small"})
    known = initial(listed, ENTRIES, "b", "0.2.0")
    assert '\nselection: {size: "small"}\n' in known
    expectations = expectations_of(baseline_of(parse_yaml(known, "b.yaml")), ENTRIES)
    assert ExitCode.OK == gate_of(listed, expectations).exit_code
    outcome = gate_of(results_of(100), expectations)
    assert ExitCode.UNEXPECTED == outcome.exit_code
    assert "is about size: small, this is a run of the whole corpus" in outcome.remarks[0]


def test_the_selection_of_the_baseline_is_compared_in_any_order() -> None:
    asked = {"operators": ["Mul", "Add"], "shard": [1, 2]}
    heading = "passed: 200\nselection: {operators: [Add, Mul]}\n"
    files = ("1.jsonl", "2.jsonl")
    assert held(heading, results_of(3, selection=asked, files=files)).alarms


def test_one_shard_alone_is_not_compared() -> None:
    assert () == held("passed: 200\n", results_of(3, shard="1/2")).alarms


def test_a_new_baseline_says_what_it_is_about() -> None:
    text = initial(results_of(150, selection={"operators": ["Add", "Mul"]}), ENTRIES, "b", "0.2.0")
    assert About("0.2.0", {"operators": ["Add", "Mul"]}, 150, "b.yaml:8") == (
        baseline_of(parse_yaml(text, "b.yaml")).about
    )


def test_update_lowers_the_number_in_words() -> None:
    first = initial(results_of(300), ENTRIES, "b", "0.2.0")
    text, changes = updated(first, results_of(150))
    assert "LOWERED: 150 vectors passed, 150 fewer than 300" in changes
    assert "\npassed: 150\n" in text


def test_update_leaves_the_number_while_failures_are_not_listed() -> None:
    first = initial(results_of(300), ENTRIES, "b", "0.2.0")
    assert (first, ()) == updated(first, results_of(150), accept_new=False)


def test_update_raises_the_number() -> None:
    first = initial(results_of(150), ENTRIES, "b", "0.2.0")
    text, changes = updated(first, results_of(300))
    assert "raised: 300 vectors passed, 150 more than 150" in changes
    assert "\npassed: 300\n" in text


def test_update_adds_the_keys_to_an_older_baseline() -> None:
    text, changes = updated("# mine\nformat: 1\n" + NO_ENTRIES, results_of(300))
    assert '# mine\nformat: 1\ncorpus: "0.2.0"\nselection: all\npassed: 300\nentries: []\n' == text
    assert "300 vectors passed: a gate in which far fewer do is red" in changes


def test_update_of_another_selection_leaves_the_number() -> None:
    text = "selection: {operators: [Add]}\npassed: 7\n" + NO_ENTRIES
    assert (text, ()) == updated(text, results_of(300))


def test_a_platforms_file_takes_over_what_the_common_one_is_about(tmp_path: Path) -> None:
    (tmp_path / "all.yaml").write_text("corpus: 0.2.0\npassed: 7\n" + NO_ENTRIES)
    (tmp_path / "mine.yaml").write_text("include: all.yaml\npassed: 5\n" + NO_ENTRIES)
    about = read_baseline(tmp_path / "mine.yaml").about
    assert ("0.2.0", 5) == (about.corpus, about.passed)


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("passed: -1", "-1 is outside 0 to"),
        ("passed: many", "an integer is needed here"),
        ("selection: some", "unknown selection 'some'"),
        ("corpus: []", "a text is needed here"),
    ],
)
def test_a_wrong_heading_is_named_with_its_line(heading: str, words: str) -> None:
    with pytest.raises(BadInputError, match=f"b.yaml:1: {words}"):
        baseline_of(parse_yaml(f"{heading}\n{NO_ENTRIES}", "b.yaml"))


# --- no answer at all ----------------------------------------------------------------------


@pytest.mark.parametrize("verdict", ["error", "protocol-error", "crashed", "timed-out"])
@pytest.mark.parametrize("pattern", ["*", "*/*/float32", "random*-22/x", "a?d-1/*", "[am]*-1/*"])
def test_no_answer_cannot_be_listed_by_a_pattern_over_operators(verdict: str, pattern: str) -> None:
    text = f'entries:\n  - {{id: "{pattern}", verdict: {verdict}, reason: r}}\n'
    with pytest.raises(BadInputError, match=f"is over several operators, and '{verdict}' is"):
        baseline_of(parse_yaml(text, "b.yaml"))


@pytest.mark.parametrize("pattern", ["add-1/*", "add-*/*/float32", "add-1[34]/x", "add"])
def test_no_answer_may_be_listed_for_one_operator(pattern: str) -> None:
    text = f'entries:\n  - {{id: "{pattern}", verdict: error, reason: r}}\n'
    assert 1 == len(baseline_of(parse_yaml(text, "b.yaml")).entries)


def test_a_flaky_entry_cannot_list_no_answer_over_operators_either() -> None:
    text = 'entries:\n  - {id: "*", verdict: [rejected, error], reason: r, flaky: true}\n'
    with pytest.raises(BadInputError, match="'error' is listed one operator at a time"):
        baseline_of(parse_yaml(text, "b.yaml"))


def test_a_first_baseline_lists_errors_operator_by_operator() -> None:
    rows = tuple(Row(item, Verdict.ERROR, None, "no library", 0.0) for item in IDS)
    results = Results(Header("b", {}, CORPUS, IDS), rows, None)
    text = initial(results, ENTRIES, "b", "0.2.0")
    patterns = [p for entry in baseline_of(parse_yaml(text, "b")).entries for p in entry.patterns]
    assert ["add-1/*", "mul-1/*"] == patterns


# --- what is claimed ---------------------------------------------------------------------------

FLOATS = "profile: {types: [float32, float16], operators: {Add: all, Mul: all}}\n"


def claiming(claims: object, passing: int = 300) -> Results:
    return results_of(passing, profile={"claims": claims})


@pytest.mark.parametrize(
    ("words", "claims"),
    [
        ("the operators Mul", {"types": ["float32", "float16"], "operators": ["Add"]}),
        ("element types of Add float16", {"types": ["float32"], "operators": ["Add", "Mul"]}),
        (
            "versions of Mul other than 7",
            {"types": ["float32", "float16"], "operators": {"Add": "all", "Mul": [7]}},
        ),
        (
            "opsets before 9; opsets after 20",
            {
                "types": ["float32", "float16"],
                "operators": ["Add", "Mul"],
                "opsets": {"from": 9, "to": 20},
            },
        ),
        (
            "the features training",
            {
                "types": ["float32", "float16"],
                "operators": ["Add", "Mul"],
                "features": ["dynamic-shapes", "subgraphs", "functions", "sequences", "strings"],
            },
        ),
    ],
)
def test_a_profile_that_has_shrunk_is_red_in_words(words: str, claims: object) -> None:
    outcome = held(FLOATS, claiming(claims))
    assert ExitCode.UNEXPECTED == outcome.exit_code
    assert outcome.alarms[0].startswith(
        f"the runtime claims less than when the baseline was written: no longer {words}"
    )
    assert list(gate_lines(outcome, claiming(claims)))[-1].startswith("gate RED: less is claimed, ")


@pytest.mark.parametrize(
    "claims",
    [
        {"types": ["float16", "float32"], "operators": ["Mul", "Add"]},
        {"types": ["float16", "float32", "int8"], "operators": ["Mul", "Add", "Sub"]},
        {"operators": {"Mul": {"types": ["float16", "float32"]}, "Add": "all"}},
        {},
    ],
)
def test_a_profile_that_claims_as_much_or_more_is_green(claims: object) -> None:
    assert ExitCode.OK == held(FLOATS, claiming(claims)).exit_code


def test_a_first_profile_is_red_where_everything_was_claimed() -> None:
    (alarm,) = held("passed: 300\n", claiming({"operators": ["Add", "Mul"]})).alarms
    assert "no longer operators other than its 2" in alarm


def test_a_run_without_a_profile_claims_everything() -> None:
    assert ExitCode.OK == held(FLOATS, results_of(300)).exit_code


def test_an_update_acknowledges_what_is_no_longer_claimed() -> None:
    """Also where the baseline lists vectors that are no longer run."""
    entry = f"  - {{id: {IDS[299]}, verdict: unsupported, reason: r}}\n"
    text = f"passed: 299\n{FLOATS}entries:\n{entry}"
    results = results_of(150, of=150, profile={"claims": {"operators": ["Add"]}})
    changed = update(text, "b.yaml", results.rows, ENTRIES, about=about_results(results))
    assert "profile: {operators: {Add: all}}" in changed.text
    assert "passed: 150" in changed.text
    assert changed.changes[0] == "CLAIMS LESS: no longer the operators Mul"
    outcome = gate_of(results, expectations_of(baseline_of(parse_yaml(changed.text, "b")), ENTRIES))
    assert ExitCode.OK == outcome.exit_code


def test_a_new_baseline_keeps_the_profile() -> None:
    results = claiming({"types": ["float32"]})
    assert "profile: {types: [float32]}\n" in initial(results, ENTRIES, "b", "0.2.0")
