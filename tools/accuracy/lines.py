"""What an implementation makes of a subject, and how much of its limits that uses."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.interpreter.validity.binding import make_call
from onnx_conformance.generators.oracle.accuracy.limits import misfits
from onnx_conformance.generators.oracle.arith.grid import Enclosed, Grid, Item, grid_of
from onnx_conformance.generators.oracle.arith.numbers import (
    Real,
    fraction,
    is_finite,
)
from onnx_conformance.generators.oracle.registry import compute

Array = np.ndarray[Any, Any]

GOOD = ("onnxruntime", "reference", "forwards", "backwards", "tree")
OPSET = 22
# Whether an activation of an infinity is what its formula gives: good implementations compute that.
_READINGS = {"formula-or-limit": "formula"}


@dataclass(frozen=True)
class Line:
    """What one implementation makes of one subject.

    Attributes:
        subject, implementation: their names.
        elements: how many were judged.
        outside: how many profile ieee does not accept.
        used: the greatest part of its limit that an accepted element uses.
    """

    subject: str
    implementation: str
    elements: int
    outside: int
    used: float

    @property
    def is_right(self) -> bool:
        """Whether a good implementation is inside, and a bad one is not."""
        return (self.outside == 0) == (self.implementation in GOOD)


def required(operator: str, *inputs: Array, **attributes: int) -> Grid:
    """What the oracle requires of an operator, with its limits."""

    def refuse(rule: str, message: str) -> None:
        raise ValueError(f"{operator}: {rule}: {message}")

    signature = installed_signatures().version("", operator, OPSET)
    if signature is None:
        raise ValueError(f"no operator {operator} at opset {OPSET}")
    values = [_tensor(array) for array in inputs]
    call = make_call(signature, attributes, values, ["y"], refuse)
    (found, *_) = compute(replace(call, readings=_READINGS))
    return cast("Grid", found)


def run(operator: str, *inputs: Array, **attributes: Any) -> dict[str, Array]:  # noqa: ANN401  as ONNX has it
    """What onnxruntime and onnx.reference return; one that cannot is not in it."""
    import onnxruntime
    from onnx import helper
    from onnx.reference import ReferenceEvaluator

    code = helper.np_dtype_to_tensor_dtype(inputs[0].dtype)
    names = [f"x{place}" for place in range(len(inputs))]
    graph = helper.make_graph(
        [helper.make_node(operator, names, ["y"], **attributes)],
        "accuracy",
        [helper.make_tensor_value_info(name, code, None) for name in names],
        [helper.make_tensor_value_info("y", code, None)],
    )
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    feeds = dict(zip(names, inputs, strict=True))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    found = {}
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        found["onnxruntime"] = session.run(None, feeds)[0]
    except Exception as error:
        print(f"{operator}: onnxruntime cannot: {str(error)[:90]!r}", file=sys.stderr)
    with np.errstate(all="ignore"):
        (referred,) = ReferenceEvaluator(model).run(None, feeds)
        found["reference"] = np.asarray(referred)
    return {name: value for name, value in found.items() if value.dtype == inputs[0].dtype}


def judged(subject: str, grid: Grid, results: Mapping[str, Array]) -> Iterator[Line]:
    """One line for each implementation."""
    for implementation, array in results.items():
        tensor = _tensor(array)
        outside = set(misfits(grid, tensor))
        used = [
            used_part(item, got)
            for place, (item, got) in enumerate(zip(grid.items, grid_of(tensor).items, strict=True))
            if place not in outside
        ]
        yield Line(subject, implementation, array.size, len(outside), max(used, default=0.0))


def _tensor(array: Array) -> Tensor:
    return Tensor(str(array.dtype), array.shape, array.tobytes())


def used_part(item: Item, got: Any) -> float:  # noqa: ANN401  an element of a float type
    """The part of its limit that an accepted element uses; 0 where there is none."""
    if not isinstance(item, Enclosed) or not is_finite(got) or not is_finite(item.value):
        return 0.0
    value, number = fraction(_real(item.value)), fraction(got)
    end = _real(item.high if number > value else item.low)
    if not is_finite(end) or fraction(end) == value:
        return 0.0
    return min(1.0, float((number - value) / (fraction(end) - value)))


def _real(x: Any) -> Real:  # noqa: ANN401  an element of a float type
    return cast("Real", x)
