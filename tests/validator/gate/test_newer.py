"""New vectors turn nobody's gate red unasked, and a baseline rolls to a newer corpus."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from dated_manifests import NEW, OLD, gone
from small_corpus import entries_of

from onnx_conformance.core.corpus.corpus import Corpus
from onnx_conformance.core.errors import BadInputError, ExitCode, IncompleteError, UsageError
from onnx_conformance.core.yaml.reading import parse_yaml
from onnx_conformance.validator.gate.about import about_results
from onnx_conformance.validator.gate.annotations import github
from onnx_conformance.validator.gate.baseline import gate_of, marks_of
from onnx_conformance.validator.gate.entries import Baseline, baseline_of
from onnx_conformance.validator.gate.expectations import expectations_of
from onnx_conformance.validator.gate.rolling import require_rollable, rolled
from onnx_conformance.validator.gate.words import gate_lines
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.results.records import Header, Results, Row
from onnx_conformance.validator.running.rerunning import is_red
from onnx_conformance.validator.running.selecting import Selection, select

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.validator.gate.baseline import GateOutcome

OLD_IDS = ("add-14/a/float32", "add-14/b/float32", "mul-14/a/float32")
NEW_IDS = ("add-14/c/float32", "mul-14/c/float32", "mul-14/d/float32")
GONE = "add-14/x/float32"
ENTRIES = entries_of(OLD_IDS) | {
    name: replace(entry, since=NEW) for name, entry in entries_of(NEW_IDS).items()
}
ENTRIES = {name: replace(item, since=item.since or OLD) for name, item in ENTRIES.items()}
CORPUS = Corpus(
    Path("v"), NEW, None, ENTRIES, {}, withdrawn={GONE: gone(GONE, "1", "no page says so")}
)
HEAD = 'corpus: "0.2.0"\nselection: all\npassed: 2\nentries:\n'
KNOWN = '  - {id: "add-14/a/float32", verdict: rejected, reason: r}\n'
WITHDRAWN = f'  - {{id: "{GONE}", verdict: rejected, reason: old}}\n'
FAILING = {OLD_IDS[0]: "rejected", NEW_IDS[0]: "rejected", NEW_IDS[1]: "wrong-value"}


def results_of(verdicts: Mapping[str, str], version: str = NEW, **extra: object) -> Results:
    rows = tuple(
        Row(item, Verdict(verdicts.get(item, "pass")), None, "no kernel", 0.0) for item in ENTRIES
    )
    facts = {"version": version, "digest": None, "root": ""}
    header = Header("b", {"name": "rt"}, facts, tuple(ENTRIES), extra=extra)  # type: ignore[arg-type]
    return Results(header, rows, None)


def read(text: str) -> Baseline:
    return baseline_of(parse_yaml(text, "b.yaml"))


def held(
    text: str, verdicts: Mapping[str, str], *, strict_new: bool = False
) -> tuple[GateOutcome, list[str]]:
    known = expectations_of(read(text), ENTRIES, CORPUS.withdrawn, strict_new=strict_new)
    results = results_of(verdicts)
    outcome = gate_of(results, known)
    return outcome, list(gate_lines(outcome, results))


def test_newer_failures_leave_the_gate_green_and_are_shown_apart() -> None:
    outcome, lines = held(HEAD + KNOWN, FAILING)
    assert ExitCode.OK == outcome.exit_code
    assert "new in 0.3.0: 2 fail, 2 causes; 1 do not" in lines
    assert any("onnx-validate baseline roll" in line for line in lines)
    assert "gate green: 3 pass, 1 fail as listed, 2 new and not listed" == lines[-1]


def test_newer_failures_are_red_where_that_is_asked_for() -> None:
    outcome, lines = held(HEAD + KNOWN, FAILING, strict_new=True)
    assert ExitCode.UNEXPECTED == outcome.exit_code
    assert lines[-1].startswith("gate RED: 2 not expected")


def test_an_old_failure_stays_red_beside_newer_ones() -> None:
    outcome, _ = held(HEAD + KNOWN, {**FAILING, OLD_IDS[2]: "rejected"})
    assert (ExitCode.UNEXPECTED, [(OLD_IDS[2],)]) == (
        outcome.exit_code,
        [item.ids for item in outcome.findings],
    )


@pytest.mark.parametrize("verdict", ["pass", "wrong-value"])
def test_a_pattern_that_a_newer_vector_does_not_fit_stays_green(verdict: str) -> None:
    entry = '  - {id: "add-14/*", verdict: rejected, reason: r}\n'
    verdicts = {OLD_IDS[0]: "rejected", OLD_IDS[1]: "rejected", NEW_IDS[0]: verdict}
    outcome, _ = held(HEAD.replace("passed: 2", "passed: 1") + entry, verdicts)
    assert ExitCode.OK == outcome.exit_code


def test_a_baseline_without_a_corpus_is_as_strict_as_ever() -> None:
    outcome, _ = held("entries:\n" + KNOWN, FAILING)
    assert ExitCode.UNEXPECTED == outcome.exit_code


def test_newer_passes_do_not_make_up_for_old_ones_that_are_lost() -> None:
    entries = "".join(
        f'  - {{id: "{item}", verdict: rejected, reason: r}}\n' for item in OLD_IDS[:2]
    )
    outcome, _ = held(HEAD + entries, dict.fromkeys(OLD_IDS[:2], "rejected"))
    assert outcome.alarms
    assert "2 vectors passed when the baseline was written, and 1 do now" in outcome.alarms[0]


def test_reports_and_annotations_tell_of_newer_failures() -> None:
    known = expectations_of(read(HEAD + KNOWN), ENTRIES)
    results = results_of(FAILING)
    outcome = gate_of(results, known)
    mark = marks_of(outcome, known)[NEW_IDS[0]]
    assert "expected" == mark.outcome
    assert "new in corpus 0.3.0, which the baseline is older than" == mark.reason
    assert ["::notice title=ONNX conformance::new in 0.3.0: 2 fail, 2 causes; 1 do not"] == list(
        github(outcome, results)
    )


def test_newer_failures_are_not_run_again() -> None:
    known = expectations_of(read(HEAD + KNOWN), ENTRIES)
    assert not any(is_red(row, known) for row in results_of(FAILING).rows)


# --- what is withdrawn ------------------------------------------------------------------------


def test_an_entry_about_what_was_withdrawn_since_is_told_and_turns_nothing_red() -> None:
    outcome, _ = held(HEAD + KNOWN + WITHDRAWN, {OLD_IDS[0]: "rejected"})
    assert ExitCode.OK == outcome.exit_code
    assert f"b.yaml:6: '{GONE}' was withdrawn in 0.3.0: no page says so" in outcome.remarks


def test_an_entry_about_what_was_withdrawn_before_is_an_error_with_the_reason() -> None:
    text = HEAD.replace(OLD, NEW) + WITHDRAWN
    message = rf"b\.yaml:5: '{GONE}' was withdrawn in 0\.3\.0: no page says so; `onnx-validate"
    with pytest.raises(BadInputError, match=message):
        expectations_of(read(text), ENTRIES, CORPUS.withdrawn)


# --- rolling ----------------------------------------------------------------------------------


def roll(text: str, verdicts: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    baseline, results = replace(read(text), file="b.yaml"), results_of(verdicts)
    require_rollable(baseline, CORPUS, results)
    changed = rolled(text, baseline, CORPUS, results)
    return changed.text, changed.changes


def test_rolling_takes_in_what_is_new_removes_what_is_gone_and_says_why() -> None:
    text, changes = roll(HEAD + KNOWN + WITHDRAWN, FAILING)
    assert changes == (
        "new in 0.3.0: 2 fail, 2 causes; 1 do not",
        f"b.yaml:6: '{GONE}' removed: '{GONE}' was withdrawn in 0.3.0: no page says so",
        "added 'add-14/c/float32': rejected",
        "added 'mul-14/c/float32': wrong-value",
        "is of corpus 0.3.0, was 0.2.0",
        "raised: 3 vectors passed, 1 more than 2",
    )
    outcome, lines = held(text, FAILING)
    assert (ExitCode.OK, {}) == (outcome.exit_code, outcome.newer)
    assert "gate green: 3 pass, 3 fail as listed" == lines[-1]


def test_rolling_leaves_old_failures_and_stale_entries_to_update() -> None:
    stale = '  - {id: "mul-14/a/float32", verdict: rejected, reason: r}\n'
    text, _ = roll(HEAD + stale, {OLD_IDS[1]: "rejected"})
    assert stale in text
    outcome, _ = held(text, {OLD_IDS[1]: "rejected"})
    assert {OLD_IDS[1], OLD_IDS[2]} == {item for found in outcome.findings for item in found.ids}


def test_rolling_narrows_a_pattern_that_newer_vectors_do_not_fit() -> None:
    entry = '  - {id: "add-14/*", verdict: rejected, reason: r}\n'
    verdicts = {OLD_IDS[0]: "rejected", OLD_IDS[1]: "rejected"}
    text, _ = roll(HEAD + entry, verdicts)
    assert ExitCode.OK == held(text, verdicts)[0].exit_code
    assert read(text).entries


def test_rolling_drops_a_withdrawn_id_of_a_list_and_keeps_the_others() -> None:
    entry = f'  - {{ids: ["add-14/a/float32", "{GONE}"], verdict: rejected, reason: r}}\n'
    text, changes = roll(HEAD + entry, {OLD_IDS[0]: "rejected"})
    assert ("add-14/a/float32",) == read(text).entries[0].patterns
    assert f"b.yaml:5: '{GONE}' was withdrawn in 0.3.0: no page says so" in changes


def test_rolling_never_loosens_the_ratchet() -> None:
    text, _ = roll(HEAD.replace("passed: 2", "passed: 3") + "  []\n", {OLD_IDS[0]: "rejected"})
    # 3 passed, 3 newer ones do, and at most the one that was withdrawn can be missing.
    assert "passed: 5" in text


def test_a_baseline_of_the_corpus_at_hand_has_nothing_to_roll() -> None:
    text, changes = roll(HEAD.replace(OLD, NEW).replace("passed: 2", "passed: 6") + "  []\n", {})
    assert () == changes
    assert "passed: 6" in text


@pytest.mark.parametrize(
    ("text", "version", "extra", "message"),
    [
        ("entries: []\n", NEW, {}, "does not say which corpus it was made with: add a line"),
        (
            HEAD + "  []\n",
            OLD,
            {},
            r"results are of corpus 0\.2\.0, and the one at hand is 0\.3\.0",
        ),
        (HEAD.replace(OLD, "0.4.0") + "  []\n", NEW, {}, r"is of corpus 0\.4\.0, which is newer"),
        (HEAD + "  []\n", NEW, {"selection": {"operators": ["Add"]}}, "run what it is about"),
    ],
)
def test_what_cannot_be_rolled_is_said_on_one_line(
    text: str, version: str, extra: dict[str, object], message: str
) -> None:
    baseline = replace(read(text), file="b.yaml")
    with pytest.raises(UsageError, match=message):
        require_rollable(baseline, CORPUS, results_of({}, version, **extra))


def test_an_included_file_with_withdrawn_entries_is_rolled_first() -> None:
    included = replace(read("entries:\n" + WITHDRAWN), file="b.yaml")
    baseline = replace(read(HEAD + KNOWN), file="a.yaml", included=(included,))
    with pytest.raises(UsageError, match="that file is included: roll it first"):
        rolled(HEAD + KNOWN, baseline, CORPUS, results_of(FAILING))


# --- an earlier corpus ------------------------------------------------------------------------


def test_as_of_a_release_takes_what_stood_then() -> None:
    found = select(CORPUS, Selection(corpus_as_of=OLD))
    assert OLD_IDS == tuple(entry.id for entry in found)
    assert len(ENTRIES) == len(select(CORPUS, Selection(corpus_as_of=NEW)))


@pytest.mark.parametrize(
    ("asked", "corpus", "message"),
    [
        ("0.4.0", CORPUS, r"0\.4\.0: there is none yet; this is corpus 0\.3\.0"),
        ("latest", CORPUS, "latest: a release is wanted, such as 0.2.0"),
        (OLD, replace(CORPUS, entries=entries_of(OLD_IDS)), "do not say since when"),
        (OLD, replace(CORPUS, version="unversioned"), "do not say since when"),
    ],
)
def test_a_release_that_cannot_be_gone_back_to_is_refused(
    asked: str, corpus: Corpus, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        select(corpus, Selection(corpus_as_of=asked))


def test_a_release_in_which_nothing_selected_stood_is_incomplete() -> None:
    with pytest.raises(IncompleteError, match=r"takes none of 1 vectors.*stand since 0\.3\.0"):
        select(CORPUS, Selection(patterns=NEW_IDS[:1], corpus_as_of=OLD))


def test_a_baseline_of_an_earlier_corpus_is_about_that_corpus() -> None:
    about = about_results(results_of({}, selection={"corpus_as_of": OLD}))
    assert (OLD, {}) == (about.corpus, about.selection)
    known = expectations_of(read(HEAD + "  []\n"), ENTRIES)
    outcome = gate_of(results_of({}, selection={"corpus_as_of": OLD}), known)
    assert () == outcome.remarks
