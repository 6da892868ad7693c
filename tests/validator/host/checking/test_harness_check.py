"""`onnx-validate harness check` finds what each misbehaving harness does wrong, and says it."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import onnx
import pytest
from misbehaviour import harness

from onnx_conformance.core.values.elements import ELEMENT_TYPES, ElementType
from onnx_conformance.validator import main
from onnx_conformance.validator.host import backends
from onnx_conformance.validator.host.checking.harness_check import check_harness
from onnx_conformance.validator.host.checking.questions import same_question, sample
from onnx_conformance.validator.host.conversation import Limits

if TYPE_CHECKING:
    from collections.abc import Sequence


def faults(program: Sequence[str], **limits: float) -> dict[str, str]:
    """What is wrong, by step."""
    found = check_harness(tuple(program), Limits(**{"reply": 10, "late": 5, **limits}))
    return {finding.step: finding.fault for finding in found if finding.fault}


def test_well_behaved_harness_has_no_fault() -> None:
    assert {} == faults(harness("well_behaved"))


@pytest.mark.parametrize("extra", [[], ["--inline"]])
def test_harness_of_onnx_reference_has_no_fault(extra: list[str]) -> None:
    assert {} == faults([*backends.find_backend("reference").command, *extra])


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
    monkeypatch.setenv("SPOIL", "/cast_float6e3m2/")
    found = faults(harness("replies_twice"))
    assert "a reply that nobody asked for" in found["silence when nothing is asked"]


def test_late_reply_is_told_from_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPOIL", "/shape/1")
    late = faults(harness("late_reply"), reply=0.5)["one model"]
    assert re.fullmatch(r"late reply: 'run' of 'check-1/shape/1' took \d\.\d s; .* 0.5 s", late)
    none = faults(harness("half_a_line_and_hangs"), reply=0.5, late=0.1)["one model"]
    expected = "no reply to 'run' of 'check-1/shape/1' within 0.5 s; 31 bytes are there"
    assert none.startswith(expected)


def test_a_model_that_may_be_read_at_any_time_is_never_written_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SPOIL", "/")
    assert {} == faults(harness("reads_models_late"))


def test_a_harness_that_rejects_everything_is_not_told_that_it_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SPOIL", "/")
    steps = check_harness(harness("rejects_all"), Limits())
    found = {item.step: item.remark for item in steps}
    assert "rejected at load: no" == found["three requests ahead"]


def test_a_nil_slice_where_a_shape_is_due_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPOIL", "/")
    found = faults(harness("nil_slices"))
    step = "a scalar and an empty tensor that the runtime makes"
    assert "'shape' must be a list of integers, not None" in found[step]


@pytest.mark.parametrize("verbose", [False, True])
def test_the_conversation_is_shown_where_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *, verbose: bool
) -> None:
    option = ["--verbose"] if verbose else []
    words = ["onnx-validate", "harness", "check", *option, "--", *harness("well_behaved")]
    monkeypatch.setattr(sys, "argv", words)
    assert 0 == main.main()
    printed = capsys.readouterr().out.splitlines()
    asked = [line for line in printed if line.startswith('  > {"command":"describe"')]
    said = [line for line in printed if line.startswith('  < {"id": "check-1/shape/1", "outputs"')]
    assert [verbose, verbose] == [bool(asked), bool(said)]
    assert all(len(line) < 1_000 for line in printed)


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
        ("dies_at_start", "it said: loading … ImportError: librt.so.9: cannot open"),
        ("exits_closing_output", "the harness ended (exit 3) before the reply to 'describe'"),
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


def spoken(
    program: Sequence[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, list[str]]:
    """The exit code of the command and the lines that it prints."""
    monkeypatch.setattr(sys, "argv", ["onnx-validate", "harness", "check", "--", *program])
    return main.main(), capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("odd", "came"),
    [
        (
            "swapped",
            "int64 [2] = [144115188075855872, 216172782113783808]: are the bytes swapped?",
        ),
        ("narrowed", "int32 [2] = [2, 3]"),
        ("sequence", "sequence of 1 (int64 [2] = [2, 3])"),
        ("absent", "absent optional"),
        ("foreign", "a dict, which is no ONNX value"),
    ],
)
def test_wrong_value_is_odd_and_said_as_values_are(
    odd: str, came: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPOIL", "/")
    monkeypatch.setenv("ODD", odd)
    code, lines = spoken(harness("answers_oddly"), monkeypatch, capsys)
    assert 1 == code
    assert f"odd   one model: Shape: expected int64 [2] = [2, 3]; got {came}" in lines
    # Swapping the bytes of nothing, the Shape of a scalar, changes nothing.
    count = 7 if odd == "swapped" else 8
    assert f"the harness speaks protocol 1; {count} answers were odd" == lines[-1]


def test_bytes_that_are_taken_for_a_model_are_odd(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPOIL", "/")
    monkeypatch.setenv("ODD", "takes anything")
    code, lines = spoken(harness("answers_oddly"), monkeypatch, capsys)
    assert 1 == code
    expected = (
        "odd   bytes that are no model: a rejection at decode or load was to be expected;"
        " the bytes were taken for a model"
    )
    assert expected in lines
    assert "the harness speaks protocol 1; 1 answer was odd" == lines[-1]


def test_harness_that_answers_no_model_is_told_that_values_were_not_checked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPOIL", "/")
    monkeypatch.setenv("ODD", "nothing")
    code, lines = spoken(harness("answers_oddly"), monkeypatch, capsys)
    assert 1 == code
    expected = [
        "no model was answered with values: nothing about values was checked, and that is no pass",
        "the harness speaks protocol 1",
    ]
    assert expected == lines[-2:]


def test_harness_that_answers_is_not_told_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = spoken(harness("well_behaved"), monkeypatch, capsys)
    assert (0, "the harness speaks protocol 1") == (code, lines[-1])
    assert not any("nothing about values" in line for line in lines)


def test_six_bit_types_and_a_dimension_that_no_double_holds_are_tried() -> None:
    found = {item.step: item for item in check_harness(harness("well_behaved"), Limits())}
    assert found["every element type"].remark.endswith("float6e2m3, float6e3m2")
    assert 28 == found["every element type"].values
    assert "answered rightly" == found["a dimension above 2**53"].remark


def test_command_line_in_one_word_is_a_usage_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["onnx-validate", "harness", "check", "java -cp x Tiny"]
    monkeypatch.setattr(sys, "argv", words)
    assert 2 == main.main()
    assert "pass program and arguments separately after --" in capsys.readouterr().err


# --- what the harness has ----------------------------------------------------------------------


def remarks(monkeypatch: pytest.MonkeyPatch, only: str) -> dict[str, str]:
    monkeypatch.setenv("ONLY", only)
    steps = check_harness(harness("has_one_operator"), Limits())
    return {item.step: item.remark for item in steps}


@pytest.mark.parametrize("operator", ["Identity", "Relu", "Add", "Mul", "Cast", "Sub"])
def test_the_check_tries_the_operator_that_the_runtime_has(
    operator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = remarks(monkeypatch, operator.lower())
    assert f"{operator}: answered rightly" == found["one model"]
    assert "answered rightly" == found["a model again, with two data sets"]
    assert "answered in order" == found["three requests ahead"]
    assert "[]: answered rightly; [0, 3]: answered rightly" == found["a scalar and an empty tensor"]
    assert "right: float32, uint8, int8" in found["every element type"]


def test_what_was_tried_is_named_where_nothing_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    found = remarks(monkeypatch, "nothing")["one model"]
    assert found.startswith("none of Shape, Identity, Relu, Add, ")
    assert found.endswith("was answered with values; Shape: unsupported: no such operator")


def test_a_harness_that_answers_nothing_with_values_does_not_pass(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ONLY", "nothing")
    words = ["onnx-validate", "harness", "check", "--", *harness("has_one_operator")]
    monkeypatch.setattr(sys, "argv", words)
    assert 1 == main.main()
    assert "and that is no pass" in capsys.readouterr().out


@pytest.mark.parametrize("element", ELEMENT_TYPES, ids=lambda element: element.name)
def test_an_element_type_is_sent_in_a_model_that_may_have_it(element: ElementType) -> None:
    model = onnx.load_from_string(same_question(sample(element.name)).model)
    onnx.checker.check_model(model, full_check=True)
