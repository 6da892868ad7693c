from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_corpus import entries_of

from onnx_conformance.core.errors import BadInputError, ExitCode
from onnx_conformance.core.yaml.reading import parse_yaml
from onnx_conformance.validator.gate.baseline import gate
from onnx_conformance.validator.gate.entries import baseline_of
from onnx_conformance.validator.gate.expectations import expectations_of
from onnx_conformance.validator.gate.updating import Update, update
from onnx_conformance.validator.gate.writing import initial
from onnx_conformance.validator.results.records import Header, Results, Row

CORPUS = tuple(
    f"{version}/{case}/{variant}"
    for version in ("reshape-14", "shape-15")
    for case in ("clip", "zero_dim")
    for variant in ("float32", "int8")
)
ENTRIES = entries_of(CORPUS)

TEXT = """\
# Ours. Ask the compiler team before touching.
format: 1

entries:
  # --- constant folding ---
  - id: reshape-14/clip/float32   # the parser
    verdict: rejected
    # it is being worked on
    reason: >
      the parser takes no 0
      in a constant shape
    link: https://example.org/1

  # --- kernels ---
  - {id: 'shape-15/clip/*', verdict: "unsupported", reason: no kernel}
  - reason: a race
    flaky: true
    verdict: crashed
    id: shape-15/zero_dim/int8

# the end
"""


def updated(text: str, verdicts: dict[str, str], **options: bool) -> Update:
    rows = [Row(item, verdict, None, "said", 0.0) for item, verdict in verdicts.items()]
    return update(text, "known.yaml", rows, ENTRIES, **options)


AS_LISTED = {
    "reshape-14/clip/float32": "rejected",
    "shape-15/clip/float32": "unsupported",
    "shape-15/clip/int8": "unsupported",
    "shape-15/zero_dim/int8": "pass",
}


def test_where_nothing_changed_not_a_byte_changes() -> None:
    assert Update(TEXT, ()) == updated(TEXT, AS_LISTED)


def test_what_was_not_run_stays() -> None:
    assert Update(TEXT, ()) == updated(TEXT, {"reshape-14/zero_dim/int8": "pass"})


def test_a_stale_entry_goes_and_every_comment_outside_of_it_stays() -> None:
    result = updated(TEXT, {**AS_LISTED, "reshape-14/clip/float32": "pass"})
    start = TEXT.index("  - id: reshape-14")
    end = TEXT.index("\n  # --- kernels")
    assert TEXT[:start] + TEXT[end:] == result.text
    assert ("known.yaml:6: 'reshape-14/clip/float32' removed: 1 no longer fail",) == result.changes


def test_a_stale_pattern_is_narrowed_to_what_still_fails() -> None:
    result = updated(TEXT, {**AS_LISTED, "shape-15/clip/int8": "pass"})
    assert TEXT.replace("'shape-15/clip/*'", "shape-15/clip/float32") == result.text
    assert (
        "known.yaml:15: 'shape-15/clip/*' narrowed from 2 vectors to 1: 1 no longer fail",
    ) == result.changes


def test_a_narrowed_entry_is_repeated_with_its_reason_where_one_pattern_does_not_do() -> None:
    text = "entries:\n- id: reshape-14/*\n  verdict: rejected\n  reason: x # why\n"
    expected = (
        "entries:\n- id: reshape-14/clip/*\n  verdict: rejected\n  reason: x # why\n"
        "- id: reshape-14/zero_dim/int8\n  verdict: rejected\n  reason: x # why\n"
    )
    assert expected == updated(text, {"reshape-14/zero_dim/float32": "pass"}).text


def test_another_failure_is_left_for_a_person_to_look_at() -> None:
    assert () == updated(TEXT, {**AS_LISTED, "reshape-14/clip/float32": "crashed"}).changes


def test_a_new_failure_is_not_added_without_being_asked() -> None:
    assert () == updated(TEXT, {"reshape-14/zero_dim/int8": "crashed"}).changes


def test_accept_new_changes_the_verdict_in_its_place() -> None:
    result = updated(TEXT, {**AS_LISTED, "reshape-14/clip/float32": "crashed"}, accept_new=True)
    assert TEXT.replace("verdict: rejected", "verdict: crashed") == result.text
    assert (
        "known.yaml:6: 'reshape-14/clip/float32' is crashed now, was rejected",
    ) == result.changes


def test_accept_new_changes_a_verdict_in_quotes_and_in_the_middle_of_a_line() -> None:
    verdicts = {"shape-15/clip/float32": "crashed", "shape-15/clip/int8": "crashed"}
    result = updated(TEXT, verdicts, accept_new=True)
    assert TEXT.replace('"unsupported"', "crashed") == result.text


def test_accept_new_adds_behind_the_last_entry() -> None:
    result = updated(TEXT, {"reshape-14/zero_dim/int8": "crashed"}, accept_new=True)
    added = "  - id: reshape-14/zero_dim/int8\n    verdict: crashed\n    reason: said\n"
    assert TEXT.replace("\n# the end", added + "\n# the end") == result.text
    assert ("added 'reshape-14/zero_dim/int8': crashed",) == result.changes


def test_accept_new_moves_what_fails_in_another_way_out_of_a_pattern() -> None:
    result = updated(TEXT, {**AS_LISTED, "shape-15/clip/int8": "crashed"}, accept_new=True)
    assert [
        ("shape-15/clip/float32", ("unsupported",)),
        ("shape-15/clip/int8", ("crashed",)),
    ] == sorted(
        (entry.patterns[0], entry.verdicts)
        for entry in baseline_of(parse_yaml(result.text, "f")).entries
        if "clip" in entry.patterns[0] and entry.patterns[0].startswith("shape")
    )


def test_what_else_a_flaky_vector_does_is_for_a_person_to_say() -> None:
    verdicts = {"shape-15/zero_dim/int8": "wrong-value"}
    assert Update(TEXT, ()) == updated(TEXT, verdicts, accept_new=True)


def test_what_passes_only_now_and_then_is_not_stale() -> None:
    rows = [Row("reshape-14/clip/float32", "pass", None, "", 0.0, details={"reruns": ["rejected"]})]
    assert Update(TEXT, ()) == update(TEXT, "known.yaml", rows, ENTRIES, accept_new=True)


def test_an_empty_list_takes_its_first_entry() -> None:
    result = updated("format: 1\nentries: []  # none\n", {CORPUS[0]: "crashed"}, accept_new=True)
    expected = (
        "format: 1\nentries:  # none\n"
        f"  - id: {CORPUS[0]}\n    verdict: crashed\n    reason: said\n"
    )
    assert expected == result.text


def test_the_last_entry_leaves_an_empty_list_that_says_so() -> None:
    text = f"entries:\n  # why\n  - id: {CORPUS[0]}\n    verdict: crashed\n    reason: x\n"
    assert "entries: []\n  # why\n" == updated(text, {CORPUS[0]: "pass"}).text


def test_windows_line_ends_stay() -> None:
    text = TEXT.replace("\n", "\r\n")
    result = updated(text, {"shape-15/clip/int8": "pass"})
    assert text.replace("'shape-15/clip/*'", "shape-15/clip/float32") == result.text


def test_an_entry_that_matches_nothing_stops_the_update() -> None:
    with pytest.raises(BadInputError) as caught:
        updated(TEXT.replace("reshape-14", "reshape-13"), AS_LISTED)
    assert str(caught.value).startswith("known.yaml:6: 'reshape-13/clip/float32' matches no")


def test_an_entry_that_matches_nothing_is_removed_where_asked() -> None:
    text = TEXT.replace("reshape-14", "reshape-13")
    result = updated(text, AS_LISTED, remove_unmatched=True)
    assert "reshape-13" not in result.text
    assert 1 == len(result.changes)


@pytest.mark.parametrize(
    "text",
    [
        f"entries: [{{id: {CORPUS[0]}, verdict: crashed, reason: x}}]\n",
        f'{{"entries": [\n{{"id": "{CORPUS[0]}", "verdict": "crashed", "reason": "x"}}]}}\n',
    ],
)
def test_a_file_that_cannot_be_edited_by_lines_is_refused(text: str) -> None:
    with pytest.raises(BadInputError) as caught:
        updated(text, {CORPUS[0]: "pass"})
    assert "begins in the middle of a line" in str(caught.value)


def results_of(rows: list[Row]) -> Results:
    return Results(Header("b", {}, {}, CORPUS), tuple(rows), None)


verdict_of_each = st.fixed_dictionaries(
    {item: st.sampled_from(["pass", "rejected", "crashed"]) for item in CORPUS}
)


@given(before=verdict_of_each, after=verdict_of_each)
def test_accepting_what_is_new_turns_any_results_green(
    before: dict[str, str], after: dict[str, str]
) -> None:
    first = [Row(item, verdict, None, "", 0.0) for item, verdict in before.items()]
    text = initial(results_of(first), ENTRIES, "b", "1")
    changed = updated(text, after, accept_new=True).text
    known = expectations_of(baseline_of(parse_yaml(changed, "f")), ENTRIES)
    rows = [Row(item, verdict, None, "", 0.0) for item, verdict in after.items()]
    assert ExitCode.OK == gate(rows, known, CORPUS).exit_code


@given(before=verdict_of_each, after=verdict_of_each)
def test_an_update_leaves_nothing_stale_and_lists_nothing_new(
    before: dict[str, str], after: dict[str, str]
) -> None:
    first = [Row(item, verdict, None, "", 0.0) for item, verdict in before.items()]
    changed = updated(initial(results_of(first), ENTRIES, "b", "1"), after).text
    known = expectations_of(baseline_of(parse_yaml(changed, "f")), ENTRIES)
    still = {item for item, verdict in before.items() if verdict != "pass" != after[item]}
    assert still == set(known.of)


# --- defaults and exceptions ---------------------------------------------------------------

DEFAULT = """\
# Ours.
entries:
  - {id: "*", verdict: unsupported, reason: a small runtime}  # the rest
  - {id: "reshape-14/*", verdict: pass, reason: written}
"""
SMALL = {item: "pass" if item.startswith("reshape-14/") else "unsupported" for item in CORPUS}


def green_with(text: str, verdicts: dict[str, str]) -> bool:
    rows = [Row(item, verdict, None, "said", 0.0) for item, verdict in verdicts.items()]
    known = expectations_of(baseline_of(parse_yaml(text, "known.yaml")), ENTRIES)
    return gate(rows, known, CORPUS).exit_code == ExitCode.OK


def test_what_a_default_lists_and_passes_now_becomes_an_exception() -> None:
    now = {**SMALL, "shape-15/clip/int8": "pass", "shape-15/clip/float32": "pass"}
    done = updated(DEFAULT, now)
    assert "added 'shape-15/clip/*': pass" in done.changes[0]
    assert done.text.startswith(DEFAULT)
    assert green_with(done.text, now)


def test_another_failure_below_a_default_becomes_an_exception_if_it_is_accepted() -> None:
    now = {**SMALL, "shape-15/clip/int8": "crashed", "reshape-14/clip/int8": "rejected"}
    assert DEFAULT == updated(DEFAULT, now).text
    done = updated(DEFAULT, now, accept_new=True)
    assert done.text.startswith(DEFAULT)
    assert green_with(done.text, now)


def test_an_exception_that_is_as_its_default_says_is_removed_if_that_is_accepted() -> None:
    now = dict.fromkeys(CORPUS, "unsupported")
    done = updated(DEFAULT, now, accept_new=True)
    assert "known.yaml:4: 'reshape-14/*' removed: 4 fail in another way" in done.changes
    assert green_with(done.text, now)


def test_a_default_that_fits_nothing_any_more_is_removed() -> None:
    text = DEFAULT.splitlines(keepends=True)
    done = updated("".join(text[:3]), dict.fromkeys(CORPUS, "pass"))
    assert "# Ours.\nentries: []\n" == done.text


@given(
    st.lists(
        st.sampled_from(("pass", "unsupported", "rejected", "wrong-value")), min_size=8, max_size=8
    )
)
def test_an_accepted_update_of_a_default_is_green_whatever_was_found(verdicts: list[str]) -> None:
    now = dict(zip(CORPUS, verdicts, strict=True))
    text = updated(DEFAULT, now, accept_new=True).text
    assert green_with(text, now)
    assert () == updated(text, now, accept_new=True).changes
