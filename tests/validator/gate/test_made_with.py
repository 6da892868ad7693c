"""A baseline says what it was made with, and the gate says first where that is another version."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from small_corpus import entries_of, small_vector, write_corpus

from onnx_conformance.core.errors import BadInputError, ExitCode
from onnx_conformance.core.yaml.reading import parse_yaml
from onnx_conformance.validator.gate.annotations import github
from onnx_conformance.validator.gate.baseline import gate, marks_of
from onnx_conformance.validator.gate.entries import baseline_of, read_baseline
from onnx_conformance.validator.gate.expectations import expectations_of
from onnx_conformance.validator.gate.made_with import Runtime, runtime_of
from onnx_conformance.validator.gate.updating import Update, update
from onnx_conformance.validator.gate.words import gate_lines
from onnx_conformance.validator.gate.writing import initial
from onnx_conformance.validator.main import main
from onnx_conformance.validator.reports import html, markdown
from onnx_conformance.validator.results.file_format import ResultsWriter
from onnx_conformance.validator.results.records import Header, Results, Row

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.gate.expectations import Expectations
    from onnx_conformance.validator.results.records import CorpusFacts

A, B, C = (f"reshape-14/{case}/float32" for case in ("a", "b", "c"))
IDS = (A, B, C)
ENTRIES = entries_of(IDS)
LISTED = f"entries:\n  - {{id: {A}, verdict: rejected, reason: r}}\n"
OLD = f"format: 1\nruntime: {{name: rt, version: 1.31.1}}\n{LISTED}"
CORPUS: CorpusFacts = {"version": "test", "digest": None, "root": ""}
NEWER = Runtime("rt", "1.32.0")
FIRST = "baseline was made with rt 1.31.1, these results are of rt 1.32.0: "
RENEW = "; renew it with `onnx-validate baseline update b.yaml RESULTS --accept-new`"


def known(text: str) -> Expectations:
    return expectations_of(baseline_of(parse_yaml(text, "b.yaml")), ENTRIES)


def results_of(*verdicts: str, version: str = "1.32.0") -> Results:
    rows = [Row(item, verdict, None, "said", 0.0) for item, verdict in zip(IDS, verdicts)]  # noqa: B905  fewer rows: not run
    header = Header("b", {"name": "rt", "version": version}, CORPUS, IDS[: len(rows)])
    return Results(header, tuple(rows), None)


def lines_of(text: str, results: Results) -> list[str]:
    ran = runtime_of(results.header.describe)
    outcome = gate(results.rows, known(text), results.header.planned, ran=ran)
    return list(gate_lines(outcome, results))


def test_another_version_is_the_first_that_the_gate_says() -> None:
    lines = lines_of(OLD, results_of("pass", "crashed", "pass"))
    assert f"{FIRST}1 not expected, 1 pass though listed{RENEW}" == lines[0]
    assert "gate RED: 1 not expected, 1 pass though listed, 1 pass" == lines[-1]


def test_another_version_leaves_green_what_is_as_listed() -> None:
    results = results_of("rejected", "pass", "pass")
    outcome = gate(results.rows, known(OLD), IDS, ran=NEWER)
    assert ExitCode.OK == outcome.exit_code
    assert f"{FIRST}all are as listed{RENEW}" == next(iter(gate_lines(outcome, results)))


@pytest.mark.parametrize("runtime", ["", "runtime: {name: rt, version: 1.32.0}\n"])
def test_nothing_is_said_of_the_same_version_and_of_none(runtime: str) -> None:
    (line,) = lines_of(runtime + LISTED, results_of("rejected", "pass", "pass"))
    assert line.startswith("gate green")


def test_nothing_is_said_where_the_harness_tells_no_version() -> None:
    (line,) = lines_of(OLD, results_of("rejected", "pass", "pass", version=""))
    assert line.startswith("gate green")


@pytest.mark.parametrize(
    ("listed", "found", "takes"),
    [
        ("1.32", "1.32.0", True),
        ("1.3", "1.32.0", False),
        ("1.32.0", "1.32.0+cpu", True),
        ("1.32.0", "1.32", False),
        ("0.9-dev", "0.9-dev.12", True),
        ("1.10", "1.1", False),
    ],
)
def test_the_beginning_of_a_version_is_enough(listed: str, found: str, *, takes: bool) -> None:
    runtime = baseline_of(
        parse_yaml(f"runtime: {{name: rt, version: {listed}}}\n{LISTED}", "b.yaml")
    )
    assert runtime.made_with == Runtime("rt", listed)
    assert takes is runtime.made_with.takes(Runtime("rt", found))
    assert not runtime.made_with.takes(Runtime("s", found))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("runtime: r 1.32\n", "b.yaml:1: a mapping is needed here, not the text 'r 1.32'"),
        ("runtime: {name: rt}\n", "b.yaml:1: key 'version' is missing"),
        ("runtime: {name: rt, version: [1]}\n", "b.yaml:1: a text is needed here, not a list"),
        ("runtimes: {}\n", "b.yaml:1: unknown key 'runtimes'; did you mean 'runtime'?"),
    ],
)
def test_what_cannot_be_a_runtime_is_one_line(text: str, words: str) -> None:
    with pytest.raises(BadInputError) as caught:
        known(text + LISTED)
    assert words == str(caught.value)


def test_parts_need_not_say_it_and_the_file_itself_decides(tmp_path: Path) -> None:
    (tmp_path / "part.yaml").write_text(LISTED)
    (tmp_path / "old.yaml").write_text(OLD.replace(A, B))
    path = tmp_path / "b.yaml"
    include = "include: [part.yaml, old.yaml]\n"
    path.write_text(f"{include}entries: []\n")
    assert Runtime("rt", "1.31.1") == read_baseline(path).made_with
    path.write_text(f"{include}runtime: {{name: rt, version: 1.32.0}}\nentries: []\n")
    assert NEWER == read_baseline(path).made_with


def test_an_annotation_says_it_first_beside_its_line() -> None:
    results = results_of("pass", "pass", "pass")
    first, second = github(gate(results.rows, known(OLD), IDS, ran=NEWER), results)
    start = "::warning file=b.yaml,line=2,title=ONNX conformance%3A another version::"
    assert f"{start}{FIRST}1 pass though listed{RENEW}" == first
    assert second.startswith("::error file=b.yaml,line=4,")


def test_an_annotation_of_a_green_gate_is_a_notice() -> None:
    results = results_of("rejected", "pass", "pass")
    (line,) = github(gate(results.rows, known(OLD), IDS, ran=NEWER), results)
    assert line.startswith("::notice file=b.yaml,line=2,")


@pytest.mark.parametrize("report", [markdown, html])
def test_reports_say_it_before_the_gate(report: object) -> None:
    results = results_of("pass", "pass", "pass")
    expectations = known(OLD)
    marks = marks_of(gate(results.rows, expectations, IDS, ran=NEWER), expectations)
    text = report.render([results], {"b": marks})  # type: ignore[attr-defined]
    assert 0 < text.index(FIRST) < text.index("1 passing, but listed")
    assert FIRST not in report.render([results], {"b": dict(marks)})  # type: ignore[attr-defined]


# --- writing it ----------------------------------------------------------------------------


def renewed(text: str, *verdicts: str, **options: bool) -> Update:
    return update(text, "b.yaml", results_of(*verdicts).rows, ENTRIES, ran=NEWER, **options)


def test_a_first_baseline_says_what_it_was_made_with() -> None:
    text = initial(results_of("rejected", "pass", "pass"), ENTRIES, "rt 1.32.0", "1")
    assert 'format: 1\nruntime: {name: rt, version: "1.32.0"}\ncorpus: "test"\n' in text
    assert NEWER == baseline_of(parse_yaml(text, "b.yaml")).made_with


def test_an_update_writes_the_version_that_was_run() -> None:
    done = renewed(OLD, "rejected", "pass", "pass")
    assert OLD.replace("1.31.1", '"1.32.0"') == done.text
    assert ("made with rt 1.32.0, was rt 1.31.1",) == done.changes


def test_an_update_keeps_the_comments_about_the_version() -> None:
    text = f"runtime:\n  version: 1.31  # as shipped\n  name: rt\n{LISTED}"
    done = renewed(text, "pass", "crashed", "pass", accept_new=True)
    assert '  version: "1.32.0"  # as shipped\n' in done.text
    assert 3 == len(done.changes)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_an_update_adds_what_a_file_did_not_say(newline: str, start: str) -> None:
    text = start + f"# ours\nformat: 1\n\n{LISTED}".replace("\n", newline)
    done = renewed(text, "rejected", "pass", "pass")
    line = f'runtime: {{name: rt, version: "1.32.0"}}{newline}'
    assert text.replace("entries:", f"{line}entries:") == done.text
    assert Update(done.text, ()) == renewed(done.text, "rejected", "pass", "pass")


@pytest.mark.parametrize(
    ("verdicts", "why"),
    [
        (("rejected", "crashed", "pass"), "1 failure not listed"),
        ((), "1 listed vector not run"),
    ],
)
def test_an_update_that_is_not_whole_keeps_the_version(verdicts: tuple[str, ...], why: str) -> None:
    done = renewed(OLD, *verdicts)
    words = f"it still says that it was made with rt 1.31.1: {why}"
    assert (OLD, (), words) == (done.text, done.changes, done.kept_runtime)


def test_a_version_that_is_stated_by_its_beginning_stays() -> None:
    text = OLD.replace("1.31.1", "1.32")
    assert Update(text, ()) == renewed(text, "rejected", "pass", "pass")


def test_a_file_in_braces_is_not_torn() -> None:
    text = f"{{entries: [{{id: {A}, verdict: rejected, reason: r}}]}}\n"
    with pytest.raises(BadInputError, match="begin each key on a line of its own"):
        renewed(text, "rejected", "pass", "pass")


def test_the_commands_say_and_write_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    corpus = write_corpus(tmp_path / "vectors", map(small_vector, IDS))
    (tmp_path / "b.yaml").write_text(OLD)

    def call(*words: str) -> tuple[int, list[str]]:
        monkeypatch.setattr(sys, "argv", ["onnx-validate", *words, "--vectors", "vectors"])
        return main(), capsys.readouterr().out.splitlines()

    def results(name: str, *verdicts: str) -> str:
        run = results_of(*verdicts)
        header = Header(
            run.header.backend,
            run.header.describe,
            {"version": "test", "digest": corpus.digest},
            run.header.planned,
        )
        with (tmp_path / name).open("w") as stream:
            writer = ResultsWriter(stream)
            writer.header(header)
            for row in run.rows:
                writer.row(row)
            writer.footer()
        return name

    found = results("new.jsonl", "pass", "pass", "pass")
    code, lines = call("baseline", "check", "b.yaml", found)
    assert (ExitCode.UNEXPECTED, True) == (code, lines[2].startswith(FIRST))
    code, lines = call("report", "--baseline", "b.yaml", found)
    assert (ExitCode.UNEXPECTED, True) == (code, any(line.startswith(FIRST) for line in lines))
    code, lines = call("baseline", "update", "b.yaml", results("one.jsonl", "rejected", "crashed"))
    assert "it still says that it was made with rt 1.31.1: 1 failure not listed" in lines
    code, lines = call("baseline", "update", "b.yaml", found)
    assert (ExitCode.OK, "made with rt 1.32.0, was rt 1.31.1") == (code, lines[1])
    code, lines = call("baseline", "check", "b.yaml", found)
    assert (ExitCode.OK, "gate green: 3 pass") == (code, lines[2])
