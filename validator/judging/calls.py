"""The verdict on one call that is no vector: by the outputs that the oracle permits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from onnx_conformance.core.corpus.vectors import ELEMENT, RESULT, DataSet, Kind, Permitted, Vector
from onnx_conformance.core.values.tensors import NamedValue
from onnx_conformance.core.values.tolerance import Tolerance

from .judge import judge
from .verdicts import Judgement, Observation


@dataclass(frozen=True)
class PermittedOutputs:
    """One of the results that a document leaves open for a call.

    Attributes:
        taken: its name in messages.
        outputs: the outputs; None for a refusal.
        anything: whether any values of these types and shapes are permitted.
    """

    taken: str
    outputs: tuple[NamedValue, ...] | None
    anything: bool = False


@dataclass(frozen=True)
class PermittedCall:
    """What is permitted for a call.

    Attributes:
        outputs: the required outputs, each with its limits (`tensors.Bounded`) if it has any.
        open: the results that the document leaves open; empty if one is required.
        by_element: whether each element may come from another of these.
        operator: the operator, for rules that depend on it.
    """

    outputs: tuple[NamedValue, ...]
    open: tuple[PermittedOutputs, ...] = ()
    by_element: bool = True
    operator: str = ""
    inputs: tuple[NamedValue, ...] = field(default=(), repr=False)


def judge_call(
    permitted: PermittedCall, observation: Observation, tolerance: Tolerance | None = None
) -> Judgement:
    """The verdict on what a backend did with one call.

    Args:
        permitted: what is permitted.
        observation: what the backend did.
        tolerance: how far a value may differ where outputs have no limits; None: not at all.
    """
    labels = [
        Permitted(item.taken, "", None if item.outputs is None else item.taken, item.anything)
        for item in permitted.open
    ]
    vector = Vector(
        id="call",
        kind=Kind.LATITUDE if labels else Kind.VALID,
        operator=permitted.operator,
        since_version=1,
        opset=1,
        ir_version=1,
        types={},
        case="call",
        form="",
        covers=(),
        documented=None,
        rtol=0.0,
        atol=0.0,
        inputs=tuple(item.name for item in permitted.inputs),
        outputs=tuple(item.name for item in permitted.outputs),
        permitted=tuple(labels),
        permitted_by=ELEMENT if permitted.by_element and labels else RESULT,
        accuracy={"rule": "limits"},
    )
    results: dict[str, Sequence[NamedValue]] = {
        item.taken: item.outputs for item in permitted.open if item.outputs is not None
    }
    data_sets = (DataSet(permitted.inputs, permitted.outputs),)
    return judge(vector, data_sets, results, observation, tolerance)
