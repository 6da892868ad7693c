"""Which changes of an oracle make a difference on the way to an answer, found in one run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from strength.mutants.code import mutations, probing_code
from strength.mutants.helpers import all_for
from strength.mutants.mutant import Prober, all_mutants
from strength.mutants.recorder import Recorder, names_of
from written_modules import module_of

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle import operators
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = '''"""A module."""


def start(x, y, seen):
    """Where it begins."""
    if x < 3:
        y = y + 0
    found = [item for item in range(x) if item]
    seen.append(x)
    while y > 9:
        y = y - 1
    return max(x, y), found[0:], next(iter(seen)) + 1, twice(y, 2)


def twice(y, many):
    try:
        return y // many
    except ZeroDivisionError:
        return 0


def drawn(stream, n=1):
    return taken(stream) + n


def taken(stream):
    stream.pop()
    return len(stream)


def later(x):
    found = iter([item * 3 for item in range(x)])
    lazy = enumerate(item ** 2 for item in range(x))
    return sum(found) // 100, given({}, "a", 7), list(lazy)


def given(found, name, other):
    return found.get(name, 5) > other
'''


class Watched:
    """The functions of the sample, which say what would make a difference."""

    def __init__(self, folder: Path) -> None:
        module = module_of(folder, SOURCE, "probed_sample")
        self.module = module
        self.recorder = Recorder()
        self.changes = [mutation.change for mutation, _ in mutations(module, None)]
        code, many = probing_code(module, None, 0)
        assert len(self.changes) == many
        self.names: dict[str, Any] = {"__name__": "probed_sample", **names_of(self.recorder)}
        exec(code, self.names)  # noqa: S102  what is tested

    def different(self, name: str, *arguments: Any, seconds: float = 9.0) -> set[str]:  # noqa: ANN401
        self.recorder.begin(seconds)
        try:
            self.names[name](*arguments)
        finally:
            self.recorder.end()
        return {self.changes[number] for number in self.recorder.different}


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


def test_what_gives_the_same_makes_no_difference(watched: Watched) -> None:
    found = watched.different("start", 2, 4, [])
    assert not found & {"x < 3 -> x <= 3", "if x < 3 -> if True", "y + 0 -> y - 0", "while y > 9"}
    assert {"x < 3 -> x >= 3", "if x < 3 -> if False"} <= found


def test_what_gives_something_else_makes_a_difference(watched: Watched) -> None:
    assert {"x < 3 -> x <= 3", "if x < 3 -> if True"} <= watched.different("start", 3, 4, [])
    assert "if x < 3 -> if True" not in watched.different("start", 1, 4, [])


def test_a_function_taken_for_another_is_judged_by_what_it_gives(watched: Watched) -> None:
    assert "max -> min" in watched.different("start", 2, 4, [])
    assert "max -> min" not in watched.different("start", 4, 4, [])


def test_a_loop_run_once_makes_a_difference_where_it_is_entered(watched: Watched) -> None:
    assert "while y > 9 -> if y > 9" not in watched.different("start", 2, 9, [])
    assert "while y > 9 -> if y > 9" in watched.different("start", 2, 10, [])


def test_a_condition_of_a_comprehension_matters_where_it_is_false(watched: Watched) -> None:
    dropped = "for item in range(x) if item -> for item in range(x)"
    assert dropped in watched.different("start", 2, 4, [])
    assert dropped not in watched.different("start", 0, 4, [])


def test_a_dropped_statement_makes_a_difference_where_it_is_reached(watched: Watched) -> None:
    assert "seen.append(x) -> pass" in watched.different("start", 2, 4, [])
    assert not {"y // many -> y", "seen.append(x) -> pass"} & watched.different("drawn", [1])


def test_what_the_whole_expression_makes_nothing_of_makes_no_difference(watched: Watched) -> None:
    found = watched.different("later", 3)
    assert not found & {"7 -> 8", "5 -> 6", "100 -> 101"}
    assert "item * 3 -> item + 3" in found
    assert "found.get(name, 5) > other -> found.get(name, 5) <= other" in found


def test_what_is_worked_out_after_its_whole_makes_a_difference(watched: Watched) -> None:
    assert "item ** 2 -> item * 2" in watched.different("later", 3)


def test_what_fails_makes_a_difference(watched: Watched) -> None:
    assert "y // many -> y * many" in watched.different("twice", 0, 0)
    assert "y // many -> y * many" not in watched.different("twice", 0, 2)


def test_the_answer_is_that_of_the_module(watched: Watched) -> None:
    watched.recorder.begin(9.0)
    seen: list[int] = []
    assert watched.module.start(2, 12, []) == watched.names["start"](2, 12, seen)
    assert [2] == seen


def test_what_must_not_be_worked_out_twice_is_found_out_and_left_alone(watched: Watched) -> None:
    watched.different("drawn", [1, 2, 3, 4])
    assert watched.recorder.spoiled
    stream = [1, 2, 3, 4]
    found = watched.different("drawn", stream)
    assert not watched.recorder.spoiled
    assert [1, 2, 3] == stream
    assert "taken(stream) + n -> n" in found


def test_once_the_time_is_up_being_reached_is_enough(watched: Watched) -> None:
    assert "x < 3 -> x <= 3" in watched.different("start", 2, 4, [], seconds=0)


def test_nothing_is_noted_outside(watched: Watched) -> None:
    watched.different("twice", 0, 2)
    before = set(watched.recorder.different)
    watched.names["start"](2, 4, [])
    assert before == watched.recorder.different


# --- of an operator ---


def test_a_mutant_whose_change_makes_no_difference_answers_as_the_oracle() -> None:
    prober = Prober("", "Hardmax")
    data = Tensor("float32", (2, 2), b"\0\0\x80\x3f\0\0\0\x40" * 2)
    call = Call(13, {"axis": -1}, {"input": data}, "Hardmax", types={"T": "float32"})
    prober.begin(9.0)
    right = prober.answer(call)
    prober.recorder.end()
    tried = [
        item
        for item in all_mutants("", "Hardmax", compute)
        if item.in_call and item.number not in prober.recorder.different
    ]
    assert len(tried) > 10
    for mutant in tried:
        assert right == mutant.make()(call), mutant.name


def test_what_a_change_would_ask_of_a_function_that_remembers_is_not_remembered_for_the_call() -> (
    None
):
    change = "Fraction(part, whole) - Fraction(1, 4) -> Fraction(part, whole) + Fraction(1, 4)"
    prober = Prober("", "DFT")
    data = Tensor("float32", (1, 3, 1), b"\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40")
    call = Call(20, {"inverse": 0, "onesided": 0}, {"input": data}, "DFT", types={"T1": "float32"})
    prober.begin(9.0)
    prober.answer(call)
    prober.recorder.end()
    (sine,) = [item for item in all_mutants("", "DFT", compute) if change in item.name]
    assert sine.number in prober.recorder.different


def test_all_modules_of_an_operator_stand_behind_what_they_import() -> None:
    package = operators.__name__
    names = all_for(f"{package}.attention.attention")
    assert f"{package}.attention.attention" == names[-1]
    assert names.index(f"{package}.attention.sums") < names.index(f"{package}.attention.weights")


@pytest.mark.parametrize(
    ("domain", "operator", "name"),
    [("ai.onnx.preview.training", "Gradient", "duals")],
)
def test_a_module_that_is_imported_from_its_package_is_changed_too(
    domain: str, operator: str, name: str
) -> None:
    modules = Prober(domain, operator).modules
    (copy,) = [item for item in modules if item.__name__.rpartition(".")[2] == name]
    assert copy is getattr(modules[-1], name)
    package, _, _ = copy.__name__.rpartition(".")
    assert copy is not getattr(sys.modules[package], name) is sys.modules[copy.__name__]


def test_a_loop_that_is_begun_anew_from_within_stays_a_loop(tmp_path: Path) -> None:
    source = "def start(x):\n    while x:\n        x -= 1\n        continue\n    return x\n"
    module = module_of(tmp_path, source, "looping_sample")
    changes = [mutation.change for mutation, _ in mutations(module, None)]
    assert "continue -> pass" in changes
    assert not [item for item in changes if item.startswith("while")]
    assert len(changes) == probing_code(module, None, 0)[1]
