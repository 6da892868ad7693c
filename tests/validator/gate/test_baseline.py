from __future__ import annotations

from dataclasses import replace

import pytest
from small_corpus import entries_of

from onnx_conformance.core.errors import BadInputError, ExitCode
from onnx_conformance.core.yaml.reading import parse_yaml
from onnx_conformance.validator.gate.baseline import GateOutcome, Status, gate, in_words, marks_of
from onnx_conformance.validator.gate.entries import baseline_of, read_baseline
from onnx_conformance.validator.gate.expectations import (
    NO_EXPECTATIONS,
    Expectations,
    expectations_of,
)
from onnx_conformance.validator.gate.marks import Mark
from onnx_conformance.validator.results.records import Row

A = "shape-15/clip_start/float32"
B = "shape-15/clip_start/int8"
C = "reshape-14/zero_dim/float32"
IDS = (A, B, C)


def expectations(text: str) -> Expectations:
    return expectations_of(
        baseline_of(parse_yaml(text, "known.yaml")), entries_of(IDS, {C: "invalid"})
    )


def refusal(text: str) -> str:
    with pytest.raises(BadInputError) as caught:
        expectations(text)
    return str(caught.value)


def row(vector_id: str, verdict: str, message: str = "", **details: object) -> Row:
    return Row(vector_id, verdict, None, message, 0.0, details=details)


def outcome_of(baseline: str | None, *verdicts: str, ids: tuple[str, ...] = IDS) -> GateOutcome:
    known = expectations(baseline) if baseline else NO_EXPECTATIONS
    rows = [row(vector_id, verdict) for vector_id, verdict in zip(ids, verdicts, strict=False)]
    return gate(rows, known, ids)


ONE = f"""\
# what we know
entries:
  - id: {C}
    verdict: rejected
    reason: no 0 in a constant shape
"""
GLOB = """\
entries:
  - {id: 'shape-15/*', verdict: unsupported, reason: no Shape}
"""
FLAKY = f"""\
entries:
  - {{id: {C}, verdict: [crashed, timed-out], reason: a race, flaky: true}}
"""


# --- reading -------------------------------------------------------------------------------


def test_an_entry_has_its_place_and_its_words() -> None:
    entry = expectations(ONE + "    link: https://example.org/12\n").of[C]
    assert (C, ("rejected",), "no 0 in a constant shape", "https://example.org/12", False) == (
        entry.patterns[0],
        entry.verdicts,
        entry.reason,
        entry.link,
        entry.flaky,
    )
    assert "known.yaml:3" == entry.where


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("entries:\n", "known.yaml:1: a list is needed here, not nothing"),
        ("entry: []\n", "known.yaml:1: unknown key 'entry'; did you mean 'entries'?"),
        ("format: 2\nentries: []\n", "known.yaml:1: 2 is outside 1 to 1"),
        ("entries: [{id: a}]\n", "known.yaml:1: key 'verdict' is missing"),
        (ONE.replace("rejected", "rejectd"), "known.yaml:4: unknown verdict 'rejectd'; did you"),
        (
            ONE.replace("rejected", "pass"),
            f"known.yaml:3: '{C}' is listed as 'pass', which is expected",
        ),
        (ONE.replace("rejected", "bad-vector"), "known.yaml:4: 'bad-vector' says that the vector"),
        (ONE.replace("rejected", "[rejected, crashed]"), "known.yaml:4: several verdicts are for"),
        (ONE.replace("rejected", "[]") + "    flaky: true\n", "known.yaml:4: a verdict is needed"),
        (FLAKY.replace("timed-out", "pass"), "known.yaml:2: 'pass' is expected of every vector"),
        (ONE.replace("no 0 in a constant shape", "''"), "known.yaml:5: a text is needed here"),
        (ONE + "    reasons: x\n", "known.yaml:6: unknown key 'reasons'; did you mean 'reason'?"),
        (ONE + "    flaky: yes\n", "known.yaml:6: 'yes' is a boolean to some parsers"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_line(text: str, message: str) -> None:
    assert message == refusal(text)[: len(message)]


def test_an_empty_baseline_is_read_where_it_says_so() -> None:
    assert {} == expectations("entries: []\n").of


def test_a_baseline_that_does_not_exist_is_bad_input(tmp_path: object) -> None:
    with pytest.raises(BadInputError):
        read_baseline(tmp_path / "absent.yaml")  # type: ignore[operator]


# --- against the corpus --------------------------------------------------------------------


def test_an_entry_that_matches_no_vector_is_refused_with_what_is_near() -> None:
    expected = (
        "known.yaml:3: 'reshape-14/zero_dmi/float32' matches no vector of this corpus:"
        " nothing below 'reshape-14' is called 'zero_dmi'; did you mean zero_dim?"
    )
    assert expected == refusal(ONE.replace("zero_dim", "zero_dmi"))


@pytest.mark.parametrize("other", ["'*/*/int8'", "'shape-15'"])
def test_two_entries_of_which_none_is_more_specific_name_both_lines(other: str) -> None:
    text = GLOB + f"  - {{id: {other}, verdict: rejected, reason: x}}\n"
    corpus = entries_of((*IDS, "reshape-14/clip_start/int8"))
    with pytest.raises(BadInputError) as caught:
        expectations_of(baseline_of(parse_yaml(text, "known.yaml")), corpus)
    assert "has an entry on line 2 already ('shape-15/*'); where two fit," in str(caught.value)
    assert str(caught.value).startswith("known.yaml:3: ")


EXCEPTIONS = f"""\
entries:
  - {{id: '*', verdict: unsupported, reason: small}}
  - {{id: 'shape-*', verdict: pass, reason: written}}
  - {{id: {B}, verdict: rejected, reason: no int8}}
"""


@pytest.mark.parametrize("turned", [False, True])
def test_the_most_specific_entry_counts_in_any_order(*, turned: bool) -> None:
    first, *entries = EXCEPTIONS.splitlines(keepends=True)
    text = "".join([first, *(reversed(entries) if turned else entries)])
    known = expectations(text)
    assert {B: "rejected", C: "unsupported"} == {k: v.verdicts[0] for k, v in known.of.items()}
    rows = [row(A, "pass"), row(B, "rejected"), row(C, "unsupported")]
    assert ExitCode.OK == gate(rows, known, IDS).exit_code
    assert ExitCode.UNEXPECTED == gate([row(A, "unsupported"), *rows[1:]], known, IDS).exit_code


def test_an_entry_whose_vectors_all_have_a_more_specific_one_is_refused() -> None:
    text = GLOB + "".join(f"  - {{id: {item}, verdict: crashed, reason: x}}\n" for item in (A, B))
    assert refusal(text).startswith("known.yaml:2: 'shape-15/*' counts for no vector")


def test_a_pass_that_differs_from_no_wider_entry_is_refused() -> None:
    text = GLOB + f"  - {{id: {C}, verdict: pass, reason: x}}\n"
    assert refusal(text).startswith(f"known.yaml:3: '{C}' is listed as 'pass', which is expected")


def test_a_pattern_stands_for_each_vector_that_it_takes() -> None:
    assert [A, B] == sorted(expectations(GLOB).of)


def test_a_kind_narrows_a_pattern() -> None:
    text = "entries: [{id: '*', kind: invalid, verdict: inconclusive, reason: x}]\n"
    known = expectations(text)
    assert [C] == list(known.of)
    outcome = gate([row(C, "pass")], known, (C,))
    assert f"'*' (invalid) is listed as inconclusive, but {C} passes now" in (
        outcome.findings[0].message
    )


def test_a_pattern_with_no_vector_of_its_kind_is_refused() -> None:
    text = "entries: [{id: 'shape-15/*', kind: invalid, verdict: crashed, reason: x}]\n"
    expected = "known.yaml:1: 'shape-15/*' matches no invalid vector of this corpus"
    assert expected == refusal(text)


# --- the gate ------------------------------------------------------------------------------


def test_all_passing_without_a_baseline_is_green() -> None:
    outcome = outcome_of(None, "pass", "pass", "pass")
    assert (ExitCode.OK, ()) == (outcome.exit_code, outcome.findings)


@pytest.mark.parametrize("verdict", ["rejected", "unsupported", "inconclusive", "error"])
def test_whatever_is_not_listed_and_not_a_pass_is_red(verdict: str) -> None:
    outcome = outcome_of(None, "pass", verdict, "pass")
    assert ExitCode.UNEXPECTED == outcome.exit_code
    assert [(Status.UNEXPECTED, (B,))] == [(item.status, item.ids) for item in outcome.findings]


def test_a_failure_as_listed_is_green_and_counted() -> None:
    outcome = outcome_of(ONE, "pass", "pass", "rejected")
    assert (ExitCode.OK, 1, 2) == (
        outcome.exit_code,
        outcome.count(Status.KNOWN),
        outcome.count(Status.PASS),
    )


def test_a_listed_vector_that_passes_is_stale_and_red() -> None:
    outcome = outcome_of(ONE, "pass", "pass", "pass")
    expected = (
        f"known.yaml:3: '{C}' is listed as rejected, but it passes now;"
        " remove it with `onnx-validate baseline update`"
    )
    assert [expected] == [item.message for item in outcome.findings]
    assert ExitCode.UNEXPECTED == outcome.exit_code


@pytest.mark.parametrize("verdict", ["crashed", "wrong-value", "inconclusive", "timed-out"])
def test_rejected_covers_no_other_failure(verdict: str) -> None:
    outcome = outcome_of(ONE, "pass", "pass", verdict)
    expected = f"known.yaml:3: '{C}' is listed as rejected, but got another verdict: {C}: {verdict}"
    assert [expected] == [item.message for item in outcome.findings]


def test_a_pattern_is_stale_where_some_of_its_vectors_pass_and_says_which() -> None:
    outcome = outcome_of(GLOB, "pass", "unsupported", "pass")
    expected = (
        f"known.yaml:2: 'shape-15/*' is listed as unsupported, but {A} passes now;"
        " remove it with `onnx-validate baseline update`"
    )
    assert [expected] == [item.message for item in outcome.findings]


def test_a_pattern_with_two_kinds_of_fault_has_a_finding_for_each() -> None:
    outcome = outcome_of(GLOB, "pass", "crashed", "pass")
    assert {Status.STALE: (A,), Status.OTHER: (B,)} == {
        item.status: item.ids for item in outcome.findings
    }


def test_another_failure_of_several_vectors_shows_what_the_first_said() -> None:
    rows = [row(A, "crashed", "signal SIGSEGV"), row(B, "crashed", "exit 3")]
    (finding,) = gate(rows, expectations(GLOB), (A, B)).findings
    expected = f"{A}: crashed, {B}: crashed; the first says: signal SIGSEGV"
    assert finding.message.endswith(expected)


def test_an_entry_outside_of_the_run_is_not_evaluated() -> None:
    outcome = outcome_of(ONE, "pass", "pass", ids=(A, B))
    assert (ExitCode.OK, 0) == (outcome.exit_code, outcome.entries)


@pytest.mark.parametrize("verdict", ["pass", "crashed", "timed-out"])
def test_a_flaky_vector_may_pass_or_fail_as_listed_and_is_counted_apart(verdict: str) -> None:
    outcome = outcome_of(FLAKY, "pass", "pass", verdict)
    assert (ExitCode.OK, 1) == (outcome.exit_code, outcome.count(Status.FLAKY))


def test_a_flaky_vector_that_fails_in_another_way_is_red() -> None:
    outcome = outcome_of(FLAKY, "pass", "pass", "wrong-value")
    assert [Status.OTHER] == [item.status for item in outcome.findings]
    assert "is listed as flaky: crashed or timed-out, but" in outcome.findings[0].message


def test_an_unlisted_failure_that_comes_and_goes_is_called_a_flake() -> None:
    rows = [row(A, "crashed", "SIGSEGV", reruns=["pass", "crashed"])]
    outcome = gate(rows, NO_EXPECTATIONS, (A,))
    expected = (
        f"{A}: flakes: crashed, then pass, crashed when run again: SIGSEGV;"
        " until it is mended, list it with 'flaky: true'"
    )
    assert [(Status.FLAKE, expected)] == [(item.status, item.message) for item in outcome.findings]


def test_a_listed_failure_that_comes_and_goes_is_called_a_flake_and_not_stale() -> None:
    outcome = gate([row(C, "pass", reruns=["rejected"])], expectations(ONE), (C,))
    expected = (
        f"known.yaml:3: {C}: flakes: pass, then rejected when run again;"
        " until it is mended, mark its entry with 'flaky: true'"
    )
    assert [(Status.FLAKE, expected)] == [(item.status, item.message) for item in outcome.findings]


def test_an_unlisted_failure_that_repeats_is_simply_unexpected() -> None:
    outcome = gate([row(A, "crashed", reruns=["crashed"])], NO_EXPECTATIONS, (A,))
    assert [Status.UNEXPECTED] == [item.status for item in outcome.findings]


def test_a_planned_vector_without_a_verdict_is_incomplete_whatever_else_happened() -> None:
    outcome = outcome_of(None, "pass", "rejected")
    assert (ExitCode.INCOMPLETE, (C,)) == (outcome.exit_code, outcome.missing)


def test_an_entry_of_several_ids_is_told_in_the_plural() -> None:
    entry = f"entries: [{{ids: [{A}, {C}], verdict: rejected, reason: x}}]\n"
    outcome = outcome_of(entry, "pass", "pass", "pass")
    assert f"'{A}' and 1 more are listed as rejected, but they pass now;" in (
        outcome.findings[0].message
    )


def test_the_later_of_two_verdicts_counts() -> None:
    outcome = gate([row(A, "crashed"), row(A, "pass")], NO_EXPECTATIONS, (A,))
    assert ExitCode.OK == outcome.exit_code


def test_many_vectors_of_one_entry_make_one_short_message() -> None:
    ids = tuple(f"shape-15/c/{number}" for number in range(9))
    known = expectations_of(baseline_of(parse_yaml(GLOB, "known.yaml")), entries_of(ids))
    outcome = gate([row(item, "pass") for item in ids], known, ids)
    expected = (
        "known.yaml:2: 'shape-15/*' is listed as unsupported, but shape-15/c/0, shape-15/c/1,"
        " shape-15/c/2 and 6 more pass now; remove it with `onnx-validate baseline update`"
    )
    assert [expected] == [item.message for item in outcome.findings]
    assert ids == outcome.findings[0].ids


def test_the_outcome_in_words_puts_what_is_red_first() -> None:
    outcome = outcome_of(ONE, "rejected", "pass", "pass")
    assert "gate RED: 1 not expected, 1 pass though listed, 1 pass" == in_words(outcome)


def test_a_green_outcome_in_words() -> None:
    assert "gate green: 2 pass, 1 fail as listed" == in_words(
        outcome_of(ONE, "pass", "pass", "rejected")
    )


def test_the_outcome_for_the_footer_names_the_line() -> None:
    document = outcome_of(ONE, "pass", "pass", "pass").to_json()
    assert (False, 1, 3) == (
        document["green"],
        document["counts"]["stale"],
        document["findings"][0]["line"],
    )


def test_reports_get_a_mark_for_each_vector_that_is_no_ordinary_pass() -> None:
    known = expectations(ONE)
    rows = [row(A, "pass"), row(B, "crashed", "exit 3"), row(C, "rejected")]
    outcome = gate(rows, known, IDS)
    assert {
        B: Mark("unexpected", "crashed: exit 3"),
        C: Mark("expected", "no 0 in a constant shape", "known.yaml:3"),
    } == marks_of(outcome, known)


def test_a_mark_of_a_stale_entry_says_so() -> None:
    known = expectations(ONE)
    outcome = gate([row(C, "pass")], known, (C,))
    mark = marks_of(outcome, known)[C]
    assert ("stale", True) == (mark.outcome, mark.red)
    assert mark == replace(mark, reason=outcome.findings[0].message)
