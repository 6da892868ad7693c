"""A call that is no vector has a verdict too."""

from __future__ import annotations

import struct
from dataclasses import replace

from onnx_conformance.core.corpus.vectors import Phase
from onnx_conformance.core.values.tensors import Bounded, NamedValue, Tensor
from onnx_conformance.validator.judging.calls import PermittedCall, PermittedOutputs, judge_call
from onnx_conformance.validator.judging.verdicts import Outputs, Rejected, Verdict


def floats(*numbers: float) -> Tensor:
    return Tensor("float32", (len(numbers),), struct.pack(f"<{len(numbers)}f", *numbers))


def named(tensor: Tensor) -> tuple[NamedValue, ...]:
    return (NamedValue("Y", tensor),)


def verdict(permitted: PermittedCall, *numbers: float) -> Verdict:
    return judge_call(permitted, Outputs((named(floats(*numbers)),))).verdict


EXACT = PermittedCall(named(floats(1, 2)))


def test_required_outputs_pass_and_others_do_not() -> None:
    assert Verdict.PASS is verdict(EXACT, 1, 2)
    assert Verdict.WRONG_VALUE is verdict(EXACT, 1, 2.0000002)
    assert Verdict.WRONG_SHAPE is verdict(EXACT, 1)


def test_limits_of_each_element_count() -> None:
    tensor = floats(1, 2)
    limits = {"ieee": (floats(1, 1.5), floats(1, 2.5))}
    bounded = Bounded(tensor.type, tensor.shape, tensor.data, limits)
    permitted = PermittedCall(named(bounded))
    assert Verdict.PASS is verdict(permitted, 1, 2.25)
    assert Verdict.WRONG_VALUE is verdict(permitted, 1.25, 2)


def test_each_element_may_follow_another_reading_unless_the_whole_does() -> None:
    first, second = named(floats(1, 2)), named(floats(3, 4))
    readings = (PermittedOutputs("one", first), PermittedOutputs("other", second))
    permitted = PermittedCall(first, readings)
    assert Verdict.PASS is verdict(permitted, 1, 4)
    assert Verdict.WRONG_VALUE is verdict(replace(permitted, by_element=False), 1, 4)
    assert Verdict.WRONG_VALUE is verdict(permitted, 1, 5)


def test_a_refusal_passes_where_a_reading_permits_it() -> None:
    refused = Rejected(Phase.RUN, "no")
    assert Verdict.REJECTED is judge_call(EXACT, refused).verdict
    readings = (PermittedOutputs("one", EXACT.outputs), PermittedOutputs("rejected", None))
    assert Verdict.PASS is judge_call(PermittedCall(EXACT.outputs, readings), refused).verdict


def test_anything_of_the_right_type_and_shape_passes_where_that_is_permitted() -> None:
    readings = (
        PermittedOutputs("one", EXACT.outputs),
        PermittedOutputs("anything", EXACT.outputs, anything=True),
    )
    permitted = PermittedCall(EXACT.outputs, readings)
    assert Verdict.PASS is verdict(permitted, 7, 8)
    assert Verdict.WRONG_SHAPE is verdict(permitted, 7)
