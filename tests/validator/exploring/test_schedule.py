"""Operators share the time, or take turns."""

from __future__ import annotations

from collections import Counter

from onnx_conformance.validator.exploring.schedule import Schedule, operator_in

SUBJECTS = {"conv": ("conv-22", "conv-11", "conv-1"), "relu": ("relu-14",)}
LETTERS = {"conv": "s", "relu": "s"}


def test_with_a_number_of_calls_operators_take_turns() -> None:
    schedule = Schedule(SUBJECTS, LETTERS, 7)
    taken = [operator_in(str(schedule.in_turn())) for _ in range(10)]
    assert {"conv": 5, "relu": 5} == Counter(taken)


def test_ids_do_not_repeat_and_half_are_of_the_newest_version() -> None:
    schedule = Schedule(SUBJECTS, LETTERS, 7)
    ids = [schedule.in_turn() for _ in range(40)]
    assert len(set(ids)) == 40
    versions = Counter(item.subject for item in ids if item is not None)
    assert versions["conv-22"] == 10
    assert versions["conv-11"] == versions["conv-1"] == 5


def test_with_a_time_the_slow_operator_gets_fewer_calls() -> None:
    schedule = Schedule(SUBJECTS, LETTERS, 7)
    spent: Counter[str] = Counter()
    for _ in range(200):
        name = operator_in(str(schedule.by_time()))
        seconds = 0.9 if name == "conv" else 0.1
        schedule.took(name, seconds)
        schedule.finished(name)
        spent[name] += seconds  # type: ignore[assignment]
    assert 0.8 < spent["conv"] / spent["relu"] < 1.25


def test_an_operator_that_is_given_up_is_not_drawn() -> None:
    schedule = Schedule(SUBJECTS, LETTERS, 7)
    schedule.give_up("conv")
    assert {"relu"} == {operator_in(str(schedule.by_time())) for _ in range(5)}
    schedule.give_up("relu")
    assert schedule.by_time() is None
    assert schedule.in_turn() is None
