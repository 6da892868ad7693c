"""What an implementation makes of a subject, and how much of its limits that uses."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.accuracy.limits import misfits
from onnx_conformance.generators.oracle.arith.grid import Enclosed, Grid, grid_of
from onnx_conformance.generators.oracle.arith.numbers import (
    fraction,
    is_finite,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from onnx_conformance.generators.oracle.arith.grid import Item
    from onnx_conformance.generators.oracle.arith.numbers import Real

    Array = np.ndarray[Any, Any]

GOOD = ("onnxruntime", "reference", "forwards", "backwards", "tree")
OPSET = 22


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


def elements(array: Array) -> Sequence[Any]:
    """The elements of an array as exact numbers."""
    return grid_of(Tensor(str(array.dtype), array.shape, array.tobytes())).items


def judged(subject: str, items: Sequence[Item], results: dict[str, Array]) -> Iterator[Line]:
    """One line for each implementation."""
    for implementation, array in results.items():
        name = str(array.dtype)
        tensor = Tensor(name, (array.size,), np.ascontiguousarray(array).tobytes())
        outside = set(misfits(Grid(name, (array.size,), items), tensor))
        got = elements(array.ravel())
        used = [
            used_part(item, got[place]) for place, item in enumerate(items) if place not in outside
        ]
        yield Line(subject, implementation, len(items), len(outside), max(used, default=0.0))


def used_part(item: Item, got: Real) -> float:
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
