"""Whether a value is the expected one, and if not, how it differs.

Pure: values in, a comparison out. The rules and their reasons are in docs/tolerance.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .describing import bit_patterns, element_texts, part_count, part_type, string_text, text
from .elements import element_type
from .floats import (
    FLOAT_FORMATS,
    is_infinite,
    is_nan,
    is_negative,
    is_zero,
    numbers,
    ulps_between,
)
from .tensors import MapValue, OptionalValue, SequenceValue, Tensor
from .tolerance import ABSOLUTE_RELATIVE_KIND, EXACT, TYPE_AND_SHAPE_KIND, ULP_KIND

if TYPE_CHECKING:
    import numpy as np

    from .tensors import Value
    from .tolerance import Tolerance

    Array = np.ndarray[Any, Any]

TYPE = "type"
SHAPE = "shape"
VALUE = "value"


@dataclass(frozen=True)
class Difference:
    """The first thing in which a value is not the expected one.

    Attributes:
        aspect: `type`, `shape` or `value`.
        place: where inside the value, e.g. `[1, 2]`, or `item 3 [0]` of a sequence; else empty.
        expected, got: what stands there, in words.
        facts: JSON-ready: index, differing, elements, ulps at the first difference, bits.
    """

    aspect: str
    place: str
    expected: str
    got: str
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Comparison:
    """The outcome of comparing two values.

    Attributes:
        difference: the first difference, or None where `got` is near enough.
        max_ulp: the largest distance in ulps among finite floats of equal sign, whether within
            the tolerance or not; None where no floats were compared. Values that are infinite,
            NaN or of opposite sign have no distance and do not count.
        notes: facts that change no verdict, e.g. booleans that are neither 0 nor 1.
    """

    difference: Difference | None = None
    max_ulp: int | None = None
    notes: tuple[str, ...] = ()


def compare(expected: Value, got: Value, tolerance: Tolerance = EXACT) -> Comparison:
    """Compare a value with the expected one: kind, element type, shape, then elements.

    An optional that holds a value is that value: the APIs of many runtimes do not tell the two
    apart. An absent optional equals only an absent one; where no optional is due it is of another
    kind.
    """
    due = VALUE if isinstance(expected, OptionalValue) else TYPE
    expected, got = _held(expected), _held(got)
    if isinstance(expected, Tensor) and isinstance(got, Tensor):
        return _compare_tensors(expected, got, tolerance)
    if isinstance(expected, OptionalValue) or isinstance(got, OptionalValue):
        both = isinstance(expected, OptionalValue) and isinstance(got, OptionalValue)
        return Comparison() if both else _differ(due, text(expected), text(got))
    if isinstance(expected, SequenceValue) and isinstance(got, SequenceValue):
        return _compare_sequences(expected, got, tolerance)
    if isinstance(expected, MapValue) and isinstance(got, MapValue):
        return _compare_maps(expected, got, tolerance)
    return _differ(TYPE, text(expected), text(got))


def _held(value: Value) -> Value:
    while isinstance(value, OptionalValue) and value.value is not None:
        value = value.value
    return value


def _differ(aspect: str, expected: str, got: str, place: str = "") -> Comparison:
    return Comparison(Difference(aspect, place, expected, got))


def _compare_sequences(
    expected: SequenceValue, got: SequenceValue, tolerance: Tolerance
) -> Comparison:
    if len(expected.items) != len(got.items):
        return _differ(SHAPE, text(expected), text(got))
    parts = [
        (f"item {index}", compare(first, second, tolerance))
        for index, (first, second) in enumerate(zip(expected.items, got.items, strict=True))
    ]
    return _together(parts)


def _compare_maps(expected: MapValue, got: MapValue, tolerance: Tolerance) -> Comparison:
    if expected.keys.type != got.keys.type:
        return _differ(TYPE, text(expected), text(got), "keys")
    first, second = _by_key(expected), _by_key(got)
    if len(second) != len(got.values) or set(first) != set(second):
        return _differ(VALUE, text(expected), text(got), "keys")
    return _together([(f"key {key}", compare(first[key], second[key], tolerance)) for key in first])


def _by_key(value: MapValue) -> dict[Any, Value]:
    if isinstance(value.keys.data, tuple):
        keys: list[Any] = [string_text(item) for item in value.keys.data]
    else:
        keys = element_texts(value.keys.type, bit_patterns(value.keys))
    return dict(zip(keys, value.values, strict=False))


def _together(parts: list[tuple[str, Comparison]]) -> Comparison:
    """One comparison out of those of the parts: the first difference, the largest distance."""
    difference = None
    for place, comparison in parts:
        inner = comparison.difference
        if inner is not None:
            where = f"{place} {inner.place}".rstrip()
            difference = Difference(inner.aspect, where, inner.expected, inner.got, inner.facts)
            break
    distances = [item.max_ulp for _, item in parts if item.max_ulp is not None]
    notes = tuple(dict.fromkeys(note for _, item in parts for note in item.notes))
    return Comparison(difference, max(distances, default=None), notes)


def _compare_tensors(expected: Tensor, got: Tensor, tolerance: Tolerance) -> Comparison:
    if expected.type != got.type:
        return _differ(TYPE, text(expected), text(got))
    if expected.shape != got.shape:
        return _differ(SHAPE, text(expected), text(got))
    if tolerance.kind == TYPE_AND_SHAPE_KIND:
        return Comparison(notes=("the values are random and were not judged",))
    floats = part_type(expected.type) in FLOAT_FORMATS
    if expected.data == got.data:
        # The common case: nothing is decoded, and NumPy is not even imported.
        return Comparison(max_ulp=0 if floats else None)
    if isinstance(expected.data, tuple) and isinstance(got.data, tuple):
        return _compare_strings(expected, expected.data, got.data)
    return _compare_elements(expected, got, tolerance)


def _compare_strings(
    tensor: Tensor, expected: tuple[bytes, ...], got: tuple[bytes, ...]
) -> Comparison:
    differing = [i for i, (one, two) in enumerate(zip(expected, got, strict=True)) if one != two]
    first = differing[0]
    return _first_difference(tensor, first, len(differing), repr(expected[first]), repr(got[first]))


def _compare_elements(expected: Tensor, got: Tensor, tolerance: Tolerance) -> Comparison:
    import numpy as np

    first, second = bit_patterns(expected), bit_patterns(got)
    part = part_type(expected.type)
    notes: tuple[str, ...] = ()
    max_ulp = None
    if part in FLOAT_FORMATS:
        near, max_ulp = _near_floats(first, second, part, tolerance)
    elif part == "bool":
        near = (first != 0) == (second != 0)
        odd = int(np.count_nonzero(second > 1))
        if odd:
            notes = (f"{odd} true elements are bytes other than 1",)
    else:
        near = _near_integers(first, second, part, tolerance)
    if near.all():
        return Comparison(None, max_ulp, notes)
    parts = part_count(expected.type)
    wrong = np.flatnonzero(~near.reshape(-1, parts).all(axis=1))
    index = int(wrong[0])
    here = slice(index * parts, (index + 1) * parts)
    comparison = _first_difference(
        expected,
        index,
        len(wrong),
        str(element_texts(expected.type, first[here])[0]),
        str(element_texts(got.type, second[here])[0]),
    )
    difference = comparison.difference
    if difference is not None and part in FLOAT_FORMATS:
        difference.facts.update(_distance_facts(first[here], second[here], part))
    return Comparison(difference, max_ulp, notes)


def _first_difference(
    tensor: Tensor, index: int, differing: int, expected: str, got: str
) -> Comparison:
    position = _position(index, tensor.shape)
    facts = {"index": position, "differing": differing, "elements": tensor.element_count}
    return Comparison(Difference(VALUE, str(position), expected, got, facts))


def _position(index: int, shape: tuple[int, ...]) -> list[int]:
    """The indices of the element at a row-major position."""
    position = []
    for dimension in reversed(shape):
        index, along = divmod(index, dimension)
        position.append(along)
    return position[::-1]


def _near_floats(
    expected: Array, got: Array, part: str, tolerance: Tolerance
) -> tuple[Array, int | None]:
    """Which elements are near enough, and the largest distance of those that have one."""
    import numpy as np

    form = FLOAT_FORMATS[part]
    near = (expected == got) | (is_nan(expected, form) & is_nan(got, form))
    finite = ~(_not_finite(expected, part) | _not_finite(got, part))
    zeros = is_zero(expected, form) & is_zero(got, form)
    alike = is_negative(expected, form) == is_negative(got, form)
    ulps = ulps_between(expected, got, form)
    measurable = finite & alike
    if tolerance.kind == ULP_KIND:
        near |= measurable & (ulps <= (tolerance.half_ulps if form.width <= 16 else tolerance.ulps))
    elif tolerance.kind == ABSOLUTE_RELATIVE_KIND:
        wanted, came = numbers(expected, form), numbers(got, form)
        largest = np.max(np.abs(wanted), where=np.isfinite(wanted), initial=0)
        atol = tolerance.atol + tolerance.of_largest * 2.0**-form.mantissa * float(largest)
        rtol = max(tolerance.rtol, tolerance.bfloat16_rtol if part == "bfloat16" else 0)
        # Two zeros have no distance; whether their signs count is the tolerance's to say.
        near |= finite & ~zeros & _within(wanted, came, rtol, atol)
    if not tolerance.signed_zero:
        near |= zeros
    return near, int(np.max(ulps, where=measurable, initial=0)) if measurable.any() else None


def _not_finite(bits: Array, part: str) -> Array:
    form = FLOAT_FORMATS[part]
    result: Array = is_nan(bits, form) | is_infinite(bits, form)
    return result


def _within(expected: Array, got: Array, rtol: float, atol: float) -> Array:
    import numpy as np

    with np.errstate(invalid="ignore", over="ignore"):
        result: Array = np.abs(got - expected) <= atol + rtol * np.abs(expected)
    return result


def _near_integers(expected: Array, got: Array, part: str, tolerance: Tolerance) -> Array:
    import numpy as np

    near: Array = expected == got
    if tolerance.kind != ABSOLUTE_RELATIVE_KIND or not tolerance.integers:
        return near
    element = element_type(part)
    if element.kind == "int":
        # Sign extension, also for the 4- and 2-bit types.
        shift = 8 * expected.dtype.itemsize - element.bits
        signed = np.dtype(f"i{expected.dtype.itemsize}")
        expected = (expected << expected.dtype.type(shift)).view(signed) >> signed.type(shift)
        got = (got << got.dtype.type(shift)).view(signed) >> signed.type(shift)
    wide = expected.astype(np.float64), got.astype(np.float64)
    return near | _within(*wide, tolerance.rtol, tolerance.atol)


def _distance_facts(expected: Array, got: Array, part: str) -> dict[str, Any]:
    """Bits and distance of one element, for whoever has to find the rounding that differs."""
    form = FLOAT_FORMATS[part]
    digits = (form.width + 3) // 4
    facts: dict[str, Any] = {
        "expected_bits": " ".join(f"0x{int(item):0{digits}x}" for item in expected),
        "got_bits": " ".join(f"0x{int(item):0{digits}x}" for item in got),
    }
    measurable = ~(_not_finite(expected, part) | _not_finite(got, part)) & (
        is_negative(expected, form) == is_negative(got, form)
    )
    if measurable.all():
        facts["ulps"] = int(ulps_between(expected, got, form).max())
    return facts
