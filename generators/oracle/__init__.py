"""What each operator must return, computed from its document alone.

The second source of every expected value, beside the literals of the specs. It uses neither NumPy
nor any code of onnx, so that it cannot share a mistake with the witnesses: a number is exact until
it is rounded once, and a shape is broadcast by our own rules.

| module        | what                                                                       |
|---------------|----------------------------------------------------------------------------|
| numbers       | an element as an exact number, and IEEE 754's arithmetic on it             |
| rounding      | element types: codes to numbers, numbers to codes, integers that wrap      |
| grid          | a tensor as shape and numbers; broadcasting, axes, places                  |
| registry      | calls, and the functions that answer them                                  |
| index         | which module holds the oracle of an operator                               |
| elsewhere     | the oracles: one module a family of operators                              |
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError
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

    For operators whose outputs are tensors and always there; `compute` is for all. Beside what is
    registered it takes a module of this package named as the operator in lower case, with a
    function `evaluate`.

    Raises InvalidCallError where the document makes the call invalid, and BadInputError for an
    operator that has no oracle.
    """
    from dataclasses import replace

    if has_oracle(operator):
        return _tensors(compute(replace(call, operator=operator, domain="")))
    name = f"{__name__}.{operator.lower()}"
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise BadInputError(
            f"operator '{operator}' has no oracle; write one in generators/oracle/ and name its"
            " module in index.py"
        ) from None
    outputs: tuple[Tensor, ...] = module.evaluate(call)
    return outputs


def _tensors(result: Result) -> tuple[Tensor, ...]:
    from .grid import Grid, tensor_of

    outputs = []
    for item in result:
        output = tensor_of(item) if isinstance(item, Grid) else item
        if not isinstance(output, Tensor):
            raise TypeError(f"an output is no tensor: {output!r}")
        outputs.append(output)
    return tuple(outputs)
