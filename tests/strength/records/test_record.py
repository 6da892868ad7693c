"""What is recorded of the strength of operators, and when the record no longer holds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from places import ROOT
from strength.records import record
from strength.records.allowances import (
    UNMEASURED,
    WEAK,
    Allowance,
    allowances,
    still_allowed,
    write_allowances,
)
from strength.records.history import (
    History,
    Kills,
    code_of,
    read_history,
    vector_digest,
    write_history,
)
from strength.records.page import page
from strength.records.record import Line, digests, line_of, read_record, write_record
from strength.renewing import checking
from strength.renewing import renewal as renewing
from strength.renewing.checking import check
from strength.renewing.incremental import Renewed, Theirs
from strength.renewing.renewal import Renewal, mark_unmeasured, renew
from strength.trying.measuring import Measured
from strength.trying.status import Finding, Status

from onnx_conformance.core.errors import BadInputError, IncompleteError

if TYPE_CHECKING:
    from pathlib import Path

KILLS = Kills((vector_digest("not-1/a"),), (0, 0, -1))
HISTORY = History("code", KILLS, {}, 10)
LINE = Line("d", 40, 97, 3, 5, 1, 0, 4, 20)


def manifest(folder: Path, **digests_of: str) -> Path:
    """The digests of a corpus with these operator versions: `not_1="0"`."""
    path = folder / "manifest.json"
    folder.mkdir(parents=True, exist_ok=True)
    listed = {
        name.replace("_", "-"): {"count": 1, "digest": digest}
        for name, digest in digests_of.items()
    }
    path.write_text(json.dumps({"operators": listed}))
    return path


# --- the file ---


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    write_record({"Not": LINE, "Abs": replace(LINE, killed=5)}, path)
    assert {"Abs": replace(LINE, killed=5), "Not": LINE} == read_record(path)


def test_a_record_has_a_line_for_each_operator(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    write_record({"Not": LINE, "Abs": LINE}, path)
    assert 1 == len([text for text in path.read_text().splitlines() if '"Not"' in text])


def test_no_record_has_no_line(tmp_path: Path) -> None:
    assert {} == read_record(tmp_path / "record.json")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"operators": {"Not": {"killed": 3}}}'])
def test_what_is_no_record_is_said_to_be_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "record.json"
    path.write_text(text)
    with pytest.raises(BadInputError, match="no record of strength"):
        read_record(path)


def test_a_line_counts_what_became_of_the_mutants() -> None:
    statuses = (
        Status.KILLED,
        Status.KILLED,
        Status.SURVIVED,
        Status.EQUIVALENT,
        Status.NOT_COVERED,
        Status.EQUIVALENT,
    )
    findings = tuple(Finding(f"m{index}", status) for index, status in enumerate(statuses))
    measured = Measured("Not", 7, 2, 10, findings, {"m3": "why"}, (), {"a": ("r",)}, 3, 1)
    line = Line("d", 7, 2, 1, 2, 1, 1, 3, 1, suspects=("r",))
    assert line == line_of(measured, "d")


# --- digests ---


def test_a_digest_is_of_the_vectors_of_its_operator(tmp_path: Path) -> None:
    before = digests(manifest(tmp_path, not_1="0", abs_13="0"))
    after = digests(manifest(tmp_path, not_1="0", abs_13="1"))
    assert {"Not", "Abs"} == set(before)
    assert before["Not"] == after["Not"]
    assert before["Abs"] != after["Abs"]


def test_a_digest_changes_with_another_version(tmp_path: Path) -> None:
    before = digests(manifest(tmp_path, abs_13="0"))
    assert before != digests(manifest(tmp_path, abs_6="0", abs_13="0"))


@pytest.mark.parametrize("what", ["source_files", "arguments_for", "judging"])
def test_a_digest_changes_with_the_oracle_with_arguments_and_with_what_judges(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = manifest(tmp_path, not_1="0")
    before = digests(path)
    other = {"judging": ("other",), "arguments_for": {"m": "why"}, "source_files": (str(path),)}[
        what
    ]
    monkeypatch.setattr(record, what, lambda *_: other)
    assert before != digests(path)


_ORACLE = "from .rows import sizes\n\ndef answer():\n    return sizes + 1\n"
_DOCUMENTED = '''"""What it does."""
from ..rows import sizes

def answer():
    """It."""
    return sizes + 1  # why
'''


@pytest.fixture
def oracle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the oracle of every operator."""
    path = tmp_path / "oracle.py"
    path.write_text(_ORACLE)
    monkeypatch.setattr(record, "source_files", lambda *_: (str(path),))
    return path


def test_a_digest_is_not_of_where_an_oracle_lies_and_what_is_said_of_it(
    oracle: Path, tmp_path: Path
) -> None:
    path = manifest(tmp_path, not_1="0")
    before = digests(path)
    oracle.write_text(_DOCUMENTED)
    assert before == digests(path)


@pytest.mark.parametrize(
    "source", [_ORACLE.replace("+", "-"), _ORACLE.replace("import sizes", "import names as sizes")]
)
def test_a_digest_is_of_what_an_oracle_does(source: str, oracle: Path, tmp_path: Path) -> None:
    path = manifest(tmp_path, not_1="0")
    before = digests(path)
    oracle.write_text(source)
    assert before != digests(path)


# --- check ---


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A manifest and a page that a record holds for; nothing is measured anew."""
    path = manifest(tmp_path, not_1="0")
    lines = {"Not": replace(LINE, digest=digests(path)["Not"])}
    recorded(monkeypatch, lines)
    (tmp_path / "strength.md").write_text(page(lines, {}))
    return path, tmp_path / "strength.md"


def recorded(monkeypatch: pytest.MonkeyPatch, lines: dict[str, Line], **allowed: Allowance) -> None:
    monkeypatch.setattr(checking, "read_record", lambda: lines)
    monkeypatch.setattr(checking, "allowances", lambda: allowed)


def test_a_record_that_holds_is_no_fault(held: tuple[Path, Path]) -> None:
    assert [] == check(*held, 95.0, 0, 1)


def test_an_operator_with_an_allowance_needs_less(
    held: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = checking.read_record()
    recorded(monkeypatch, lines, Not=Allowance(97.0, "why"))
    held[1].write_text(page(lines, {"Not": Allowance(97.0, "why")}))
    assert [] == check(*held, 98.0, 0, 1)


def test_less_than_its_allowance_is_a_fault(
    held: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(monkeypatch, checking.read_record(), Not=Allowance(97.5, "why"))
    (fault,) = check(*held, 98.0, 0, 1)
    assert "less than 97.5 %" in fault


def test_a_debt_that_is_paid_is_a_fault(
    held: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(monkeypatch, checking.read_record(), Not=Allowance(90.0, "why"))
    (fault,) = check(*held, 95.0, 0, 1)
    assert "Not: 97.0 % of its mutants are killed; take it out of allowances.yaml" == fault


def test_a_debt_of_no_operator_is_a_fault(
    held: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(monkeypatch, checking.read_record(), Unheard=Allowance(None, "why"))
    (fault,) = check(*held, 95.0, 0, 1)
    assert fault.startswith("Unheard: allowances.yaml has it")


def test_what_need_not_be_measured_needs_no_line(
    held: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(monkeypatch, {}, Not=Allowance(None, "why"))
    held[1].write_text(page({}, {"Not": Allowance(None, "why")}))
    assert [] == check(*held, 95.0, 0, 1)


@pytest.mark.parametrize(
    "text", ["Not: {}", "Not: {reason: why, last: 3}", "Not: {reason: 1, least: x}"]
)
def test_a_debt_needs_a_reason(tmp_path: Path, text: str) -> None:
    (tmp_path / "allowances.yaml").write_text(text)
    with pytest.raises(BadInputError, match="needs a reason"):
        allowances(tmp_path / "allowances.yaml")


def test_too_few_killed_is_a_fault(held: tuple[Path, Path]) -> None:
    (fault,) = check(*held, 98.0, 0, 1)
    assert "Not: its vectors kill 97.0 % of the mutants" in fault


def test_what_changed_since_it_was_measured_is_a_fault(
    held: tuple[Path, Path], tmp_path: Path
) -> None:
    manifest(tmp_path, not_1="1")
    (fault,) = check(*held, 95.0, 0, 1)
    assert fault.startswith("Not: its vectors, its oracle or what judges it changed")


def test_an_operator_that_was_never_measured_is_a_fault(
    held: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(monkeypatch, {})
    assert ["Not: its strength was never measured; `make mutants` renews the record"] == check(
        *held, 95.0, 0, 1
    )


def test_an_operator_without_vectors_is_a_fault(
    held: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = checking.read_record()
    recorded(monkeypatch, {**lines, "Abs": LINE})
    (fault,) = check(*held, 95.0, 0, 1)
    assert fault.startswith("Abs: the record has it, and the corpus no vector of it")


def test_a_page_of_another_record_is_a_fault(held: tuple[Path, Path]) -> None:
    held[1].write_text("# Strength\n")
    (fault,) = check(*held, 95.0, 0, 1)
    assert "is out of date" in fault


def test_a_corpus_without_an_operator_is_no_success(
    held: tuple[Path, Path], tmp_path: Path
) -> None:
    with pytest.raises(IncompleteError, match="no vector of an operator"):
        check(manifest(tmp_path), held[1], 95.0, 0, 1)


@pytest.mark.parametrize(("killed", "faults"), [(7, 0), (99, 1)])
def test_a_record_that_says_more_than_is_measured_is_a_fault(
    killed: int, faults: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = manifest(tmp_path, not_1="0")
    line = Line(digests(path)["Not"], 40, killed, 0 if killed == 7 else 1, 0, 0, 0, 0, 0)
    recorded(monkeypatch, {"Not": line})
    (tmp_path / "strength.md").write_text(page({"Not": line}, {}))

    def weaker(*_: object) -> Measured:
        names = [f"m{index}" for index in range(100)]
        statuses = (
            [Status.SURVIVED] * 10 + [Status.KILLED] * 90 if killed == 99 else [Status.KILLED] * 100
        )
        findings = tuple(map(Finding, names, statuses))
        return Measured("Not", 40, 9, 10, findings, {}, (), {})

    monkeypatch.setattr(checking, "measure", weaker)
    found = check(path, tmp_path / "strength.md", 95.0, 1, 1)
    assert faults == len(found)
    assert all("measured anew it is 90.0 %" in item for item in found)


def test_telling_fewer_mutants_apart_than_is_recorded_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = manifest(tmp_path, not_1="0")
    line = replace(LINE, digest=digests(path)["Not"], killed=100, survived=0)
    recorded(monkeypatch, {"Not": line})
    (tmp_path / "strength.md").write_text(page({"Not": line}, {}))
    findings = tuple(Finding(f"m{index}", Status.KILLED) for index in range(90))
    measured = Measured("Not", 40, 9, 10, findings, {}, (), {})
    monkeypatch.setattr(checking, "measure", lambda *_: measured)
    (fault,) = check(path, tmp_path / "strength.md", 95.0, 1, 1)
    assert "measured anew it is 90: does strength/trying/sampling.py" in fault


# --- renewing ---


@pytest.fixture
def renewal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Renewal:
    """A corpus of one operator of which 9 of 10 mutants are killed, and a record of its own."""
    manifest(tmp_path / "vectors", not_1="0")
    findings = [Finding(f"m{index}", Status.KILLED, "", ("a",)) for index in range(9)]
    findings.append(Finding("m9", Status.SURVIVED, "a call"))
    measured = Measured("Not", 1, 1, 10, tuple(findings), {}, (), {"a": ("r",)})
    monkeypatch.setattr(renewing, "measure", lambda *_: measured)
    remembered = replace(HISTORY, code=code_of("", "Not"))
    monkeypatch.setattr(renewing, "remembered", lambda *_: Renewed(measured, remembered))
    monkeypatch.setattr(renewing, "measure_incrementally", lambda *_: None)
    history = tmp_path / "history.json"
    monkeypatch.setattr(renewing, "read_history", lambda: read_history(history))
    monkeypatch.setattr(renewing, "write_history", lambda found: write_history(found, history))
    path = tmp_path / "record.json"
    monkeypatch.setattr(renewing, "read_record", lambda: read_record(path))
    monkeypatch.setattr(renewing, "write_record", lambda lines: write_record(lines, path))
    allowed = tmp_path / "allowances.yaml"
    allowed.write_text("")
    monkeypatch.setattr(renewing, "allowances", lambda: allowances(allowed))
    monkeypatch.setattr(
        renewing, "write_allowances", lambda found: write_allowances(found, allowed)
    )
    return Renewal(tmp_path / "vectors", None, tmp_path / "details", 10, 80.0)


def test_what_is_not_recorded_is_measured_and_written(renewal: Renewal, tmp_path: Path) -> None:
    assert 0 == renew(renewal, 1, tmp_path / "strength.md")
    assert 90.0 == read_record(tmp_path / "record.json")["Not"].percent
    assert "| Not | 9 of 10 | 90 | · |" in (tmp_path / "strength.md").read_text()
    assert "requirement 'r': at least 9 mutants" in (tmp_path / "details" / "not.txt").read_text()


def test_what_onnx_kills_is_remembered_while_only_vectors_change(
    renewal: Renewal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[object] = []

    def found(*arguments: object) -> Theirs:
        calls.append(arguments[2:])
        return Theirs(3, KILLS)

    monkeypatch.setattr(renewing, "theirs", found)
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "manifest.json").write_text('{"vectors": {"valid": {"not-1/test_not/node": "0"}}}')
    renewal = replace(renewal, upstream=theirs)
    renew(renewal, 1, tmp_path / "strength.md")
    manifest(renewal.vectors, not_1="1")
    renew(renewal, 1, tmp_path / "strength.md")
    assert [(theirs, None)] == calls
    assert 2 == read_record(tmp_path / "record.json")["Not"].upstream_killed
    # What judges changed, and the tests are the same: what killed a mutant is tried on it.
    monkeypatch.setattr(record, "judging", lambda *_: ("other",))
    renew(renewal, 1, tmp_path / "strength.md")
    assert [(theirs, None), (theirs, KILLS)] == calls


@pytest.mark.parametrize(
    ("case", "expected"), [("", 97.0), ("little", 90.0), ("forget", 90.0), ("code", 90.0)]
)
def test_what_is_remembered_is_tried_first(
    case: str, expected: float, renewal: Renewal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    findings = tuple(Finding(f"m{index}", Status.KILLED) for index in range(97))
    living = tuple(Finding(f"l{index}", Status.SURVIVED) for index in range(3))
    better = Measured("Not", 1, 1, 10, (*findings, *living), {}, (), {})
    history = replace(HISTORY, code="other" if case == "code" else code_of("", "Not"))
    renewed = None if case == "little" else Renewed(better, replace(history, partly_tried=9))
    monkeypatch.setattr(renewing, "measure_incrementally", lambda *_: renewed)
    write_history({"Not": history}, tmp_path / "history.json")
    renew(replace(renewal, forget=case == "forget"), 1, tmp_path / "strength.md")
    assert expected == read_record(tmp_path / "record.json")["Not"].percent
    now = read_history(tmp_path / "history.json")["Not"]
    assert (9 if expected == 97.0 else HISTORY.partly_tried) == now.partly_tried


def test_the_page_names_suspicious_requirements_by_what_they_ask() -> None:
    suspects = ("ranks-are-equal", "rank-4")
    lines = {
        "Not": replace(LINE, suspicious=2, suspects=suspects),
        "Abs": replace(LINE, suspicious=1, suspects=suspects[:1]),
    }
    assert "`ranks-are-equal` (Abs, Not); `rank-4` (Not).\n" in page(lines, {})
    assert "Suspicious requirements" not in page({"Not": LINE}, {})


def test_the_page_says_where_not_everything_was_tried() -> None:
    text = page({"Not": replace(LINE, partly_tried=4), "Abs": LINE}, {})
    assert "4 mutants of 1 operators that survived or are equivalent were not tried" in text
    assert "Most are of Not (4)." in text


def test_what_did_not_change_is_not_measured(
    renewal: Renewal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    renew(renewal, 1, tmp_path / "strength.md")
    renew(renewal, 1, tmp_path / "strength.md")
    assert "0 of 1 operators measured" in capsys.readouterr().out


def test_what_is_named_is_measured_though_it_did_not_change(
    renewal: Renewal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    renew(renewal, 1, tmp_path / "strength.md")
    renew(renewal, 1, tmp_path / "strength.md", names=["Not"])
    assert "1 of 1 operators measured" in capsys.readouterr().out.rpartition("[1/1]")[2]
    with pytest.raises(BadInputError, match="no vector of Nott"):
        renew(renewal, 1, tmp_path / "strength.md", names=["Nott"])


def test_too_few_killed_are_recorded_and_fail(renewal: Renewal, tmp_path: Path) -> None:
    assert 1 == renew(replace(renewal, least=95.0), 1, tmp_path / "strength.md")
    assert "Not" in read_record(tmp_path / "record.json")


@pytest.mark.parametrize(("lower", "code", "left"), [(False, 1, 95.0), (True, 0, 90.0)])
def test_a_record_is_not_lowered_unless_that_is_asked_for(
    lower: bool,  # noqa: FBT001  a parameter of the test
    code: int,
    left: float,
    renewal: Renewal,
    tmp_path: Path,
) -> None:
    write_record({"Not": replace(LINE, killed=95, survived=5)}, tmp_path / "record.json")
    assert code == renew(replace(renewal, lower=lower), 1, tmp_path / "strength.md")
    assert left == read_record(tmp_path / "record.json")["Not"].percent


@pytest.mark.parametrize(("least", "left"), [(80.0, {}), (95.0, {"Not": Allowance(90.0, WEAK)})])
def test_what_was_not_measured_is_measured_and_leaves_the_debts_or_has_a_least(
    least: float, left: dict[str, Allowance], renewal: Renewal, tmp_path: Path
) -> None:
    write_allowances({"Not": Allowance(None, UNMEASURED)}, tmp_path / "allowances.yaml")
    assert 0 == renew(replace(renewal, least=least), 1, tmp_path / "strength.md")
    assert left == allowances(tmp_path / "allowances.yaml")
    page_of = page(read_record(tmp_path / "record.json"), left)
    assert page_of == (tmp_path / "strength.md").read_text()


def test_what_changed_can_be_allowed_not_to_be_measured(renewal: Renewal, tmp_path: Path) -> None:
    write_record({"Not": LINE}, tmp_path / "record.json")
    assert 0 == mark_unmeasured(renewal.vectors, 95.0, tmp_path / "strength.md")
    assert {"Not": Allowance(None, UNMEASURED)} == allowances(tmp_path / "allowances.yaml")
    assert {} == read_record(tmp_path / "record.json")
    assert "Not measured, which is allowed: Not." in (tmp_path / "strength.md").read_text()


def test_a_debt_keeps_its_reason_as_long_as_it_is_one() -> None:
    before = {"Not": Allowance(80.0, "a hard one"), "Abs": Allowance(None, "nobody looked")}
    weak = replace(LINE, killed=899, survived=101)
    assert {
        "Not": Allowance(89.9, "a hard one"),
        "Abs": Allowance(None, "nobody looked"),
    } == still_allowed(before, {"Not": weak}, ("Not", "Abs"), 95.0)
    assert {} == still_allowed(before, {"Not": LINE, "Abs": LINE}, ("Not", "Abs"), 95.0)


def test_an_operator_that_cannot_be_measured_stops_no_other(
    renewal: Renewal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> Measured:
        raise ValueError("nothing")

    monkeypatch.setattr(renewing, "measure", failing)
    assert 1 == renew(renewal, 1, tmp_path / "strength.md")
    assert {"Not": Allowance(None, UNMEASURED)} == allowances(tmp_path / "allowances.yaml")


def test_allowances_are_read_as_they_were_written(tmp_path: Path) -> None:
    allowed = {
        "Not": Allowance(89.9, 'of "a" kind: hard'),
        "ai.onnx.ml:Scaler": Allowance(None, UNMEASURED),
    }
    write_allowances(allowed, tmp_path / "allowances.yaml")
    assert allowed == allowances(tmp_path / "allowances.yaml")


# --- the page ---


def test_operators_stand_beside_each_other_so_that_the_page_stays_short() -> None:
    lines = {f"Operator{index}": LINE for index in range(227)}
    text, _, sizes = page(lines, {}).partition("\n## Faults of size\n")
    assert all(f"Operator{index} |" in text for index in range(227))
    assert len(text.splitlines()) < 130
    assert len(sizes.splitlines()) < 80


def test_the_page_in_the_repository_is_that_of_the_record() -> None:
    assert page(read_record(), allowances()) == (ROOT / "docs" / "strength.md").read_text(
        encoding="utf-8"
    )
