"""What is recorded of mutants that arrange, and the rules that argue for some."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from strength.arranging import record
from strength.arranging.arguments import argued, idle, rules
from strength.arranging.measuring import Arranged
from strength.arranging.page import PAGE, page
from strength.arranging.record import (
    ALLOWANCES,
    Line,
    digests,
    line_of,
    read_record,
    write_record,
)
from strength.records.allowances import Allowance, allowances
from strength.trying.status import Finding, Status

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.oracle.index import module_of

if TYPE_CHECKING:
    from pathlib import Path

LINE = Line("0123", 7, 18, 3, ("arranged: a",))


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    write_record({"Add": LINE, "Sub": Line("4567", 1, 1, 0)}, file)
    assert {"Add": LINE, "Sub": Line("4567", 1, 1, 0)} == read_record(file)


def test_what_is_argued_is_not_counted() -> None:
    assert 100 * 18 / 19 == Line("0123", 7, 18, 3, ("a",), ("b",)).percent


def test_a_rule_that_is_written_later_holds_for_what_was_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "record.json"
    write_record({"Add": LINE}, file)
    monkeypatch.setattr(record, "argued", lambda _name, names: dict.fromkeys(names, "why"))
    assert Line("0123", 7, 18, 3, (), ("arranged: a",)) == read_record(file)["Add"]


def test_a_file_that_is_no_record_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    file.write_text("[]", encoding="utf-8")
    with pytest.raises(BadInputError, match="no record of arrangements"):
        read_record(file)


def test_a_line_leaves_out_what_a_rule_argues_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(record, "argued", lambda _name, names: {names[0]: "why"})
    findings = tuple(Finding(name, Status.SURVIVED) for name in ("a", "b"))
    line = line_of(Arranged("Add", 3, findings), "0123")
    assert (("b",), ("a",)) == (line.survived, line.argued)


def test_what_survives_has_the_order_in_which_it_is_written(tmp_path: Path) -> None:
    findings = tuple(Finding(name, Status.SURVIVED) for name in ("b", "a"))
    line = line_of(Arranged("Add", 3, findings), "0123")
    write_record({"Add": line}, tmp_path / "record.json")
    assert line == read_record(tmp_path / "record.json")["Add"]


def test_a_rule_holds_for_its_operators_and_whole_names(tmp_path: Path) -> None:
    file = tmp_path / "arguments.yaml"
    file.write_text("rules:\n- {mutants: 'a.*', operators: [Add], why: so}\n", encoding="utf-8")
    names = ["ab", "ba"]
    assert [{"ab": "so"}, {}] == [argued("Add", names, file), argued("Sub", names, file)]


def test_a_rule_that_argues_for_nothing_is_known(tmp_path: Path) -> None:
    file = tmp_path / "arguments.yaml"
    file.write_text("rules: [{mutants: a, why: so}, {mutants: b, why: so}]\n", encoding="utf-8")
    assert ["b"] == list(idle({"Add": ["a"]}, file))


def test_rules_that_are_none_are_an_error(tmp_path: Path) -> None:
    file = tmp_path / "arguments.yaml"
    file.write_text("rules: [{why: so}]\n", encoding="utf-8")
    with pytest.raises(BadInputError, match="needs 'rules'"):
        rules(file)


def test_another_vector_makes_another_digest(tmp_path: Path) -> None:
    manifests = []
    for digest in ("1", "2"):
        file = tmp_path / f"{digest}.json"
        file.write_text(f'{{"vectors": {{"valid": {{"add-14/a/b": "{digest}"}}}}}}', "utf-8")
        manifests.append(digests(file))
    assert ["Add"] == list(manifests[0])
    assert manifests[0] != manifests[1]


def test_what_is_recorded_is_of_operators_with_an_oracle() -> None:
    known = {f"{domain}:{name}" if domain else name for domain, name in module_of()}
    assert {*read_record()} <= known


def test_the_page_names_what_survives() -> None:
    assert "* Add (18 of 19): a" in page({"Add": LINE}, {})


def test_the_page_says_why_an_operator_may_have_less() -> None:
    text = page({"Add": LINE}, {"Add": Allowance(94.7, "no case tells")})
    assert "* Add, at least 94.7 %: no case tells" in text


def test_the_page_names_what_is_not_measured() -> None:
    assert "now: Sub." in page({"Add": LINE}, {"Sub": Allowance(None, "it changed")})


def test_the_committed_page_is_that_of_the_committed_record() -> None:
    assert page(read_record(), allowances(ALLOWANCES)) == PAGE.read_text(encoding="utf-8")
