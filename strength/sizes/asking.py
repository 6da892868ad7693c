"""What a vector's model gives where its inputs, or the sums of its oracles, have a fault."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import is_not
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.vectors import DataSet
from onnx_conformance.core.values.tensors import NamedValue, Value
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.interpreter.model import Model, Node
from onnx_conformance.generators.interpreter.outcomes import RefusedError
from onnx_conformance.generators.interpreter.running import Session
from onnx_conformance.generators.interpreter.scopes import Frame
from onnx_conformance.validator.judging.verdicts import Outputs

from ..vectors import Loaded, outputs_of
from .faults import CORRECT, INDICES, Kind, SizeFault, Values
from .sums import adding

if TYPE_CHECKING:
    from onnx_conformance.generators.signatures.reading import Signatures


@dataclass(frozen=True)
class Answer:
    """What a wrong runtime gives.

    Attributes:
        outputs: of all data sets.
        shows: whether the fault met something large enough to change.
        longest: how many terms the longest sum had.
    """

    outputs: Outputs
    shows: bool
    longest: int = 0


class _TooSmallError(Exception):
    """The inputs of a node are too small for the fault, so that the oracle need not be asked."""


def answer_of(loaded: Loaded, fault: SizeFault) -> Answer:
    """What a runtime with a fault gives for a vector: the expected outputs, or oracles, spoiled.

    Where the inputs are too small for a fault it gives no outputs, and does not show.
    """
    if fault.results is not None:
        return _expected(loaded, fault)
    if loaded.read is None or isinstance(loaded.model, RefusedError):
        raise TypeError(f"{loaded.vector.id} is refused, and no fault of size can show")
    signatures = installed_signatures()
    if fault.weights is not None:
        with adding(fault.weights) as seen:
            outputs = outputs_of(loaded, Session(loaded.model, signatures))
        return Answer(outputs, seen.changed, seen.longest)
    session = _Spoiled(loaded.model, signatures, fault, loaded.vector.operator)
    try:
        return Answer(outputs_of(loaded, session), session.shows)
    except _TooSmallError:
        return Answer(Outputs(()), shows=False)


def expected_of(loaded: Loaded, given: DataSet) -> Sequence[NamedValue]:
    """What a data set requires; where several results are permitted, the first of them."""
    return given.outputs or next(iter(loaded.permitted.values()), ())


def _expected(loaded: Loaded, fault: SizeFault) -> Answer:
    if fault.results is None:
        raise TypeError(f"{fault.name} changes no results")
    shows = False
    results = []
    for item in loaded.data_sets:
        expected = expected_of(loaded, item)
        values = [one.value for one in expected]
        changed = fault.results(values)
        shows = shows or any(map(is_not, values, changed))
        results.append(
            tuple(
                NamedValue(one.name, value)
                for one, value in zip(expected, changed, strict=True)
                if value is not None
            )
        )
    return Answer(Outputs(tuple(results)), shows)


class _Spoiled(Session):
    """The interpreter; nodes of one operator in the graph take changed inputs."""

    def __init__(
        self, model: Model, signatures: Signatures, fault: SizeFault, operator: str
    ) -> None:
        super().__init__(model, signatures)
        self._fault = fault
        self._operator = operator
        self._within = False
        self.shows = False

    def execute(
        self, node: Node, values: Sequence[Value | None], frame: Frame
    ) -> Sequence[Value | None]:
        """The outputs of a node whose inputs have the fault."""
        if node.operator != self._operator or self._within:
            return super().execute(node, values, frame)
        changed = self._changed(values)
        touched = len(changed) != len(values) or any(map(is_not, values, changed))
        if not touched and self._fault not in CORRECT:
            raise _TooSmallError
        self.shows = self.shows or touched
        self._within = True  # its body, or its subgraphs, are right
        try:
            kept = tuple(node.inputs[: len(changed)])
            return super().execute(replace(node, inputs=kept), changed, frame)
        finally:
            self._within = False

    def _changed(self, values: Values) -> list[Value | None]:
        change: Any = self._fault.inputs
        if self._fault.kind is not Kind.INDICES:
            return list(change(values))
        place = INDICES[self._operator]
        return [*values[:place], *change(values[place : place + 1]), *values[place + 1 :]]
