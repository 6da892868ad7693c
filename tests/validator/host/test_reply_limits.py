"""What a harness sends beyond all bounds is its vector's verdict: soon, and in one line."""

from __future__ import annotations

import json
import time
from base64 import b64encode
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest
from misbehaviour import CASES, run_cases, run_corpus
from runnable_corpus import runnable_corpus

from onnx_conformance.core.errors import BackendUnusableError, BadInputError
from onnx_conformance.core.limits import DEPTH, HANDSHAKE, MESSAGE, NAME, RANK, STRINGS, VALUES
from onnx_conformance.core.values.onnx_values import parse_value, serialize_value
from onnx_conformance.core.values.tensors import SequenceValue, Tensor
from onnx_conformance.core.values.wire import from_wire
from onnx_conformance.validator.host.protocol import (
    ProtocolError,
    parse_description,
    parse_object,
    parse_reply,
)
from onnx_conformance.validator.host.worker import Settings

if TYPE_CHECKING:
    from pathlib import Path

OTHERS = {case: "pass" for case in CASES if case != "bad"}
EMPTY = {"type": "int8", "shape": [0], "data": ""}
DESCRIPTION = {"protocol": 1, "name": "n", "version": "1", "model": "path"}


def nested(depth: int) -> dict[str, Any]:
    value = EMPTY
    for _ in range(depth):
        value = {"sequence": [value]}
    return value


@pytest.mark.parametrize(
    ("name", "verdict", "message", "seconds"),
    [
        ("many_digits", "protocol-error", "300 dimensions; 256 are taken at most", 5),
        ("many_dimensions", "protocol-error", "100,000 dimensions; 256 are taken", 10),
        ("many_outputs", "wrong-count", "got 30000 (int8 [0], empty; ", 10),
        ("nested_values", "protocol-error", f"values are nested more than {DEPTH} deep", 5),
        ("long_message", "rejected", "more characters cut off)", 10),
    ],
)
def test_reply_beyond_all_bounds_is_the_verdict_of_its_vector_alone(
    tmp_path: Path, name: str, verdict: str, message: str, seconds: float
) -> None:
    began = time.process_time()  # ours, however busy the machine is
    ran = run_corpus(
        runnable_corpus(tmp_path / "vectors", CASES), name, Settings(timeout=60, max_output=64)
    )
    assert {**OTHERS, "bad": verdict} == ran.verdicts
    assert message in ran.rows["bad"].message
    assert len(json.dumps(asdict(ran.rows["bad"]), default=str)) < 4 * MESSAGE + 20_000
    assert time.process_time() - began < seconds


def test_flood_of_short_lines_ends_at_the_deadline(tmp_path: Path) -> None:
    root = runnable_corpus(tmp_path / "vectors", CASES)
    ran = run_corpus(root, "endless_short_lines", Settings(timeout=1, max_output=1000))
    assert {**OTHERS, "bad": "timed-out"} == ran.verdicts


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("infinite_number", "the reply to 'describe' is not JSON .1e999 is beyond what a double"),
        ("long_description", f"the reply to 'describe' has .* bytes; {HANDSHAKE:,} are taken"),
    ],
)
def test_handshake_beyond_all_bounds_is_no_backend(tmp_path: Path, name: str, reason: str) -> None:
    root = runnable_corpus(tmp_path / "vectors", CASES)
    with pytest.raises(BackendUnusableError, match=reason) as caught:
        run_corpus(root, name, Settings(start_timeout=60))
    assert len(str(caught.value)) < 1000


# --- at the bound, and one beyond -----------------------------------------------------------


@pytest.mark.parametrize(
    ("wire", "words"),
    [
        ({**EMPTY, "shape": [1] * RANK + [0]}, f"{RANK + 1} dimensions; {RANK} are taken at most"),
        ({**EMPTY, "shape": [0, 1 << 63]}, "a dimension beyond int64"),
        ({**EMPTY, "shape": [1 << 62, 1 << 62]}, "has more elements than an int64 counts"),
        (nested(DEPTH + 1), "nested more than"),
        ({"sequence": [EMPTY] * VALUES}, f"more than {VALUES:,} values"),
        (
            {"type": "string", "shape": [STRINGS + 1], "data": [""] * (STRINGS + 1)},
            f"more than {STRINGS:,} strings",
        ),
        ({**EMPTY, "shape": [4], "data": "AAAAAA===="}, "not base64"),
        ({**EMPTY, "shape": [3], "data": "AAAA===="}, "not base64: excess padding"),
        ({**EMPTY, "shape": [1], "data": "AAAAAB=="}, "bits behind the last byte are not 0"),
        ({**EMPTY, "shape": [5], "data": "AAAAAAB="}, "bits behind the last byte are not 0"),
        ({"sequence": [], "optional": None}, "a value is of one kind"),
    ],
)
def test_value_beyond_a_bound_is_explained(wire: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        from_wire(wire)


@pytest.mark.parametrize(
    "wire",
    [
        {**EMPTY, "shape": [0] + [(1 << 63) - 1] * (RANK - 1)},
        nested(DEPTH),
        {"sequence": [EMPTY] * (VALUES - 1)},
        {"type": "string", "shape": [2], "data": ["", b64encode(b"a" * 10**6).decode()]},
    ],
)
def test_value_at_a_bound_is_taken(wire: dict[str, Any]) -> None:
    from_wire(wire)


def test_values_of_all_outputs_count_together() -> None:
    document = {"id": "a", "outputs": [[EMPTY] * (VALUES // 2), [EMPTY] * (VALUES // 2 + 1)]}
    with pytest.raises(ProtocolError, match=f"more than {VALUES:,} values"):
        parse_reply(document, "a", ["x"], 2)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"a": 1e999}', "1e999 is beyond what a double holds"),
        (b'{"a": -1e999}', "-1e999 is beyond what a double holds"),
        (b'{"a": 1, "a": 2}', "the key 'a' is there twice"),
        (b'{"a": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"a": ' + b"1" * 5000 + b"}", "limit"),
    ],
)
def test_what_json_cannot_say_is_refused(line: bytes, reason: str) -> None:
    with pytest.raises(ProtocolError, match=reason):
        parse_object(line)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"protocol": 1.0}, "speaks protocol 1.0"),
        ({"version": "1" * (NAME + 1)}, f"of {NAME + 1} characters"),
        ({"max_opset": 1 << 63}, "'max_opset' of 'describe' must be an integer"),
        ({"max_opset": 0}, "'max_opset' of 'describe' must be an integer"),
        ({"more": nested(DEPTH)}, f"nested more than {DEPTH} deep"),
    ],
)
def test_description_beyond_a_bound_is_explained(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ProtocolError, match=words):
        parse_description({**DESCRIPTION, **changes})


@pytest.mark.parametrize("key", ["unsupported", "error", "rejected"])
def test_long_words_of_a_harness_are_cut_and_the_rest_is_counted(key: str) -> None:
    words: Any = "x" * (MESSAGE + 1234)
    value = {"phase": "run", "message": words} if key == "rejected" else words
    said = parse_reply({"id": "a", key: value}, "a", [], 0)
    assert "x … (1,234 more characters cut off)" in str(said)
    assert len(str(said)) < MESSAGE + 100


def test_file_of_a_vector_is_held_to_the_same_bounds() -> None:
    value: Any = Tensor("int8", (0,), b"")
    for _ in range(DEPTH + 1):
        value = SequenceValue((value,))
    with pytest.raises(BadInputError, match="nested more than"):
        parse_value("sequence", serialize_value(value))


# --- what nobody foresaw ----------------------------------------------------------------------


def test_fault_of_ours_while_reading_a_reply_ends_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(document: dict[str, Any], *arguments: object) -> object:
        if "/bad/" in document["id"]:
            raise MemoryError
        return parse_reply(document, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("onnx_conformance.validator.host.worker.parse_reply", fails)
    ran = run_cases(tmp_path, "well_behaved")
    assert {**OTHERS, "bad": "protocol-error"} == ran.verdicts
    assert "cannot be read: MemoryError" in ran.rows["bad"].message


@pytest.mark.parametrize("where", ["judge", "_row"])
def test_fault_of_ours_while_judging_ends_no_run_and_fails_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    from onnx_conformance.validator.running import rows

    right = getattr(rows, where)

    def fails(*given: Any) -> object:  # noqa: ANN401  stands in for two functions
        vector = given[0] if where == "judge" else given[0].context.vector
        if vector.case == "bad":
            raise RecursionError("too deep")
        return right(*given)

    monkeypatch.setattr(rows, where, fails)
    ran = run_cases(tmp_path, "well_behaved")
    assert {**OTHERS, "bad": "bad-vector"} == ran.verdicts
    assert "says nothing of the backend: RecursionError" in ran.rows["bad"].message
