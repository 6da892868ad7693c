"""Answers that ask the oracle about another call, or give other values back."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of_numbers, value_of
from onnx_conformance.generators.oracle.errors import InvalidCallError

if TYPE_CHECKING:
    from collections.abc import Callable

    from onnx_conformance.core.values.tensors import Value
    from onnx_conformance.generators.oracle.registry import Call, Result

    Answer = Callable[[Call], Result]
    # Answers a call with the help of a correct answer.
    Slip = Callable[[Call, Answer], Result]
    Change = Callable[[Any], Any]

FLOATS = ("float64", "float32", "float16", "bfloat16")


def input_changed(name: str | None, change: Change) -> Slip:
    """Every tensor of an input, or of all inputs where no name is given, is changed."""

    def answer(call: Call, compute: Answer) -> Result:
        inputs = {
            key: _each(item, change) if name in (None, key) else item
            for key, item in call.inputs.items()
        }
        # The very call, where nothing is changed, so that its answer may be remembered.
        return compute(call if inputs == call.inputs else replace(call, inputs=inputs))

    return answer


def _each(value: Value | tuple[Value, ...], change: Change) -> Any:  # noqa: ANN401  as it came
    if isinstance(value, tuple):
        return tuple(_each(item, change) for item in value)
    return change(value) if isinstance(value, Tensor) else value


def shapes_refused(condition: Callable[[tuple[int, ...], tuple[int, ...]], Any]) -> Slip:
    """Refuse where the shapes of two inputs meet a condition."""
    """Refuses two inputs of the same element type whose shapes fulfil a condition."""

    def answer(call: Call, compute: Answer) -> Result:
        tensors = tensors_of(call)
        for first, second in pairwise(tensors):
            if first.type == second.type and condition(first.shape, second.shape):
                raise InvalidCallError("refused")
        return compute(call)

    return answer


def tensors_of(call: Call) -> list[Tensor]:
    """The tensors among the inputs of a call."""
    values: list[Any] = []
    for item in call.inputs.values():
        values.extend(item if isinstance(item, tuple) else [item])
    return [item for item in values if isinstance(item, Tensor)]


def output_changed(change: Change) -> Slip:
    """Change the elements of every output."""

    def answer(call: Call, compute: Answer) -> Result:
        return tuple(_changed(item, change) for item in compute(call))

    return answer


def _changed(item: Any, change: Change) -> Any:  # noqa: ANN401  an output of an oracle
    if isinstance(item, Grid):
        numbers = [value_of(part) for part in item.items]
        return change(tensor_of_numbers(item.type, item.shape, numbers))
    return change(item) if isinstance(item, Tensor) else item
