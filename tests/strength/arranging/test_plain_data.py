"""Why the data of vectors are plain: the calls, the record of mutants, and rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from strength.arranging.data import Plainness
from strength.arranging.plain_reasons import FILE, Reason, faults, ruled, rules
from strength.arranging.record import Line
from strength.arranging.redrawing import has_one_value

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.oracle.registry import Call

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.generators.signatures.model import Signature

NOTHING = Plainness("xor-7/shape_7/bool", "Xor", (), ("C is all zero",), tells_nothing=True)
SLICE = Plainness("xor-7/inner/bool", "Xor", (), ("C is equal along axis 1",), tells_nothing=False)
INPUT = Plainness("sum-13/two/int32", "Sum", ("data_0_1 is symmetric",), (), tells_nothing=False)


def rules_in(folder: Path, text: str) -> Path:
    path = folder / "plain.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def no(_: Plainness) -> bool:
    return False


def line(*survived: str) -> Line:
    return Line("", 1, 1, 0, survived)


def test_what_has_no_reason_is_a_fault_and_a_rule_is_one(tmp_path: Path) -> None:
    none = rules_in(tmp_path, "rules: []\n")
    found = list(ruled([NOTHING], {}, no, none))
    assert [item.reason for item in found] == [Reason.NONE]
    assert "C is all zero; give it other data" in next(faults(found, [NOTHING.id], none))
    (tmp_path / "one").mkdir()
    one = rules_in(tmp_path / "one", 'rules: [{vectors: ["xor-*/shape_*"], why: shapes}]\n')
    found = list(ruled([NOTHING], {}, no, one))
    assert [item.reason for item in found] == [Reason.RULE]
    assert not list(faults(found, [NOTHING.id], one))


def test_a_call_that_says_so_needs_no_rule(tmp_path: Path) -> None:
    none = rules_in(tmp_path, "rules: []\n")
    found = list(ruled([NOTHING], {}, lambda _: True, none))
    assert [item.reason for item in found] == [Reason.CALL]


@pytest.mark.parametrize(
    ("plain", "survivor", "reason"),
    [
        (SLICE, "arranged: output 'C', axis 1 reversed", Reason.NONE),
        (SLICE, "arranged: output 'C', axis 0 reversed", Reason.OTHERS),
        (SLICE, "arranged: input 'A', axis 1 reversed", Reason.OTHERS),
        (INPUT, "arranged: each of 'data_0', axis 0 reversed", Reason.NONE),
        (INPUT, "arranged: each of 'data_0', axis 0 rolled by one", Reason.OTHERS),
    ],
)
def test_a_survivor_that_the_data_hide_leaves_them_without_a_reason(
    tmp_path: Path, plain: Plainness, survivor: str, reason: Reason
) -> None:
    none = rules_in(tmp_path, "rules: []\n")
    record = {"Xor": line(survivor), "Sum": line(survivor)}
    assert [item.reason for item in ruled([plain], record, no, none)] == [reason]


def test_a_rule_that_no_vector_needs_is_a_fault(tmp_path: Path) -> None:
    path = rules_in(
        tmp_path, 'rules: [{vectors: ["xor-*/shape_*", "or-*/*"], why: a, told_by: ["xor-7/*_of"]}]'
    )
    found = list(ruled([NOTHING], {}, no, path))
    said = list(faults(found, [NOTHING.id], path))
    assert any("no vector needs 'or-*/*'" in text for text in said)
    assert any("no vector that tells something is 'xor-7/*_of'" in text for text in said)
    assert not list(faults(found, [NOTHING.id], path, whole=False))


def test_what_tells_in_its_place_must_tell(tmp_path: Path) -> None:
    path = rules_in(tmp_path, 'rules: [{vectors: ["xor-*/*"], why: a, told_by: ["xor-7/shape_7"]}]')
    found = list(ruled([NOTHING], {}, no, path))
    assert any("xor-7/shape_7" in text for text in faults(found, [NOTHING.id], path))


def test_a_document_of_another_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="needs 'rules'"):
        rules(rules_in(tmp_path, "rules: [{why: because}]\n"))


def test_each_rule_of_ours_has_its_reason() -> None:
    assert all(rule.vectors and len(rule.why) > 20 for rule in rules(FILE))


def bools(*values: int) -> Tensor:
    return Tensor("bool", (len(values),), bytes(values))


def test_equal_inputs_are_no_call_that_says_so_itself() -> None:
    call = Call(7, {}, {"A": bools(1, 0, 1), "B": bools(1, 0, 1)}, operator="Xor")
    assert not has_one_value(call, signature("Xor", 7))


def test_filling_says_so_itself_and_so_does_a_sum_of_nothing() -> None:
    shape = Tensor("int64", (1,), (3).to_bytes(8, "little"))
    assert has_one_value(
        Call(25, {}, {"input": shape}, operator="ConstantOfShape"), signature("ConstantOfShape", 25)
    )
    x = Tensor("int32", (3, 0), b"")
    axes = Tensor("int64", (1,), (1).to_bytes(8, "little"))
    nothing = Call(13, {}, {"data": x, "axes": axes}, operator="ReduceSum")
    assert has_one_value(nothing, signature("ReduceSum", 13))


def signature(operator: str, version: int) -> Signature:
    return next(
        item
        for item in installed_signatures().versions("", operator)
        if item.since_version == version
    )
