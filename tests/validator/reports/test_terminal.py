from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

import sample_results as sample

from onnx_conformance.core.text import one_line, visible
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.reports import terminal
from onnx_conformance.validator.reports.facts.tally import GROUPS, group_of, total_tally
from onnx_conformance.validator.results.rerun_command import reproducing_command

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from onnx_conformance.validator.results.records import Results

FAILING = "shape-15/clip_start/float32"
PASSING = "shape-15/clip_end/float32"


def test_every_verdict_has_exactly_one_column() -> None:
    columns = [verdict for group in GROUPS for verdict in group.verdicts]
    # What results files have, a missing verdict, and what pages make of a pass without a value.
    words = {"no-verdict", "accepted"}
    assert {verdict.value for verdict in Verdict} | words == set(columns)
    assert len(columns) == len(set(columns))


def test_a_permitted_result_of_a_latitude_vector_counts_apart_from_passes() -> None:
    assert group_of(sample.row(verdict="pass", expect="any")).name == "latitude"
    assert group_of(sample.row(verdict="wrong-value", expect="any")).name == "fail"


def test_a_verdict_of_a_later_version_is_not_taken_for_a_success() -> None:
    assert group_of(sample.row(verdict="splendid")).name == "unjudged"


def test_columns_add_up_to_the_planned_vectors(tmp_path: Path) -> None:
    results = sample.realistic(tmp_path / "a.jsonl", "a", list(sample.identities()), weakness=5)
    short = replace(results, rows=results.rows[10:])
    assert len(results.header.planned) == sum(total_tally(short).groups.values())


def test_the_table_counts_by_operator_version(tmp_path: Path) -> None:
    results = sample.simple(
        tmp_path / "a.jsonl",
        "a",
        {PASSING: "pass", FAILING: "wrong-value", "size-13/scalar/int8": "unsupported"},
    )
    lines = terminal.render([results]).splitlines()
    assert lines[1].split() == [
        "pass",
        "fail",
        "crashed",
        "unsupported",
        "inconclusive",
        "latitude",
        "total",
    ]
    assert lines[2].split() == ["Shape-15", "1", "1", "·", "·", "·", "·", "2"]
    assert lines[3].split() == ["Size-13", "·", "·", "·", "1", "·", "·", "1"]
    assert lines[4].split() == ["all", "1", "1", "·", "1", "·", "·", "3"]


def test_a_failing_vector_is_one_line_that_begins_with_its_id(tmp_path: Path) -> None:
    results = sample.write(
        tmp_path / "a.jsonl",
        sample.header("a", [FAILING]),
        [sample.row(FAILING, "wrong-type", message="output 'shape' is int32, expected int64")],
    )
    against = "against: A start below -r selects from the first axis."
    assert [
        f"{FAILING}: wrong-type: output 'shape' is int32, expected int64 · {against}",
        f"run one alone: onnx-validate run --backend a '{FAILING}'",
    ] == terminal.render([results]).splitlines()[-2:]


def test_a_narrow_terminal_keeps_the_command_whole(tmp_path: Path) -> None:
    results = sample.simple(tmp_path / "a.jsonl", "a", {FAILING: "wrong-value"})
    lines = terminal.render([results], width=40).splitlines()
    assert f"run one alone: onnx-validate run --backend a '{FAILING}'" in lines


def test_the_phase_of_a_rejection_is_shown(tmp_path: Path) -> None:
    results = sample.write(
        tmp_path / "a.jsonl",
        sample.header("a", [FAILING]),
        [sample.row(FAILING, "rejected", phase="load", message="no kernel")],
    )
    assert "rejected at load: no kernel" in terminal.render([results])


def test_what_fails_alike_is_one_line_and_a_count(tmp_path: Path) -> None:
    verdicts = {f"shape-15/clip_start/{name}": "wrong-value" for name in sample.TYPES}
    text = terminal.render([sample.simple(tmp_path / "a.jsonl", "a", verdicts)])
    assert 1 == text.count("against: ")
    assert "    and 8 more like it (clamp-start): shape-15/clip_start/" in text


def test_causes_beyond_the_limit_are_counted(tmp_path: Path) -> None:
    verdicts = {
        f"shape-15/clip_start/{name}": verdict
        for name, verdict in zip(sample.TYPES, ("wrong-value", "crashed", "crashed"), strict=False)
    }
    text = terminal.render([sample.simple(tmp_path / "a.jsonl", "a", verdicts)], limit=1)
    assert "and 1 more cause of 2 failing vectors; --verbose lists all" in text.splitlines()


def test_without_a_limit_every_vector_has_a_line(tmp_path: Path) -> None:
    verdicts = {f"shape-15/clip_start/{name}": "crashed" for name in sample.TYPES}
    text = terminal.render([sample.simple(tmp_path / "a.jsonl", "a", verdicts)], limit=None)
    for vector_id in verdicts:
        assert f"{vector_id}: crashed: crashed happened" in text


def test_a_planned_vector_without_a_verdict_is_announced(tmp_path: Path) -> None:
    head = sample.header("a", [PASSING, FAILING])
    results = sample.write(tmp_path / "a.jsonl", head, [sample.row(PASSING)], footer=False)
    text = terminal.render([results])
    assert f"incomplete: 1 planned vector without a verdict, the first is '{FAILING}'" in text
    assert "unjudged" in text.splitlines()[1]


def test_reasons_for_unsupported_are_counted_most_frequent_first(tmp_path: Path) -> None:
    rows = [
        sample.row(f"shape-15/case_{n}/int8", "unsupported", message="no int8" if n else "no IR 14")
        for n in range(4)
    ]
    head = sample.header("a", [row.id for row in rows])
    text = terminal.render([sample.write(tmp_path / "a.jsonl", head, rows)])
    assert text.index("unsupported (3): no int8") < text.index("unsupported (1): no IR 14")


def test_several_backends_end_in_a_table_side_by_side(tmp_path: Path) -> None:
    both = [
        sample.simple(tmp_path / f"{name}.jsonl", name, {FAILING: verdict})
        for name, verdict in (("first", "pass"), ("second", "crashed"))
    ]
    text = terminal.render(both)
    tail = text[text.index("Side by side") :].splitlines()
    assert [line.split()[0] for line in tail[2:]] == ["first", "second"]


def test_adaptations_are_told(tmp_path: Path) -> None:
    adapts = [{"adaptation": "freeze", "reason": "takes no run-time shape"}]
    results = sample.simple(
        tmp_path / "a.jsonl", "a", {PASSING: "pass"}, describe={"name": "a", "adapts": adapts}
    )
    assert "freeze: takes no run-time shape" in terminal.render([results])


def test_terminal_escapes_in_messages_are_made_visible(tmp_path: Path) -> None:
    hostile = "\x1b[2J\u202egnp.exe\x9b31m\ud800 done"
    results = sample.write(
        tmp_path / "a.jsonl",
        sample.header("a\x1b[0m", [FAILING]),
        [sample.row(FAILING, "rejected", message=hostile)],
    )
    text = terminal.render([results], width=100)
    assert not set("\x1b\u202e\x9b\ud800") & set(text)
    assert "\\x1b[2J\\u202egnp.exe\\x9b31m\\ud800 done" in text


def test_colour_only_where_asked_for(tmp_path: Path) -> None:
    results = sample.simple(tmp_path / "a.jsonl", "a", {FAILING: "crashed"})
    assert "\x1b" not in terminal.render([results])
    coloured = terminal.render([results], colour=True)
    assert f"\x1b[31m{FAILING}\x1b[0m: crashed: crashed happened" in coloured


class _Watched(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_stream_that_no_person_watches_gets_no_colour(tmp_path: Path) -> None:
    results = sample.simple(tmp_path / "a.jsonl", "a", {FAILING: "crashed"})
    stream = io.StringIO()
    terminal.write([results], stream)
    assert stream.getvalue() == terminal.render([results])


def test_no_color_is_honoured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = sample.simple(tmp_path / "a.jsonl", "a", {FAILING: "crashed"})
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = _Watched()
    terminal.write([results], coloured)
    assert "\x1b[" in coloured.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    plain = _Watched()
    terminal.write([results], plain)
    assert "\x1b[" not in plain.getvalue()


def test_a_terminal_that_cannot_show_a_character_gets_a_question_mark(tmp_path: Path) -> None:
    results = sample.simple(tmp_path / "a.jsonl", "a", {PASSING: "pass"})
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    terminal.write([results], stream)
    stream.flush()
    assert b"?" in raw.getvalue()


def test_the_reproducing_command_can_be_pasted_into_a_shell() -> None:
    head = sample.header("tract (freeze)", [FAILING])
    assert f"onnx-validate run --backend 'tract (freeze)' '{FAILING}'" == reproducing_command(
        head, FAILING
    )
    told = replace(head, extra={"backend": "tract", "arguments": ["--vectors", "my vectors"]})
    assert (
        f"onnx-validate run --backend tract --vectors 'my vectors' '{FAILING}'"
        == reproducing_command(told, FAILING)
    )


def test_lines_are_cut_with_an_ellipsis() -> None:
    assert one_line("a  b\nc", 4) == "a b…"
    assert visible("a\tb\r\nc") == "a\tb\nc"


def test_a_rejection_without_a_reason_is_not_said_twice(tmp_path: Path) -> None:
    for message in ("rejected at load", "rejected at load: "):
        row = sample.row(verdict="rejected", phase="load", message=message)
        results = sample.write(tmp_path / "a.jsonl", sample.header("a", [row.id]), [row])
        assert f"{row.id}: rejected at load: no message" in terminal.render([results]).splitlines()


def test_an_accepted_invalid_model_says_what_is_wrong_with_it(tmp_path: Path) -> None:
    plain = sample.row(verdict="accepted-invalid", kind="invalid", message="m")
    results = sample.write(tmp_path / "a.jsonl", sample.header("a", [plain.id]), [plain])
    words = "accepted-invalid: m · against: A start below -r selects from the first axis."
    assert f"{plain.id}: {words}" in terminal.render([results]).splitlines()
    row = replace(plain, details={"purpose": "a start that is a string"})
    results = sample.write(tmp_path / "a.jsonl", sample.header("a", [row.id]), [row])
    words = f"{row.id}: {words} (a start that is a string)"
    assert words in terminal.render([results]).splitlines()


def test_unjudged_vectors_are_counted_with_their_operator_version(tmp_path: Path) -> None:
    head = sample.header("a", [FAILING])
    results = sample.write(tmp_path / "a.jsonl", head, [])
    assert "Shape-15" in terminal.render([results])
    assert "shape-15  " not in terminal.render([results])


def _many_operators(tmp_path: Path) -> Results:
    """Thirty operators in two versions; the tenth fails, the twentieth is not supported."""
    rows = [
        sample.row(f"op{number:02}-{version}/case/float32", verdict, message="no kernel 7")
        for number in range(30)
        for version in (1, 13)
        for verdict in [{10: "wrong-value", 20: "unsupported"}.get(number, "pass")]
    ]
    return sample.write(tmp_path / "a.jsonl", sample.header("a", [row.id for row in rows]), rows)


def test_of_many_operators_those_that_do_not_pass_are_shown_the_worst_first(tmp_path: Path) -> None:
    lines = terminal.render([_many_operators(tmp_path)]).splitlines()
    assert ["op10", "op20", "all"] == [line.split()[0].lower() for line in lines[2:5]]
    assert "2 of 30 operators do not pass whole (--verbose: each version)" in lines


def test_everything_is_shown_where_it_is_asked_for(tmp_path: Path) -> None:
    text = terminal.render([_many_operators(tmp_path)], limit=None)
    assert 60 == sum(
        line.lower().startswith("op") and "-1" in line[:6] for line in text.splitlines()[:64]
    )


def test_a_report_of_everything_that_can_go_wrong_fits_a_screen(tmp_path: Path) -> None:
    rows = [
        sample.row(
            f"op{number:03}-{version}/case/float32",
            ("wrong-value", "unsupported", "crashed", "inconclusive", "rejected")[number % 5],
            message=f"words {'abcdefghij'[number % 10]} {'long ' * 200}",
        )
        for number in range(200)
        for version in (1, 13)
    ]
    results = sample.write(tmp_path / "a.jsonl", sample.header("a", [row.id for row in rows]), rows)
    lines = terminal.render([results]).splitlines()
    assert 60 >= len(lines)
    assert 220 >= max(map(len, lines))


def test_one_reason_is_one_line_over_operators_and_versions(tmp_path: Path) -> None:
    rows = [
        sample.row(
            f"{name.lower()}-{version}/case/{element}",
            "unsupported",
            message=f"no implementation for {name}({version}) node '{name}_7'",
            operator=name,
            types={"T": element},
        )
        for name, version, element in (
            ("Conv", 1, "float16"),
            ("Conv", 22, "float16"),
            ("Gemm", 13, "bfloat16"),
        )
    ]
    head = sample.header("a", [row.id for row in rows])
    lines = terminal.render([sample.write(tmp_path / "a.jsonl", head, rows)]).splitlines()
    assert (
        "unsupported (3): no implementation for …(#) node '…' · Conv 2, Gemm 1"
        " · float16 2, bfloat16 1"
    ) in lines


def test_a_run_of_small_vectors_says_so(tmp_path: Path) -> None:
    results = sample.simple(tmp_path / "a.jsonl", "a", {PASSING: "pass", FAILING: "pass"})
    small = replace(results, header=replace(results.header, extra={"selection": {"size": "small"}}))
    assert "on 2 vectors of corpus" in terminal.title(results)
    assert "on 2 small vectors of corpus" in terminal.title(small)
