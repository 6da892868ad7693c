"""The interpreter with operators run by the function bodies of the standard, if they have one.

The bodies are a witness: each is evaluated with the oracles of the operators in it, and compared
with the result of the operator's own oracle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from onnx_conformance.core.values.tensors import Value

from ...signatures.model import Signature
from ..model import Attribute, Function, Model, Node
from ..outcomes import NoOracleError
from ..running import Session
from ..validity.checking import all_nodes, signature_of

if TYPE_CHECKING:
    from ...signatures.reading import Signatures


class BodySession(Session):
    """Runs the nodes of a model by their bodies, and the nodes of a body by their oracles."""

    def __init__(self, model: Model, signatures: Signatures) -> None:
        """NoOracleError if no node of the model has a function body: nothing would be tested."""
        super().__init__(model, signatures)
        self._inside = 0
        places = [(model.graph.nodes, model.imports)]
        places += [(function.nodes, function.imports) for function in model.functions.values()]
        if not any(
            self._is_body(node, imports) for nodes, imports in places for node in all_nodes(nodes)
        ):
            raise NoOracleError("no operator in the model has a function body")

    def _is_body(self, node: Node, imports: Mapping[str, int]) -> bool:
        if (node.domain, node.operator, node.overload) in self.model.functions:
            return False
        signature = signature_of(node, imports, self.signatures)
        return signature.function or signature.context_function

    def prefers_body(self, signature: Signature) -> bool:
        """Outside of bodies, each operator that has a body is run by it."""
        return self._inside == 0 and (signature.function or signature.context_function)

    def call_body(
        self, body: Function, attributes: Sequence[Attribute], values: Sequence[Value | None]
    ) -> Sequence[Value | None]:
        """Run a function body; its own operators are computed by their oracles."""
        self._inside += 1
        try:
            return super().call_body(body, attributes, values)
        finally:
            self._inside -= 1
