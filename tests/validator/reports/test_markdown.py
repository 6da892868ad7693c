from __future__ import annotations

import json
from typing import TYPE_CHECKING

import sample_results as sample

from onnx_conformance.validator.gate.marks import Mark
from onnx_conformance.validator.reports import badge, markdown, scoreboard

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results

A = "shape-15/clip_start/float32"
B = "shape-15/clip_end/float32"
C = "size-13/scalar/int8"


def simple(folder: Path, name: str = "a", **verdicts: str) -> Results:
    ids = {"a": A, "b": B, "c": C}
    return sample.simple(
        folder / f"{name}.jsonl", name, {ids[key]: value for key, value in verdicts.items()}
    )


def test_counts_stand_in_a_table_by_operator_version(tmp_path: Path) -> None:
    text = markdown.render([simple(tmp_path, a="pass", b="crashed", c="unsupported")])
    assert "| `Shape-15` | 1 | · | 1 | · | · | · | 2 |" in text
    assert "| **all** | 1 | · | 1 | 1 | · | · | 3 |" in text


def test_the_counts_of_many_operator_versions_stand_behind_the_failures(tmp_path: Path) -> None:
    ids = {f"op{number}-1/one/int8": "pass" for number in range(41)}
    results = sample.simple(tmp_path / "one.jsonl", "one", {**ids, "shape-15/a/int8": "crashed"})
    order = ("**all**", "Failing: 1 vector", "Counts of 42 operator versions", "`op7-1`")
    text = markdown.render([results]).lower()
    places = [text.index(words.lower()) for words in order]
    assert places == sorted(places)


def test_several_backends_stand_side_by_side_first(tmp_path: Path) -> None:
    both = [simple(tmp_path, "one", a="pass"), simple(tmp_path, "two", a="rejected")]
    lines = markdown.render(both).splitlines()
    assert "| `one` | 1 | · | · | · | · | · | 1 |" in lines[:8]
    assert "| `two` | · | 1 | · | · | · | · | 1 |" in lines[:8]


def test_a_failing_vector_has_a_line_and_the_command(tmp_path: Path) -> None:
    text = markdown.render([simple(tmp_path, a="wrong-value")])
    broken = "A start below -r selects from the first axis."
    assert f"| `{A}` | `wrong-value happened · against: {broken}` |" in text
    assert f"To run one alone: `onnx-validate run --backend a '{A}'`" in text


def test_what_fails_alike_is_one_line_with_its_count(tmp_path: Path) -> None:
    text = markdown.render([simple(tmp_path, a="crashed", b="crashed", c="crashed")])
    assert f"| ‼ `crashed` | 3 | `{B}` | `crashed happened` |" in text


def test_more_causes_than_the_limit_are_counted(tmp_path: Path) -> None:
    text = markdown.render([simple(tmp_path, a="rejected", b="crashed", c="rejected")], limit=1)
    assert "… and 1 more cause of 2 vectors" in text


def test_an_incomplete_run_says_so(tmp_path: Path) -> None:
    results = sample.write(tmp_path / "a.jsonl", sample.header("a", [A, B]), [sample.row(A)])
    assert "**Incomplete:** `1 planned vector without a verdict" in markdown.render([results])


def test_known_failures_stand_apart(tmp_path: Path) -> None:
    known = {A: Mark("expected", "no parser", "b.yaml:3")}
    text = markdown.render([simple(tmp_path, a="rejected", b="rejected")], {"a": known})
    assert "Failing: 1 vector, 1 cause<" in text
    assert "Known failures: 1 vector, 1 cause<" in text
    assert "(known, b.yaml:3: no parser)" in text


def test_the_gate_is_told_where_there_was_one(tmp_path: Path) -> None:
    results = simple(tmp_path, a="rejected")
    known, red = {A: Mark("expected", "x", "b.yaml:3")}, {A: Mark("unexpected", "x")}
    assert "**Gate: green.** 1 failing as listed." in markdown.render([results], {"a": known})
    assert "**Gate: red.** 1 unexpected." in markdown.render([results], {"a": red})
    assert "Gate" not in markdown.render([results])


def test_a_stale_entry_is_shown_where_nothing_fails(tmp_path: Path) -> None:
    stale = {A: Mark("stale", "b.yaml:3: passes now", "b.yaml:3")}
    text = markdown.render([simple(tmp_path, a="pass")], {"a": stale})
    assert "Listed in the baseline, but passing: 1 vector, 1 entry<" in text


def test_entries_that_do_not_fit_are_told_one_by_one_in_the_order_of_their_lines(
    tmp_path: Path,
) -> None:
    marks = {
        A: Mark("unexpected", "b.yaml:12: 'a' is listed as rejected, but …", "b.yaml:12"),
        B: Mark("unexpected", "b.yaml:3: 'b' is listed as rejected, but …", "b.yaml:3"),
    }
    text = markdown.render([simple(tmp_path, a="crashed", b="crashed")], {"a": marks})
    assert "Not as the baseline lists it: 2 vectors, 2 entries<" in text
    assert text.index("b.yaml:3:") < text.index("b.yaml:12:")
    assert "Failing:" not in text


def test_an_unexpected_unsupported_is_shown_as_failing(tmp_path: Path) -> None:
    red = {A: Mark("unexpected", "is not listed")}
    text = markdown.render([simple(tmp_path, a="unsupported")], {"a": red})
    assert "Failing: 1 vector, 1 cause<" in text


def test_a_message_cannot_become_markup() -> None:
    assert "`<img src=x> @octocat [a](b)`" == markdown.code("<img src=x>\n@octocat [a](b)")
    assert "``a`b``" == markdown.code("a`b")
    assert "``` ``x`` ```" == markdown.code("``x``")


def test_a_message_cannot_end_its_cell() -> None:
    assert "`a\\|b`" == markdown.cell("a|b")


def test_the_scoreboard_has_every_column_and_no_percentage(tmp_path: Path) -> None:
    both = [simple(tmp_path, "one", a="pass", c="pass"), simple(tmp_path, "two", a="rejected")]
    text = scoreboard.render(both)
    for word in ("pass", "fail", "crashed", "unsupported", "inconclusive", "latitude"):
        assert f" {word} |" in text
    assert "%" not in text
    assert "| `one` | 2 | · | · | · | · | · | 2 |" in text
    assert "| `two` | · | 1 | · | · | · | · | 1 |" in text


def test_the_scoreboard_says_what_was_adapted_and_what_is_missing(tmp_path: Path) -> None:
    described = {
        "name": "tract",
        "version": "0.2",
        "judges": "validity",
        "adapts": [{"adaptation": "freeze", "reason": "no run-time shape"}],
    }
    head = sample.header("tract (freeze)", [A, B], describe=described)
    text = scoreboard.render([sample.write(tmp_path / "a.jsonl", head, [sample.row(A)])])
    assert "freeze: no run-time shape" in text
    assert "no value was compared" in text
    assert "**incomplete:** `1 planned vector without a verdict" in text


def test_the_badge_gives_counts(tmp_path: Path) -> None:
    results = simple(tmp_path, a="pass", b="rejected", c="unsupported")
    assert "1 pass · 1 fail · 1 unsupported" == badge.message([results])
    document = json.loads(badge.render([results]))
    assert "1 pass · 1 fail · 1 unsupported" == document["message"]
    assert (1, "ONNX conformance") == (document["schemaVersion"], document["label"])


def test_a_badge_without_a_pass_says_zero(tmp_path: Path) -> None:
    assert "0 pass · 1 unsupported" == badge.message([simple(tmp_path, c="unsupported")])


def test_only_a_badge_of_passes_alone_is_green(tmp_path: Path) -> None:
    green = badge.render([simple(tmp_path, a="pass")]).count("#0b6e4f")
    grey = badge.render([simple(tmp_path, a="pass", c="unsupported")]).count("#5a5f6a")
    red = badge.render([simple(tmp_path, a="pass", b="crashed")]).count("#b3261e")
    assert (1, 1, 1) == (green, grey, red)


def test_a_badge_tells_of_missing_shards(tmp_path: Path) -> None:
    extra = {"missing_shards": ["2/2"]}
    results = sample.simple(tmp_path / "a.jsonl", "a", {A: "pass"}, extra=extra)
    assert "1 pass · shards missing" == badge.message([results])
    assert "#0b6e4f" not in badge.render([results])


def test_a_badge_is_json_whatever_the_name(tmp_path: Path) -> None:
    both = [simple(tmp_path, name, a="pass") for name in ('<a&"', "b")]
    assert '<a&": 1 pass | b: 1 pass' == json.loads(badge.render(both))["message"]
