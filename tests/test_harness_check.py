"""`onnx-validate harness check` finds what each misbehaving harness does wrong, and says it."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest
from misbehaviour import harness

from onnx_conformance.validator import backends, main
from onnx_conformance.validator.child import Launch
from onnx_conformance.validator.harness_check import Limits, check_harness

if TYPE_CHECKING:
    from collections.abc import Sequence


def faults(program: Sequence[str], **limits: float) -> dict[str, str]:
    """What is wrong, by step."""
    found = check_harness(Launch(tuple(program)), Limits(**{"reply": 10, "late": 5, **limits}))
    return {finding.step: finding.fault for finding in found if finding.fault}


def test_well_behaved_harness_has_no_fault() -> None:
    assert {} == faults(harness("well_behaved"))


@pytest.mark.parametrize("extra", [[], ["--inline"]])
def test_harness_of_onnx_reference_has_no_fault(extra: list[str]) -> None:
    assert {} == faults([*backends.resolve("reference").command, *extra])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wrong_id", "wrong id: a reply for 'shape-15/another/float32' came while 'check-1/"),
        ("not_json", "the reply is not JSON (NaN is not JSON): "),
        ("wrong_length", "shape [3] of int64 needs 24 bytes, 8 given"),
        ("unknown_type", "unknown element type 'long'"),
        ("segfaults", "the harness ended (signal SIGSEGV) before the reply to 'run' of"),
        ("half_a_line_and_exits", "the harness ended (exit 0) before the reply to 'run' of"),
        ("closes_output", "standard output was closed before the reply to 'run' of"),
    ],
)
def test_bad_reply_is_said_in_words(name: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPOIL", "/shape/1")
    found = faults(harness(name))
    assert ["one model"] == list(found)
    assert words in found["one model"]


def test_second_reply_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPOIL", "/shape/1")
    expected = {"a model again, with two data sets": "a second reply for 'check-1/shape/1' came"}
    assert expected == faults(harness("replies_twice"))


def test_reply_that_nobody_asked_for_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPOIL", "/identity_uint2/")
    found = faults(harness("replies_twice"))
    assert "a reply that nobody asked for" in found["silence when nothing is asked"]


def test_late_reply_is_told_from_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPOIL", "/shape/1")
    late = faults(harness("late_reply"), reply=0.5)["one model"]
    assert re.fullmatch(r"late reply: 'run' of 'check-1/shape/1' took \d\.\d s; .* 0.5 s", late)
    none = faults(harness("half_a_line_and_hangs"), reply=0.5, late=0.1)["one model"]
    expected = "no reply to 'run' of 'check-1/shape/1' within 0.5 s; 31 bytes stand there"
    assert none.startswith(expected)


def test_noise_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPOIL", "/shape/1")
    found = faults(harness("prints_noise"))
    assert ["nothing but replies on standard output"] == list(found)
    assert "4 lines on standard output are no reply; the first is not JSON" in " ".join(
        found.values()
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bad_handshake", "needs 'model' as 'path' or 'inline', not 'by pigeon'"),
        ("another_protocol", "the harness speaks protocol 2"),
        ("dies_at_start", "its last words: ImportError: librt.so.9: cannot open"),
        ("silent_at_start", "no reply to 'describe' within 0.3 s"),
    ],
)
def test_bad_handshake_is_said_in_words(name: str, words: str) -> None:
    start = 0.3 if name.startswith("silent") else 10
    found = faults(harness(name), start=start, late=0.1)
    assert ["describe"] == list(found)
    assert words in found["describe"]


@pytest.mark.parametrize(
    ("name", "words"),
    [("ignores_stop", "did not end within 2 s of"), ("crashes_at_stop", "signal SIGABRT at")],
)
def test_bad_end_is_said_in_words(name: str, words: str) -> None:
    found = faults(harness(name))
    assert ["stop", "end of input"] == list(found)
    assert all(words in fault for fault in found.values())


@pytest.mark.parametrize(
    ("name", "code"), [("well_behaved", 0), ("crashes_at_stop", 1), ("bad_handshake", 4)]
)
def test_exit_code_of_the_command(
    name: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["onnx-validate", "harness", "check", "--", *harness(name)]
    monkeypatch.setattr(sys, "argv", words)
    assert code == main.main()
    assert ("the harness speaks protocol 1" in capsys.readouterr().out) == (code == 0)


def test_command_without_a_program_is_a_usage_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["onnx-validate", "harness", "check"])
    assert 2 == main.main()
    assert "the harness is missing" in capsys.readouterr().err
