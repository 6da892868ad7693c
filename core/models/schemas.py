"""Which operator version a node means, and how its document names what the node has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import onnx


@dataclass(frozen=True)
class Formal:
    """An input or output of an operator version."""

    #: As in the operator's document.
    name: str
    #: The type variable, or the type itself.
    type: str
    #: Whether it stands for all further values.
    variadic: bool


@dataclass(frozen=True)
class Schema:
    """An operator version, as far as a list of uses needs it.

    Attributes:
        since_version: of the operator version.
        inputs, outputs: in order.
        variables: the names of the type variables.
        defaults: the default of each attribute that has one, as `attributes.value_of` gives it.
        deprecated: whether the opset no longer has the operator.
    """

    since_version: int
    inputs: tuple[Formal, ...]
    outputs: tuple[Formal, ...]
    variables: frozenset[str]
    defaults: Mapping[str, Any]
    deprecated: bool

    def parameter(self, outputs: bool, position: int) -> Formal | None:  # noqa: FBT001  which list
        """The input or output at a position; a variadic one has all positions that are left."""
        formals = self.outputs if outputs else self.inputs
        if position < len(formals):
            return formals[position]
        return formals[-1] if formals and formals[-1].variadic else None


def domain_of(name: str) -> str:
    """The domain of a node or import; ONNX's own has two names (IR.md, Operator Sets)."""
    return "" if name == "ai.onnx" else name


def newest_ir() -> int:
    """The newest IR version that the installed onnx has."""
    import onnx

    return int(onnx.IR_VERSION)


def newest_opset(domain: str) -> int | None:
    """The newest opset of a domain that the installed onnx has; None for a foreign domain."""
    return _newest().get(domain)


@lru_cache(maxsize=1)
def _newest() -> Mapping[str, int]:
    import onnx.defs

    newest: dict[str, int] = {}
    for item in onnx.defs.get_all_schemas_with_history():
        newest[item.domain] = max(newest.get(item.domain, 0), item.since_version)
    newest[""] = onnx.defs.onnx_opset_version()
    newest["ai.onnx.ml"] = onnx.defs.onnx_ml_opset_version()
    return newest


@lru_cache(maxsize=2048)
def schema_of(domain: str, operator: str, opset: int) -> Schema | None:
    """The version of an operator that an opset has; None if it has none.

    An opset newer than onnx knows is read as the newest that it knows.
    """
    import onnx.defs

    try:
        found = onnx.defs.get_schema(operator, opset, domain)
    except onnx.defs.SchemaError:
        return None
    return _schema(found)


def _schema(found: onnx.defs.OpSchema) -> Schema:
    import onnx.defs

    from .attributes import value_of

    variadic = onnx.defs.OpSchema.FormalParameterOption.Variadic
    inputs, outputs = (
        tuple(Formal(item.name, str(item.type_str), item.option == variadic) for item in listed)
        for listed in (found.inputs, found.outputs)
    )
    return Schema(
        since_version=found.since_version,
        inputs=inputs,
        outputs=outputs,
        variables=frozenset(item.type_param_str for item in found.type_constraints),
        defaults={
            name: value_of(item.default_value)
            for name, item in found.attributes.items()
            if item.default_value.type
        },
        deprecated=found.deprecated,
    )
