"""Results of the function bodies of the standard for a call: the second source of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..bodies import body_of
from ..model import Attribute, Graph, Model
from ..running import Session

if TYPE_CHECKING:
    from onnx_conformance.core.values.tensors import Value

    from ...oracle.registry import Call
    from ...signatures.model import Signature


def body_results(signature: Signature, call: Call) -> tuple[Value | None, ...] | None:
    """The results of the standard's function body for a call; None if the operator has no body.

    The outputs are in the order of the signature, with outputs that were not requested if the body
    has them. Raises RefusedError if a node of the body refuses, and NoOracleError if one has no
    oracle.
    """
    from .. import installed_signatures

    if not signature.function and not signature.context_function:
        return None
    values = positional(signature, call)
    attributes = [
        _attribute(signature, name, value)
        for name, value in call.attributes.items()
        if name in signature.attributes
    ]
    names = _output_names(signature, call)
    signatures = installed_signatures()
    imports = {**signatures.opsets, signature.domain: signature.last_opset}
    function = body_of(signature, attributes, values, names, imports)
    if function is None:
        return None
    nothing = Model(signature.last_opset, {}, Graph("", (), (), {}, ()))
    session = Session(nothing, signatures, call.readings)
    return tuple(session.call_function(function, attributes, values))


def positional(signature: Signature, call: Call) -> list[Value | None]:
    """The inputs of a call by position; None for an absent one, trailing ones left out."""
    values: list[Value | None] = []
    for parameter in signature.inputs:
        given = call.inputs.get(parameter.name)
        if isinstance(given, tuple):
            values.extend(given)
        else:
            values.append(given)
    while values and values[-1] is None:
        values.pop()
    return values


def _attribute(signature: Signature, name: str, value: Any) -> Attribute:  # noqa: ANN401  any kind
    return Attribute(name, signature.attributes[name].type, value)


def _output_names(signature: Signature, call: Call) -> list[str]:
    """The outputs by position: the requested ones, or all."""
    return [item.name if call.wants(item.name) else "" for item in signature.outputs]
