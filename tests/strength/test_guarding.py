"""Work in child processes that may end: no task is lost, and what ended one is known."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import gmpy2
import pytest
from strength.guarding import guarded, guarded_each, guarded_once

if TYPE_CHECKING:
    from strength.guarding import Progress

_LITTLE = 1 << 30


def work(task: int, progress: Progress) -> int:
    progress.note(1, task)
    if task == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    if task == 4:
        gmpy2.mpz(1) << (1 << 36)  # 8 GiB, for which GMP ends the process
    progress.note(2, task)
    return task * task


def died(task: int, place: tuple[int, int]) -> int:
    assert (1, task) == place
    return -task


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_child_that_ends_costs_one_task_its_result(jobs: int) -> None:
    assert [0, 1, 4, -3, -4, *(n * n for n in range(5, 30))] == guarded(
        work, range(30), jobs, died, _LITTLE
    )


def test_a_result_is_there_before_the_next_task_is_done() -> None:
    def second_fails(task: int, _progress: Progress) -> int:
        if task:
            raise ValueError
        return task

    assert (0, 0) == next(guarded_each(second_fails, [0, 1], 1, died))


def test_what_is_raised_in_a_child_is_raised_here() -> None:
    def failing(_task: int, _progress: Progress) -> int:
        raise ValueError("no number")

    with pytest.raises(ValueError, match="no number"):
        guarded(failing, [1], 1, died)


def test_no_task_needs_no_child() -> None:
    assert [] == guarded(work, [], 2, died)


def test_what_eats_all_memory_in_python_is_an_error_and_no_end() -> None:
    def eating(_task: int, _progress: Progress) -> str:
        try:
            return str(len(bytearray(1 << 40)))
        except MemoryError:
            return "refused"

    assert ["refused"] == guarded(eating, [1], 1, lambda *_: "ended", _LITTLE)


def test_one_piece_of_work_has_a_result_or_none() -> None:
    assert 7 == guarded_once(lambda: 7)
    assert guarded_once(lambda: os.kill(os.getpid(), signal.SIGKILL)) is None
