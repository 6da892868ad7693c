"""Conditions on a situation for a form to apply."""

from __future__ import annotations

from collections.abc import Callable

from onnx_conformance.core.values.tensors import Tensor

from ..situations.situations import Situation
from ..specs.model import Fault

_NONE = Fault()


def all_of(*conditions: Callable[[Situation], bool]) -> Callable[[Situation], bool]:
    """A condition that holds where each of these does; they are asked in order."""
    return lambda situation: all(condition(situation) for condition in conditions)


def since_opset(first: int) -> Callable[[Situation], bool]:
    """Whether the model's opset is recent enough for the other nodes of a form."""
    return lambda situation: situation.model_opset >= first


def single(situation: Situation) -> bool:
    """Whether it has one data set."""
    return len(situation.data_sets) == 1


def has_inputs(situation: Situation) -> bool:
    """Whether the operator is given an input."""
    return bool(situation.input_names)


def has_attributes(situation: Situation) -> bool:
    """Whether the case gives the operator an attribute."""
    return bool(situation.attributes)


def several_inputs(situation: Situation) -> bool:
    """Whether the operator is given more than one input."""
    return len(situation.input_names) > 1


def well_formed(situation: Situation) -> bool:
    """Whether it has a result, and its model is well-formed."""
    return bool(situation.data_sets[0].outputs) and situation.fault == _NONE


def tensors_only(situation: Situation) -> bool:
    """Whether the node has exactly the operator's inputs and outputs, and all are tensors."""
    fault = situation.fault
    return (
        fault.arguments is None
        and fault.results is None
        and fault.wrap is None
        and all(isinstance(item.value, Tensor) for item in situation.data_sets[0].inputs)
        and all(item.rank is not None for item in situation.outputs)
    )


def ordinary(situation: Situation) -> bool:
    """Whether it has one data set, and no wrong number of inputs or outputs."""
    return single(situation) and tensors_only(situation)
