"""One node of a graph, answered by the oracle where its result is exact.

Only such nodes are kept: then each right way to compute a graph, fused or not, in whatever order,
agrees to the bit. A zero alone may have either sign, since no sum says which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.exploring.explorer import Refusal
from onnx_conformance.core.values.tensors import Tensor, Value

from ...interpreter import installed_signatures
from ...interpreter.validity.binding import make_call
from ...oracle.arith.grid import AnyOf, Enclosed, Grid, Item, grid_of, tensor_of, value_of
from ...oracle.arith.numbers import NEG_ZERO, ZERO, Number, is_finite, is_zero
from ...oracle.arith.rounding import is_float
from ...oracle.arith.rules import rule
from ...oracle.errors import InvalidCallError
from ...oracle.registry import answers
from ...signatures.model import Signature
from ...situations.asking import value_of_output
from ...situations.permitting.deadlines import OutOfTimeError, deadline
from ...situations.permitting.permitted import NotPermittedError

_SECONDS = 1.0
_MOST_ELEMENTS = 2000


class InexactError(Exception):
    """The document does not require one exact value for each element of a node's result."""


@cache
def _signature(operator: str, opset: int) -> Signature:
    found = installed_signatures().version("", operator, opset)
    if found is None:
        raise InexactError(f"opset {opset} has no {operator}")
    return found


def answered(
    operator: str,
    opset: int,
    attributes: Mapping[str, Any],
    values: Sequence[Tensor | None],
    outputs: int,
) -> tuple[Tensor, ...]:
    """The outputs of a node, each an exact value; InexactError where one is not."""
    signature = _signature(operator, opset)
    names = [f"y{index}" for index in range(outputs)]
    try:
        call = make_call(signature, attributes, list(values), names, _refuse)
        with deadline(_SECONDS):
            found = list(answers(call))
    except (InvalidCallError, BadInputError, OutOfTimeError, RecursionError) as error:
        raise InexactError(str(error)) from None
    if len(found) != 1 or found[0].result is None:
        raise InexactError(found[0].invalid or "the document leaves it open")
    return tuple(_exact(item) for item in found[0].result[:outputs])


def _refuse(_rule: str, message: str) -> None:
    raise InvalidCallError(message)


def _exact(item: Grid | Value | None) -> Tensor:
    if isinstance(item, Tensor):
        return item
    if not isinstance(item, Grid) or len(item.items) > _MOST_ELEMENTS:
        raise InexactError("no tensor, or a large one")
    floats = is_float(item.type)
    if not floats and any(isinstance(one, AnyOf) for one in item.items):
        raise InexactError("a choice")
    numbers = [_number(one) if floats else value_of(one) for one in item.items]
    return tensor_of(Grid(item.type, item.shape, numbers))


def _number(item: Item) -> Number:
    """The only number that an element may be, both zeros being one; InexactError if more."""
    if isinstance(item, Enclosed):
        either_zero = _zero(item.low) and _zero(item.high)
        if item.or_nan or (item.low != item.high and not either_zero):
            raise InexactError("it rounds")
        item = item.value
    if isinstance(item, AnyOf):
        if not all(map(_zero, item.numbers)):
            raise InexactError("a choice")
        item = item.numbers[0]
    if isinstance(item, bytes) or not is_finite(item):
        raise InexactError("it is no finite number")
    return ZERO if is_zero(item) else item


def _zero(number: Number) -> bool:
    return not isinstance(number, bytes) and is_zero(number)


def with_either_zero(tensor: Tensor) -> Tensor:
    """A tensor whose zeros may have either sign."""
    if not is_float(tensor.type):
        return tensor
    grid = grid_of(tensor)
    why = rule("sum", count=1)
    items = [
        Enclosed(ZERO, NEG_ZERO, ZERO, NEG_ZERO, ZERO, why) if _zero(item) else item
        for item in grid.items
    ]
    found = value_of_output(Grid(grid.type, grid.shape, items))
    if not isinstance(found, Tensor):
        raise NotPermittedError(Refusal.FAULT, "a tensor with limits is one")
    return found
