"""What takes too long is ended, whatever it does with being told so."""

from __future__ import annotations

import contextlib
import gc
from typing import TYPE_CHECKING, NoReturn

import pytest
from strength.deadlines import TookTooLongError, deadline

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def slow_collector() -> Iterator[None]:
    """A callback of the collector in which a signal would mostly arrive."""

    def spin(_phase: str, _info: object) -> None:
        for _ in range(2_000):
            pass

    gc.callbacks.append(spin)
    yield
    gc.callbacks.remove(spin)


def make_circles() -> NoReturn:
    while True:
        circle: list[object] = []
        circle.append(circle)


def test_what_never_ends_is_ended() -> None:
    with pytest.raises(TookTooLongError), deadline(0.05):
        make_circles()


@pytest.mark.usefixtures("slow_collector")
def test_a_callback_of_the_collector_does_not_swallow_the_end() -> None:
    # Were it raised there, it would be printed and lost, and pytest would say so.
    with pytest.raises(TookTooLongError), deadline(0.05):
        make_circles()


def catch_the_end(times: int) -> None:
    for _ in range(times):
        with contextlib.suppress(TookTooLongError):
            make_circles()
    make_circles()


def test_one_that_catches_the_end_is_told_again() -> None:
    with pytest.raises(TookTooLongError), deadline(0.05):
        catch_the_end(1)
