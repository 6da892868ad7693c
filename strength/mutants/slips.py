"""Answers that ask the oracle about another call, or give other values back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of_numbers, value_of
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.registry import Call, Result

from ..changing import each_of
from ..interfaces import Answer, Change, Slip

FLOATS = ("float64", "float32", "float16", "bfloat16")


def taking(call: Call, inputs: Mapping[str, Any]) -> Call:
    """A call with other inputs; the very call where they are the same: its answer is known."""
    return call if inputs == call.inputs else replace(call, inputs=inputs)


def inputs_changed(change: Change) -> Slip:
    """Every tensor of all inputs is changed."""

    def answer(call: Call, compute: Answer) -> Result:
        inputs = {name: each_of(item, change) for name, item in call.inputs.items()}
        return compute(taking(call, inputs))

    return answer


def input_changed(name: str, change: Change) -> Slip:
    """An input is changed, of a variadic one all that was given."""

    def answer(call: Call, compute: Answer) -> Result:
        if name not in call.inputs:
            return compute(call)
        return compute(taking(call, {**call.inputs, name: change(call.inputs[name])}))

    return answer


def shapes_refused(condition: Callable[[tuple[int, ...], tuple[int, ...]], Any]) -> Slip:
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
