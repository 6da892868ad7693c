"""The moving line, and the silence where nobody watches."""

from __future__ import annotations

import io

import pytest

from onnx_conformance.core.progress import Progress, time_left


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_line_says_how_many_of_how_many() -> None:
    stream = Terminal()
    Progress(stream, 1500, done=1000).add(passed=False)
    assert "\r\x1b[K1,001 of 1,500, 1 did not pass, 0:00" == stream.getvalue()


def test_nothing_is_written_at_first_where_nobody_watches() -> None:
    stream = io.StringIO()
    progress = Progress(stream, 2)
    progress.add(passed=False)
    progress.clear()
    assert "" == stream.getvalue()


def test_line_says_at_which_operator_it_is() -> None:
    stream = Terminal()
    Progress(stream, 15).add(passed=True, operator="Relu")
    assert "\r\x1b[K1 of 15, 0 did not pass, 0:00, at Relu" == stream.getvalue()


def test_a_log_has_a_line_every_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 4.0, 9.9, 10.0, 15.0, 19.9, 21.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    stream = io.StringIO()
    progress = Progress(stream, 12)
    for _ in range(6):
        progress.add(passed=True, operator="Relu")
    assert [
        "3 of 12, 0 did not pass, 0:10, about 0:30 left, at Relu",
        "6 of 12, 0 did not pass, 0:21, about 0:21 left, at Relu",
    ] == stream.getvalue().splitlines()


def test_what_is_said_takes_the_place_of_the_line() -> None:
    stream = Terminal()
    Progress(stream, 2).note("note: x")
    assert "\r\x1b[Konnx-validate: note: x\n" == stream.getvalue()


@pytest.mark.parametrize(
    ("expected", "seconds", "done", "left"),
    [
        ("", 4, 100, 100),  # too early
        ("", 60, 0, 100),  # nothing is done yet
        ("", 60, 100, 0),
        ("0:30", 60, 200, 100),
        ("2:05", 125, 50, 50),
        ("1:00:00", 60, 1, 60),
    ],
)
def test_the_time_left_follows_from_the_pace(
    expected: str, seconds: float, done: int, left: int
) -> None:
    assert expected == time_left(seconds, done, left)
