"""Conditions on a situation for a form to apply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.values.tensors import Tensor

from ..specs.model import Fault

if TYPE_CHECKING:
    from ..situations.situations import Situation

_NONE = Fault()


def single(situation: Situation) -> bool:
    """Whether it has one data set."""
    return len(situation.data_sets) == 1


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
