"""Compares the interpreter's result for a model with the spec."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.comparing import compare
from onnx_conformance.core.values.onnx_values import type_text
from onnx_conformance.core.values.tensors import NamedValue, Tensor, Value

from ..interpreter import run_model
from ..interpreter.outcomes import NoOracleError, RefusedError
from ..situations.data.literals import value_of
from ..specs.model import AnyLiteral
from .model import Run
from .variants import ModelVariant

if TYPE_CHECKING:
    import onnx


def fed(variant: ModelVariant, run: Run) -> tuple[NamedValue, ...]:
    """The inputs of a data set, in the order of the graph's inputs."""
    declared = {item.name: item.type for item in variant.model.graph.input}
    unknown = sorted(run.inputs.keys() - declared.keys())
    if unknown:
        raise variant.error(f"'{unknown[0]}' is no graph input")
    return tuple(
        NamedValue(name, _value(variant, name, run.inputs[name], declared[name]))
        for name in declared
        if name in run.inputs
    )


def outputs_of(variant: ModelVariant, run: Run) -> tuple[NamedValue, ...]:
    """The outputs of a data set as the spec gives them.

    Raises BadInputError if the interpreter computes others.
    """
    try:
        found = _interpreted(variant, run)
    except (RefusedError, NoOracleError) as error:
        raise variant.error(f"the interpreter refuses it: {error}") from None
    written = written_outputs(variant, run.outputs, found)
    for item in written:
        comparison = compare(item.value, found[item.name])
        if comparison.difference is not None:
            raise variant.error(
                f"'{item.name}' is something else to the interpreter: {comparison.difference}"
            )
    return written


def written_outputs(
    variant: ModelVariant, outputs: Mapping[str, AnyLiteral], found: Mapping[str, Value]
) -> tuple[NamedValue, ...]:
    """Outputs by name in the order of the graph's outputs; each must be given."""
    names = [item.name for item in variant.model.graph.output]
    if sorted(outputs) != sorted(names):
        raise variant.error(f"its outputs are {names}, and {sorted(outputs)} are written")
    types = {item.name: item.type for item in variant.model.graph.output}
    return tuple(
        NamedValue(name, _value(variant, name, outputs[name], types[name], found.get(name)))
        for name in names
    )


def _value(
    variant: ModelVariant,
    name: str,
    literal: AnyLiteral,
    declared: onnx.TypeProto,
    known: Value | None = None,
) -> Value:
    """The value of a literal, of the type of a known tensor or else of the one declared."""
    try:
        text = known.type if isinstance(known, Tensor) else type_text(declared)
        return value_of(literal, text, variant.id)
    except BadInputError as error:
        raise variant.error(f"'{name}': {error}") from None


def require_refused(variant: ModelVariant) -> None:
    """Raise BadInputError unless the interpreter refuses the model in the phase of the spec.

    A fault that can be known before the model runs belongs to `load`, even if found later.
    """
    try:
        _interpreted(variant, variant.case.runs[0])
    except RefusedError as error:
        if error.phase != variant.case.reject:
            raise variant.error(
                f"the interpreter refuses it at '{error.phase}', not '{variant.case.reject}':"
                f" {error}"
            ) from None
    except NoOracleError as error:
        raise variant.error(f"cannot be interpreted: {error}") from None
    else:
        raise variant.error("the interpreter runs it")


def _interpreted(variant: ModelVariant, run: Run) -> dict[str, Value]:
    feeds = {item.name: item.value for item in fed(variant, run)}
    if not variant.files:
        return run_model(variant.model, feeds)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, content in variant.files.items():
            (folder / file).write_bytes(content)
        return run_model(variant.model, feeds, folder)
