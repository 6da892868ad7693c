"""A spec's outputs, which must equal the oracle's, and the results that are left open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from onnx_conformance.core.corpus.vectors import DataSet, Kind
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.comparing import compare
from onnx_conformance.core.values.tensors import NamedValue, Tensor, Value, check_tensor

from ..oracle.arith.grid import grid_of, tensor_of
from ..signatures.model import Parameter
from ..specs.model import AnyLiteral, Example, Literal, PermittedResult
from .asking import Reply
from .given import value_at
from .situations import PermittedValues, tensor_named
from .variants import Variant


def outputs_of(
    variant: Variant,
    example: Example,
    inputs: tuple[NamedValue, ...],
    index: int,
    replies: tuple[Reply, ...],
) -> tuple[NamedValue, ...]:
    """The outputs of a data set: the oracle's, which must equal those in the spec."""
    if variant.case.kind != Kind.VALID:
        return ()
    names = variant.case.requested
    if names is None and example.outputs is not None:
        names = tuple(example.outputs)
    computed = tuple(item for item in replies[index].outputs if names is None or item.name in names)
    if example.outputs is None:
        return computed
    seed = variant.seed(index)
    literal = literal_outputs(variant, example.outputs, inputs, seed)
    if [item.name for item in literal] != [item.name for item in computed] or any(
        not _equal(mine.value, theirs.value) for mine, theirs in zip(literal, computed, strict=True)
    ):
        raise BadInputError(
            f"{variant.where}: the literal says {_shown(literal)}, the oracle {_shown(computed)}"
        )
    return computed


def _equal(literal: Value, computed: Value) -> bool:
    """Whether both are equal, with all NaNs equal to each other."""
    return literal == computed or compare(literal, computed).difference is None


def _shown(values: tuple[NamedValue, ...]) -> str:
    return "; ".join(
        f"{item.value.type} {list(item.value.shape)} with {item.value.data!r:.60}"
        if isinstance(item.value, Tensor)
        else repr(item.value)
        for item in values
    )


def literal_outputs(
    variant: Variant,
    outputs: Mapping[str, AnyLiteral],
    inputs: tuple[NamedValue, ...],
    seed: str,
) -> tuple[NamedValue, ...]:
    """The outputs as the spec gives them, in the order of the signature."""
    named = []
    for parameter in variant.version.outputs:
        for name in outputs:
            if parameter.has_instance(name):
                value = _output(variant, parameter, name, outputs[name], inputs, seed)
                named.append(NamedValue(name, value))
    return tuple(named)


def _output(
    variant: Variant,
    parameter: Parameter,
    name: str,
    literal: AnyLiteral,
    inputs: tuple[NamedValue, ...],
    seed: str,
) -> Value:
    """An output in a spec: its values, positions in an input, or dimensions for its elements."""
    if isinstance(literal, Literal) and literal.source is not None:
        return _elements_at(variant, name, literal, tensor_named(inputs, literal.source))
    elements = parameter.elements
    if not isinstance(literal, Literal) or literal.values is not None or elements is None:
        return value_at(variant, parameter, name, literal, seed)
    tensor = replace(tensor_named(inputs, elements), shape=literal.shape)
    try:
        check_tensor(tensor)
    except BadInputError as error:
        raise BadInputError(f"{variant.where}: '{name}': {error}") from None
    return tensor


def _elements_at(variant: Variant, name: str, literal: Literal, source: Tensor) -> Tensor:
    """The elements of an input at the positions that the spec writes."""
    grid = grid_of(source)
    places = [item for item in literal.values or () if isinstance(item, int)]
    if places and max(places) >= len(grid.items):
        raise BadInputError(
            f"{variant.where}: '{name}': '{literal.source}' has {len(grid.items)} elements,"
            f" and no position {max(places)}"
        )
    return tensor_of(grid.take(places, literal.shape))


def permitted_of(
    variant: Variant, data_set: DataSet, replies: tuple[Reply, ...]
) -> tuple[tuple[PermittedValues, ...], bool]:
    """The results that the document permits, and whether each element may choose separately."""
    if variant.case.kind == Kind.LATITUDE:
        written = tuple(
            PermittedResult(
                item.taken,
                item.reason,
                None
                if item.outputs is None
                else literal_outputs(variant, item.outputs, data_set.inputs, variant.seed(0)),
            )
            for item in variant.case.permitted
        )
        return written, False
    opened = [reply for reply in replies if reply.permitted]
    if not opened:
        return (), False
    if len(replies) > 1:
        raise BadInputError(f"{variant.where}: the result is left open; give it one data set")
    requested = variant.case.requested
    kept = tuple(
        item
        if item.outputs is None or requested is None
        else replace(item, outputs=tuple(one for one in item.outputs if one.name in requested))
        for item in opened[0].permitted
    )
    return kept, True
