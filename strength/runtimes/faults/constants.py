"""Initializers, Constant, and what is folded because it is constant."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter.outcomes import RefusedError

from ..makers import is_made_by
from ..registry import wrong
from ..steps import KeepStep, NodeStep, Start, StartStep, Values
from ..tensors import (
    changed,
    each,
    elements,
    filled,
    flushed_float16,
    has_type,
    in_32_bits,
    int64_in_double,
)
from .operators import ELEMENT_TYPES

AREA = "constants"


@wrong(AREA, StartStep)
def defaults_stay(step: StartStep) -> Start:
    """An initializer is constant, though it is a graph input and another value is fed."""
    return {**step.right(), **step.graph.initializers}


@wrong(AREA, StartStep, held_out=True)
def defaults_must_be_fed(step: StartStep) -> Start:
    """An input with an initializer must be fed all the same."""
    names = step.graph.initializers.keys() - step.feeds.keys()
    if any(item.name in names for item in step.graph.inputs):
        raise RefusedError("an input is not fed")
    return step.right()


@wrong(AREA, StartStep, variants={name: (name,) for name in ELEMENT_TYPES})
def no_initializers_of(step: StartStep, name: str) -> Start:
    """Initializers of one type are refused."""
    if has_type(step.graph.initializers.values(), name):
        raise RefusedError(f"an initializer of {name}")
    return step.right()


def _through_float32(tensor: Tensor) -> Tensor:
    from onnx_conformance.generators.oracle.arith.grid import grid_of, tensor_of_numbers
    from onnx_conformance.generators.oracle.arith.rounding import round_to

    if tensor.type != "float64":
        return tensor
    items = [round_to("float32", item) for item in grid_of(tensor).items]
    return tensor_of_numbers("float64", tensor.shape, items)


_POSITIVE = {"float16": 1 << 15, "bfloat16": 1 << 15, "float32": 1 << 31}


def _without_signs(tensor: Tensor) -> Tensor:
    negative = _POSITIVE.get(tensor.type)
    return each(lambda item: 0 if item == negative else item, tensor.type)(tensor)


def _without_scalars(tensor: Tensor) -> Tensor:
    return tensor if tensor.shape else replace(tensor, shape=(1,))


def _splat(tensor: Tensor) -> Tensor:
    items = elements(tensor) if tensor.element_count < 4096 else []
    same = bool(items) and items[0] == items[-1]
    return filled(tensor, items[:1] * len(items)) if same else tensor


@wrong(
    AREA,
    StartStep,
    variants={
        "of int64 have 32 bits": (in_32_bits,),
        "of float64 are float32": (_through_float32,),
        "of no element are absent": (lambda item: item if item.element_count else None,),
        "that are scalars are vectors": (_without_scalars,),
        "with equal ends are one element repeated": (_splat,),
        "lose the sign of zero": (_without_signs,),
    },
    held_out=(
        "of no element are absent",
        "that are scalars are vectors",
        "with equal ends are one element repeated",
        "lose the sign of zero",
    ),
)
def initializers(step: StartStep, change: Callable[[Tensor], Tensor | None]) -> Start:
    """Some initializers are not kept as they are."""
    return step.with_constants(change)


@wrong(
    AREA,
    StartStep,
    variants={
        "of the same bytes": (lambda item: item.data,),
        "of one type, shape and first element": (
            lambda item: (item.type, item.shape, elements(item)[:1]),
        ),
    },
    held_out=True,
)
def one_constant_for_initializers(step: StartStep, key: Callable[[Tensor], Any]) -> Start:
    """Initializers that agree in part are one."""
    seen: dict[str, Tensor] = {}
    return step.with_constants(lambda item: seen.setdefault(repr(key(item)), item))


@wrong(AREA, KeepStep)
def folding_writes_into_the_constant(step: KeepStep) -> None:
    """A node whose inputs are all constant is folded into the buffer of its first input."""
    step.right()
    names = [name for name in step.node.inputs if name]
    constants = step.session.model.graph.initializers
    if names and step.node.inputs[0] and all(name in constants for name in names):
        step.scope.values[names[0]] = step.results[0]


def _as_text(item: int) -> int:
    """A float64 that went through a text of 15 digits, by its bit pattern."""
    (number,) = struct.unpack("<d", item.to_bytes(8, "little"))
    if math.isnan(number):  # the payload of a NaN is nobody's
        return item
    return int.from_bytes(struct.pack("<d", float(f"{number:.15g}")), "little")


@wrong(
    AREA,
    variants={
        "of int64 in double": (each(int64_in_double, "int64"),),
        "of float16 without subnormals": (each(flushed_float16, "float16"),),
        "of float64 as texts of 15 digits": (each(_as_text, "float64"),),
        "of strings as far as a NUL": (each(lambda item: item.partition(b"\0")[0], "string"),),
    },
)
def folded_results(step: NodeStep, change: Callable[[Tensor], Tensor]) -> Values:
    """A node of constants alone is folded, and what it gives is kept in another way."""
    return changed(step.right(), change) if _is_constant(step) else step.right()


def _is_constant(step: NodeStep) -> bool:
    """Whether a node has inputs, each of them an initializer or what a Constant gives."""
    known = _known_constants(step)
    names = [name for name in step.node.inputs if name]
    return bool(names) and all(
        name in known or is_made_by(step.frame, name, "Constant") for name in names
    )


@wrong(AREA, held_out=True)
def folded_by_the_newest_opset(step: NodeStep) -> Values:
    """A node of constants alone is folded as the newest opset has it."""
    if not _is_constant(step) or step.node.domain:
        return step.right()
    newest = {**step.frame.imports, "": step.session.signatures.opsets[""]}
    return step.right(frame=replace(step.frame, imports=newest))


@wrong(AREA, held_out=True)
def folding_forgets_attributes(step: NodeStep) -> Values:
    """A node of initializers alone is folded with its attributes' defaults."""
    known, node = _known_constants(step), step.node
    if not node.inputs or node.domain or not all(it in known for it in node.inputs if it):
        return step.right()
    graphs = tuple(item for item in node.attributes if item.type == "graph")
    try:
        return step.right(node=replace(node, attributes=graphs))
    except RefusedError:
        return step.right()


def _known_constants(step: NodeStep) -> set[str]:
    """The initializers that nobody can feed."""
    graph = step.session.model.graph
    return set(graph.initializers) - {item.name for item in graph.inputs}


def _constant(step: NodeStep, *names: str) -> bool:
    return step.is_a("Constant") and any(item.name in names for item in step.node.attributes)


@wrong(AREA, held_out=True)
def value_ints_have_32_bits(step: NodeStep) -> Values:
    """`value_int` and `value_ints` of Constant are cut to 32 bits."""
    results = step.right()
    return changed(results, in_32_bits) if _constant(step, "value_int", "value_ints") else results


@wrong(AREA, held_out=True)
def lists_of_one_are_scalars(step: NodeStep) -> Values:
    """`value_ints`, `value_floats` and `value_strings` of one element are scalars."""
    results = step.right()
    if not _constant(step, "value_floats", "value_strings", "value_ints"):
        return results
    return changed(results, lambda it: replace(it, shape=()) if it.shape == (1,) else it)


@wrong(AREA, held_out=True)
def sparse_values_are_zeros(step: NodeStep) -> Values:
    """`sparse_value` of Constant gives zeros."""
    results = step.right()
    if not _constant(step, "sparse_value"):
        return results
    return changed(results, lambda item: replace(item, data=bytes(len(item.data))))
