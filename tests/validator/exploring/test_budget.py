"""How the time of an exploration is shared."""

from __future__ import annotations

import time

import pytest

from onnx_conformance.validator.exploring.budget import Budget


def budget(seconds: float | None, spent: float, *, asks: bool) -> Budget:
    return Budget(seconds, asks, time.monotonic() - spent)


@pytest.mark.parametrize(
    ("spent", "failures", "ends"),
    [(0, 0, False), (500, 0, False), (569, 10, False), (571, 10, True), (361, 1000, True)],
)
def test_drawing_ends_when_the_rest_is_wanted_for_failures(
    spent: float, failures: int, *, ends: bool
) -> None:
    assert ends == budget(600, spent, asks=False).ends_drawing(failures)


def test_what_an_optimizer_is_asked_is_kept_beside_what_failures_want() -> None:
    """90 of 600 s are for the optimizer, 30 s before that for ten failures."""
    ended = [budget(600, spent, asks=True).ends_drawing(10) for spent in (479, 481)]
    assert [False, True] == ended
    assert [False, True] == [budget(600, spent, asks=True).ends_simplifying for spent in (509, 511)]


def test_failures_need_not_be_counted_before_drawing_may_end() -> None:
    assert [False, True] == [budget(600, spent, asks=True).may_end_drawing for spent in (269, 271)]


def test_a_count_of_calls_never_ends_by_time_but_in_asking_an_optimizer() -> None:
    counted = budget(None, 10_000, asks=True)
    assert (False, False, False) == (
        counted.ends_drawing(10),
        counted.may_end_drawing,
        counted.ends_simplifying,
    )
    assert 0 < counted.blaming_until() - time.monotonic() <= 300
