"""The oracle of an operator of this checkout, as mutants are tried against it."""

from __future__ import annotations

from collections.abc import Sequence

from onnx_conformance.generators.oracle.registry import Call, Result, answers, compute

from ..interfaces import Watched
from ..mutants.mutant import Prober


class OwnOracle:
    """What is registered for one operator; see `strength.interfaces.Oracle`."""

    def __init__(self, domain: str, operator: str) -> None:
        """The domain is '' for ONNX's own operators."""
        self._domain, self._operator = domain, operator

    def compute(self, call: Call) -> Result:
        """As the interface says."""
        return compute(call)

    def permitted(self, call: Call) -> Sequence[Result | None]:
        """As the interface says."""
        return [item.result for item in answers(call)]

    def watched(self) -> Watched:
        """As the interface says."""
        return Prober(self._domain, self._operator)
