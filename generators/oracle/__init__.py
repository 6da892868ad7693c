"""What each operator must return, computed from its document alone.

The second source of every expected value, beside the literals of the specs. It uses neither NumPy
nor any code of onnx, so that it cannot share a mistake with the witnesses: integers are Python's,
which do not wrap, and a tensor is its bytes.

An operator is a module here with one function

    evaluate(call: Call) -> tuple[Tensor, ...]

which raises `InvalidCallError` where the document makes the call invalid.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from onnx_conformance.core.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.core.values.tensors import Tensor

AttributeValue: TypeAlias = (
    int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[str, ...]
)


class InvalidCallError(Exception):
    """The operator document does not allow these inputs with these attributes."""


@dataclass(frozen=True)
class Call:
    """One application of an operator.

    Attributes:
        since_version: the operator version.
        attributes: those that are given; an absent one has its default.
        inputs: by parameter name; an absent optional input is not in it.
    """

    since_version: int
    attributes: Mapping[str, AttributeValue]
    inputs: Mapping[str, Tensor]


def evaluate(operator: str, call: Call) -> tuple[Tensor, ...]:
    """The outputs that the operator's document requires, in the order of its signature.

    Raises InvalidCallError where the document makes the call invalid, and BadInputError for an
    operator that has no oracle.
    """
    name = f"{__name__}.{operator.lower()}"
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise BadInputError(
            f"operator '{operator}' has no oracle; add generators/oracle/{operator.lower()}.py"
        ) from None
    outputs: tuple[Tensor, ...] = module.evaluate(call)
    return outputs
