"""Mutants before somebody else's suite: an oracle, vectors and a judge, and nothing of ours."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from strength.interfaces import Notice
from strength.mutants.mutant import all_mutants
from strength.trying.measuring import findings_of
from strength.trying.own_oracle import OwnOracle
from strength.trying.status import Status
from strength.trying.trial import Trial

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.oracle.arith.grid import tensor_of
from onnx_conformance.generators.oracle.registry import Call

if TYPE_CHECKING:
    from strength.interfaces import Answer

VERSIONS = installed_signatures().versions("", "Neg")


@dataclass
class Example:
    """A vector of the suite: itself what is said of it."""

    element: str
    data: bytes
    expected: bytes
    form: str = "static"
    covers: tuple[str, ...] = ("each element changes its sign",)
    calls: list[Call] = field(default_factory=list)

    @property
    def case(self) -> str:
        return self.element

    @property
    def vector(self) -> Example:
        return self

    def run(self, answer: Answer) -> bytes:
        size = 4 if self.element == "float32" else 1
        data = Tensor(self.element, (len(self.data) // size,), self.data)
        types = {"T": self.element}
        call = Call(13, {}, {"X": data}, "Neg", outputs=("Y",), types=types)
        self.calls[:] = [call]
        (given,) = answer(call)
        found = given if isinstance(given, Tensor) else tensor_of(given)
        assert isinstance(found.data, bytes)
        return found.data


class Suite:
    """Vectors that are written out, and a judge that compares bytes."""

    target = ("", "Neg")
    noting = True

    def __init__(self, *examples: Example) -> None:
        self.by_id = {f"neg/{item.element}": item for item in examples}
        self.oracle = OwnOracle(*self.target)

    def record(self, answer: Answer) -> list[tuple[str, str]]:
        return [
            (name, "differs") for name, it in self.by_id.items() if it.run(answer) != it.expected
        ]

    def notice(self, identity: str, answer: Answer, seconds: float) -> Notice:
        assert seconds > 0
        example = self.by_id[identity]
        try:
            return Notice(example.run(answer) != example.expected)
        except Exception:
            return Notice(noticed=True)


def tried(*examples: Example) -> Counter[Status]:
    suite = Suite(*examples)
    trial = Trial(suite, {item.since_version: item for item in VERSIONS}, samples=60)
    assert [] == list(trial.failures)
    mutants = list(all_mutants("", "Neg", trial.recall))
    findings, _ = findings_of(trial, mutants, 1)
    return Counter(item.status for item in findings)


INTEGERS = Example("int8", bytes([1, 0, 0x80, 5]), bytes([0xFF, 0, 0x80, 0xFB]))
FLOATS = Example("float32", b"\0\0\x80\x3f\0\0\0\0", b"\0\0\x80\xbf\0\0\0\x80")


def test_a_suite_of_two_vectors_kills_some_and_lets_others_survive() -> None:
    found = tried(INTEGERS, FLOATS)
    assert found[Status.KILLED] > 5
    assert found[Status.SURVIVED] > 5


@pytest.mark.parametrize("left_out", [0, 1])
def test_a_suite_with_less_kills_less(left_out: int) -> None:
    both = [INTEGERS, FLOATS]
    whole = tried(*both)[Status.KILLED]
    del both[left_out]
    assert tried(*both)[Status.KILLED] < whole
