"""Mutants before drawn calls: which are told apart, and that a correct oracle never is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from strength.mutants.mutant import Mutant
from strength.trying.explored import drawn_ids, explored

from onnx_conformance.core.exploring.ids import parse_id
from onnx_conformance.generators.exploring.calls import DrawnCall
from onnx_conformance.generators.exploring.installed import InstalledExplorer
from onnx_conformance.generators.oracle.registry import Call, Result, compute

if TYPE_CHECKING:
    from collections.abc import Callable

SEED, COUNT = 7, 24


def _mutant(name: str, answer: Callable[[Call], Result]) -> Mutant:
    return Mutant(name, lambda: answer)


def _positive(call: Call) -> Result:
    return compute(replace(call, operator="Abs"))


def test_a_wrong_oracle_is_told_apart_and_the_correct_one_is_not() -> None:
    mutants = [_mutant("right", compute), _mutant("wrong", _positive)]
    found = explored(("", "Neg"), mutants, SEED, COUNT)
    assert (2, ["wrong"]) == (found.mutants, list(found.killed))
    assert COUNT // 2 < found.calls <= COUNT


def test_the_call_that_tells_apart_is_named_by_its_id() -> None:
    found = explored(("", "Neg"), [_mutant("wrong", _positive)], SEED, COUNT)
    drawing = InstalledExplorer().drawing(parse_id(found.killed["wrong"]))
    assert isinstance(drawing, DrawnCall)
    call = drawing.asked()
    assert compute(call) != _positive(call)


def test_a_refusal_is_noticed() -> None:
    def refusing(call: Call) -> Result:
        raise ValueError(call.operator)

    found = explored(("", "Neg"), [_mutant("refuses", refusing)], SEED, 4)
    assert ["refuses"] == list(found.killed)


def test_drawers_take_turns_and_every_other_call_is_of_the_newest_version() -> None:
    ids = list(drawn_ids("neg", SEED, 12))
    assert ["neg-13"] * 6 == [item.subject for item in ids[::2]]
    assert {"neg-13", "neg-6", "neg-1"} == {item.subject for item in ids[1::2]}
    assert {"d", "s"} == {item.drawer for item in ids}
