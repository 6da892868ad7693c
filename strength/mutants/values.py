"""Mutants of values on their way: through another type, flushed, saturated, nudged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.arith.grid import grid_of, tensor_of_numbers
from onnx_conformance.generators.oracle.arith.numbers import (
    INF,
    NAN,
    NEG_INF,
    NEG_ZERO,
    ZERO,
    is_finite,
    is_zero,
)
from onnx_conformance.generators.oracle.arith.rounding import (
    decode,
    encode,
    greatest,
    is_float,
    least_normal,
    round_to,
    saturate,
    wrap,
)
from onnx_conformance.generators.signatures.model import Signature

from ..interfaces import Change, Slip
from .slips import FLOATS, inputs_changed, output_changed

# --- values on the way -------------------------------------------------------------------------


def values(versions: Sequence[Signature]) -> Iterator[tuple[str, Slip]]:
    """(what is overlooked, an answer that overlooks it), of elements at the inputs and outputs."""
    taken, given = _element_types(versions)
    changes: list[tuple[str, set[str], Change]] = [
        ("int64 through float64", {"int64", "uint64"}, _through("float64")),
        ("int64 through float32", {"int64", "uint64"}, _through("float32")),
        ("int64 through int32", {"int64"}, _wrapped("int32")),
        ("uint64 through int64", {"uint64"}, _wrapped("int64")),
        ("int32 through float32", {"int32", "uint32"}, _through("float32")),
        ("uint32 through int32", {"uint32"}, _wrapped("int32")),
        ("int16 through int8", {"int16", "uint16"}, _wrapped("int8")),
        ("uint8 through int8", {"uint8"}, _wrapped("int8")),
        ("int8 through uint8", {"int8"}, _wrapped("uint8")),
        ("4-bit integers without their sign", {"int4"}, _wrapped("uint4")),
        ("float64 through float32", {"float64"}, _through("float32")),
        ("float32 through float16", {"float32"}, _through("float16")),
        ("float32 through bfloat16", {"float32"}, _through("bfloat16")),
        ("strings cut at a zero byte", {"string"}, lambda item: item.partition(b"\0")[0]),
    ]
    changes += [(text, set(FLOATS), change) for text, change in _SPECIALS]
    for text, types, change in changes:
        if types & taken:
            yield f"{text}, at the inputs", inputs_changed(_elements(types, change))
        if types & given:
            yield f"{text}, at the outputs", output_changed(_elements(types, change))
    if taken & set(FLOATS):
        yield "subnormals are 0, at the inputs", inputs_changed(_flushed)
    if given & set(FLOATS):
        yield "subnormals are 0, at the outputs", output_changed(_flushed)
        yield "what is beyond the range is the greatest number", output_changed(_saturated)
        for steps in (1, 16):
            yield f"results {steps} ulp further from 0", output_changed(_nudged(steps))


_SPECIALS: tuple[tuple[str, Change], ...] = (
    ("NaN is 0", lambda item: ZERO if item is NAN else item),
    ("-0 is 0", lambda item: ZERO if item is NEG_ZERO else item),
    ("inf is NaN", lambda item: NAN if item is INF else item),
    ("-inf is inf", lambda item: INF if item is NEG_INF else item),
    ("-inf is NaN", lambda item: NAN if item is NEG_INF else item),
    ("the sign is lost", lambda item: abs(item) if not isinstance(item, type(NAN)) else item),
)


def _element_types(versions: Sequence[Signature]) -> tuple[set[str], set[str]]:
    """The types that the inputs, and those that the outputs of any version can have."""
    taken: set[str] = set()
    given: set[str] = set()
    for signature in versions:
        for item in signature.inputs:
            taken.update(signature.types_of(item))
        for item in signature.outputs:
            given.update(signature.types_of(item))
    return taken, given


def _through(name: str) -> Change:
    """A number rounded to a float type and back; beyond the integers' range at its end."""
    from onnx_conformance.generators.oracle.arith.rationals import Fraction

    def change(item: Any) -> Any:  # noqa: ANN401  a number
        if isinstance(item, int):
            rounded = round_to(name, Fraction(item))
            return int(rounded) if isinstance(rounded, Fraction) else item
        return round_to(name, item)

    return change


def _wrapped(name: str) -> Change:
    return lambda item: wrap(name, item) if isinstance(item, int) else item


def _elements(types: set[str], change: Change) -> Change:
    """The change applied to each element of tensors of some types."""

    def changed(tensor: Tensor) -> Tensor:
        if tensor.type not in types:
            return tensor
        items = [change(item) for item in grid_of(tensor).items]
        if not is_float(tensor.type) and element_type(tensor.type).kind != "string":
            # What no longer fits is stored as hardware stores it.
            items = [_stored(tensor.type, item) for item in items]
        return tensor_of_numbers(tensor.type, tensor.shape, items)

    return changed


def _stored(name: str, item: Any) -> Any:  # noqa: ANN401  a number
    return saturate(name, item) if abs(item) > 2**63 else wrap(name, item)


def _flushed(tensor: Tensor) -> Tensor:
    if tensor.type not in FLOATS:
        return tensor
    least = least_normal(tensor.type)

    def flush(item: Any) -> Any:  # noqa: ANN401  a number
        if not is_finite(item) or is_zero(item) or abs(item) >= least:
            return item
        return ZERO if item > 0 else NEG_ZERO

    items = [flush(item) for item in grid_of(tensor).items]
    return tensor_of_numbers(tensor.type, tensor.shape, items)


def _nudged(steps: int) -> Change:
    """Finite numbers that are not 0 moved away from 0 by a few representable numbers."""

    def nudged(tensor: Tensor) -> Tensor:
        if tensor.type not in FLOATS:
            return tensor
        items = grid_of(tensor).items
        codes = [
            encode(tensor.type, item) + steps * (is_finite(item) and not is_zero(item))
            for item in items
        ]
        moved = [decode(tensor.type, code) for code in codes]
        kept = [new if is_finite(new) else old for new, old in zip(moved, items, strict=True)]
        return tensor_of_numbers(tensor.type, tensor.shape, kept)

    return nudged


def _saturated(tensor: Tensor) -> Tensor:
    if tensor.type not in FLOATS:
        return tensor
    end = greatest(tensor.type)
    ends = {INF: end, NEG_INF: -end}
    items = [
        ends.get(item, item) if isinstance(item, type(INF)) else item
        for item in grid_of(tensor).items
    ]
    return tensor_of_numbers(tensor.type, tensor.shape, items)
