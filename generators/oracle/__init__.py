"""The required result of each operator, computed from its document alone.

The second source of every expected value, beside the literals of the specs. It uses neither NumPy
nor any code of onnx, so that it cannot share a mistake with the witnesses: a number is exact until
it is rounded once, and a shape is broadcast by our own rules.

| what          | where                                                                      |
|---------------|----------------------------------------------------------------------------|
| registry      | calls, and the functions that answer them                                  |
| index         | which module holds the oracle of an operator                               |
| arith/        | exact numbers, element types and grids; it knows no operator                |
| accuracy/     | how near is near enough: bounds, profiles, intervals through a formula      |
| operators/    | the oracles: a folder for each family, a module for each semantics          |
| subgraph      | what If, Loop, Scan and SequenceMap run                                     |

May come in: what a document requires, as arithmetic and functions of a call.
May not: NumPy, onnx, specs, and how a case becomes a vector.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.values.tensors import Tensor

from .errors import InvalidCallError, OpenError
from .registry import Answer, AttributeValue, Call, answers, compute, has_oracle, oracle

if TYPE_CHECKING:
    from .registry import Result

__all__ = [
    "Answer",
    "AttributeValue",
    "Call",
    "InvalidCallError",
    "OpenError",
    "answers",
    "compute",
    "evaluate",
    "has_oracle",
    "oracle",
]


def evaluate(operator: str, call: Call) -> tuple[Tensor, ...]:
    """The output tensors that the operator's document requires, in the order of its signature.

    For operators whose outputs are always present and tensors; `compute` serves all operators.

    Raises InvalidCallError if the document makes the call invalid, and BadInputError for an
    operator without an oracle.
    """
    from dataclasses import replace

    return _tensors(compute(replace(call, operator=operator, domain="")))


def _tensors(result: Result) -> tuple[Tensor, ...]:
    from .arith.grid import Grid, tensor_of

    outputs = []
    for item in result:
        output = tensor_of(item) if isinstance(item, Grid) else item
        if not isinstance(output, Tensor):
            raise TypeError(f"an output is no tensor: {output!r}")
        outputs.append(output)
    return tuple(outputs)
