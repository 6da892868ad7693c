"""What is permitted for a call that no spec wrote down, or why that is not said."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from onnx_conformance.core.exploring.explorer import Refusal
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.exploring.corpus import bases_of
from onnx_conformance.generators.oracle.registry import Call
from onnx_conformance.generators.situations.permitting import permitted as module
from onnx_conformance.generators.situations.permitting.permitted import (
    NotPermittedError,
    permitted,
)

if TYPE_CHECKING:
    from onnx_conformance.generators.situations.asking import Reply


def floats(shape: tuple[int, ...], *numbers: float) -> Tensor:
    return Tensor("float32", shape, struct.pack(f"<{len(numbers)}f", *numbers))


def asked(operator: str, inputs: dict[str, Any], **changes: Any) -> Reply:  # noqa: ANN401  fields of a call
    plans = bases_of(operator.lower()).plans
    plan = next(iter(plans[max(plans, key=lambda item: int(item.rpartition("-")[2]))].values()))
    attributes = changes.pop("attributes", {})
    call = Call(plan.version.since_version, attributes, inputs, operator, types={"T": "float32"})
    return permitted(replace(call, **changes), plan.version, plan.spec.questions)


def refusal(operator: str, inputs: dict[str, Any], **changes: Any) -> Refusal:  # noqa: ANN401  fields of a call
    with pytest.raises(NotPermittedError) as caught:
        asked(operator, inputs, **changes)
    return caught.value.refusal


def test_a_call_that_the_document_permits_has_its_outputs() -> None:
    reply = asked("Add", {"A": floats((2,), 1, 2), "B": floats((1,), 3)})
    assert [floats((2,), 4, 5)] == [item.value for item in reply.outputs]


def test_readings_that_only_the_spec_states_are_permitted_too() -> None:
    # Max of a NaN: the page says nothing, and the spec what may come out.
    reply = asked("Max", {"data_0": (floats((2,), float("nan"), 1), floats((2,), 1, 2))})
    assert reply.permitted


def test_shapes_that_do_not_fit_are_invalid() -> None:
    inputs = {"A": floats((2,), 1, 2), "B": floats((3,), 1, 2, 3)}
    assert refusal("Add", inputs) is Refusal.INVALID


def test_a_missing_input_is_invalid_and_no_oracle_is_asked() -> None:
    assert refusal("Add", {"A": floats((2,), 1, 2)}) is Refusal.INVALID


def test_a_variable_that_is_two_types_is_invalid() -> None:
    inputs = {"A": floats((1,), 1), "B": Tensor("int32", (1,), bytes(4))}
    assert refusal("Add", inputs) is Refusal.INVALID


def test_a_type_that_is_not_listed_is_invalid() -> None:
    assert refusal("Sqrt", {"X": Tensor("int32", (1,), bytes(4))}) is Refusal.INVALID


@pytest.mark.parametrize(
    ("operator", "inputs", "changes"),
    [
        (
            "Add",
            {
                "A": Tensor("float32", (1, 400), bytes(1600)),
                "B": Tensor("float32", (400, 1), bytes(1600)),
            },
            {},
        ),
        ("ConstantOfShape", {"input": Tensor("int64", (2,), struct.pack("<2q", 10**6, 10**6))}, {}),
        ("Range", {"start": floats((), 0), "limit": floats((), 1e9), "delta": floats((), 1)}, {}),
        ("Relu", {"X": Tensor("float32", (1,) * 65, bytes(4))}, {}),
    ],
    ids=lambda item: item if isinstance(item, str) else "",
)
def test_outputs_beyond_the_limit_are_refused_before_the_oracle_is_asked(
    operator: str, inputs: dict[str, Any], changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ask", lambda *_: pytest.fail("the oracle was asked"))
    assert refusal(operator, inputs, **changes) is Refusal.TOO_LARGE


def test_an_oracle_that_fails_is_a_fault_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ValueError("inf is no finite number")

    monkeypatch.setattr(module, "ask", fails)
    inputs = {"A": floats((1,), 1), "B": floats((1,), 1)}
    assert refusal("Add", inputs) is Refusal.FAULT


def test_an_oracle_that_does_not_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(module, "ask", endless)
    plans = bases_of("add").plans["add-14"]
    plan = next(iter(plans.values()))
    inputs = {"A": floats((1,), 1), "B": floats((1,), 1)}
    call = Call(14, {}, inputs, "Add", types={"T": "float32"})
    with pytest.raises(NotPermittedError) as caught:
        permitted(call, plan.version, plan.spec.questions, seconds=0.05)
    assert caught.value.refusal is Refusal.OUT_OF_TIME


def test_a_stream_that_nobody_recorded_has_no_oracle_and_is_no_fault() -> None:
    stream = Tensor("uint8", (4,), b"none")
    found = refusal("ImageDecoder", {"encoded_stream": stream}, attributes={"pixel_format": "RGB"})
    assert found is Refusal.NO_ORACLE
