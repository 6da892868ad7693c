"""Whether a value is the expected one, and if not, how it differs.

Pure: values in, a comparison out. The rules and their reasons are in docs/tolerance.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .describing import bit_patterns, element_texts, part_count, part_type, string_text, text
from .floats import FLOAT_FORMATS, is_negative, ulps_between
from .limits import EXACT_RESULT, ONNX, check_limits, limits_for, steps_outside
from .nearness import MET, is_finite, nearness
from .sampling import elements_at
from .tensors import Bounded, Drawn, MapValue, OptionalValue, Sampled, SequenceValue, Tensor, Value
from .tolerance import EXACT, TYPE_AND_SHAPE_KIND, Tolerance, pair

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

TYPE = "type"
SHAPE = "shape"
VALUE = "value"


@dataclass(frozen=True)
class Difference:
    """The first place at which a value is not the expected one.

    Attributes:
        aspect: `type`, `shape` or `value`.
        place: where inside the value, e.g. `[1, 2]`, or `item 3 [0]` of a sequence; else empty.
        expected, got: what each value has there, in words.
        permitted: what else is permitted there and how far the value misses it, in words; may be
            empty.
        facts: JSON-ready: index, differing, elements, compared (how many of them, where not all
            are), ulps at the first difference, bits, permitted
            (the limits) and ulps_outside.
    """

    aspect: str
    place: str
    expected: str
    got: str
    permitted: str = ""
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Comparison:
    """The outcome of comparing two values.

    Attributes:
        difference: the first difference, or None where `got` is near enough.
        max_ulp: the largest distance in ulps among finite floats of equal sign, within the
            tolerance or not; None if no floats were compared. Infinite values, NaN and values of
            opposite sign have no distance and do not count.
        used: the largest used fraction of the limits given with the expected value; None without
            limits, or if the fraction is not a number.
        met: the tightest of `nearness.MET` that holds for everything with limits; None without
            limits.
        notes: facts that change no verdict, e.g. booleans that are neither 0 nor 1.
    """

    difference: Difference | None = None
    max_ulp: int | None = None
    used: float | None = None
    met: str | None = None
    notes: tuple[str, ...] = ()


def compare(expected: Value, got: Value, tolerance: Tolerance = EXACT) -> Comparison:
    """Compare a value with the expected one: kind, element type, shape, then elements.

    An optional that holds a value equals that value: the APIs of many runtimes do not distinguish
    the two. An absent optional equals only an absent one; compared with any other value it differs
    in kind.

    Raises BadInputError if a value differs and the limits of the expected one contradict it or each
    other.
    """
    due = VALUE if isinstance(expected, OptionalValue) else TYPE
    expected, got = contained(expected), contained(got)
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


def contained(value: Value) -> Value:
    """The value in an optional that is not empty, at any depth; any other value as it is."""
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
    """Combine the comparisons of parts: the first difference, the largest distance."""
    difference = None
    for place, comparison in parts:
        inner = comparison.difference
        if inner is not None:
            where = f"{place} {inner.place}".rstrip()
            difference = replace(inner, place=where)
            break
    return replace(together(item for _, item in parts), difference=difference)


def together(parts: Iterable[Comparison]) -> Comparison:
    """Combine what several comparisons measured: the largest distances, the loosest profile."""
    items = list(parts)
    ulps = [item.max_ulp for item in items if item.max_ulp is not None]
    shares = [item.used for item in items if item.used is not None]
    met = [item.met for item in items if item.met is not None]
    return Comparison(
        max_ulp=max(ulps, default=None),
        used=max(shares, default=None),
        met=max(met, key=MET.index, default=None),
        notes=tuple(dict.fromkeys(note for item in items for note in item.notes)),
    )


def _compare_tensors(expected: Tensor, got: Tensor, tolerance: Tolerance) -> Comparison:
    if expected.type != got.type:
        return _differ(TYPE, text(expected), text(got))
    if expected.shape != got.shape:
        return _differ(SHAPE, text(expected), text(got))
    if tolerance.kind == TYPE_AND_SHAPE_KIND:
        return Comparison(notes=("any values of this type and shape are right",))
    return _compare_alike(expected, got, tolerance)


def _compare_alike(expected: Tensor, got: Tensor, tolerance: Tolerance) -> Comparison:
    """Compare two tensors of one type and shape."""
    if isinstance(expected, Drawn):
        return _compare_by_laws(expected, got)
    if isinstance(expected, Sampled):
        found = compare(expected.compared, elements_at(got, expected.positions), tolerance)
        return in_whole(found, expected)
    if expected.data == got.data:
        # The common case: nothing is decoded, and NumPy is not even imported.
        floats = part_type(expected.type) in FLOAT_FORMATS
        limited = isinstance(expected, Bounded)
        return Comparison(
            max_ulp=0 if floats else None,
            used=0.0 if limited else None,
            met=EXACT_RESULT if limited else None,
        )
    return _compare_elements(expected, got, tolerance)


def in_whole(found: Comparison, expected: Sampled) -> Comparison:
    """The comparison of some elements as one of the tensor that they are of."""
    note = f"{len(expected.positions)} of {expected.element_count} elements were compared"
    difference = found.difference
    if difference is not None:
        (index,) = difference.facts["index"]
        place = position_of(expected.positions[index], expected.shape)
        facts = {**difference.facts, "index": place, "compared": len(expected.positions)}
        facts["elements"] = expected.element_count
        difference = replace(difference, place=str(place), facts=facts)
    return replace(found, difference=difference, notes=(*found.notes, note))


def _compare_by_laws(expected: Drawn, got: Tensor) -> Comparison:
    """Check the laws about one output alone; the caller that has both outputs checks the others."""
    from .laws import broken

    words = broken(expected.laws, got, {})
    if words is None:
        return Comparison(notes=("judged by laws",))
    return Comparison(Difference(VALUE, "", "what keeps the laws", text(got), words))


def _compare_elements(expected: Tensor, got: Tensor, tolerance: Tolerance) -> Comparison:
    import numpy as np

    found = nearness(expected, got, tolerance)
    wrong = np.flatnonzero(~found.near)
    difference = None
    if len(wrong):
        difference = _difference_at(int(wrong[0]), expected, got, tolerance)
        difference.facts["differing"] = len(wrong)
    return Comparison(difference, found.max_ulp, found.used, found.met, found.notes)


def _difference_at(index: int, expected: Tensor, got: Tensor, tolerance: Tolerance) -> Difference:
    """The difference between two tensors at an element, in words and numbers."""
    position = position_of(index, expected.shape)
    facts: dict[str, Any] = {"index": position, "differing": 1, "elements": expected.element_count}
    if isinstance(expected.data, tuple) and isinstance(got.data, tuple):
        words = repr(expected.data[index]), repr(got.data[index])
        return Difference(VALUE, str(position), *words, facts=facts)
    part, parts = part_type(expected.type), part_count(expected.type)
    here = slice(index * parts, (index + 1) * parts)
    one, other = bit_patterns(expected)[here], bit_patterns(got)[here]
    if part in FLOAT_FORMATS:
        facts.update(_distance_facts(one, other, part))
    permitted = ""
    if isinstance(expected, Bounded):
        # Limits that contradict each other are not the backend's fault, and may not be ours.
        check_limits(expected)
        ends = [bit_patterns(limit)[here] for limit in limits_for(expected, tolerance.profile)]
        facts["permitted"] = [str(element_texts(expected.type, end)[0]) for end in ends]
        permitted = "permitted " + " to ".join(facts["permitted"])
        outside = steps_outside(other, ends, part)
        if tolerance.profile == ONNX:
            permitted += f", or {pair(tolerance.rtol, tolerance.atol)}"
        elif outside:
            facts["ulps_outside"] = outside
            unit = "" if part not in FLOAT_FORMATS else " ulp" if outside == 1 else " ulps"
            permitted += f", {outside:,}{unit} outside"
    words = str(element_texts(expected.type, one)[0]), str(element_texts(got.type, other)[0])
    return Difference(VALUE, str(position), *words, permitted, facts)


def position_of(index: int, shape: tuple[int, ...]) -> list[int]:
    """The indices of the element at a row-major position."""
    position = []
    for dimension in reversed(shape):
        index, along = divmod(index, dimension)
        position.append(along)
    return position[::-1]


def _distance_facts(expected: Array, got: Array, part: str) -> dict[str, Any]:
    """Bits and distance of one element, for the person who looks for the wrong rounding."""
    form = FLOAT_FORMATS[part]
    digits = (form.width + 3) // 4
    facts: dict[str, Any] = {
        "expected_bits": " ".join(f"0x{int(item):0{digits}x}" for item in expected),
        "got_bits": " ".join(f"0x{int(item):0{digits}x}" for item in got),
    }
    finite = is_finite(expected, part) & is_finite(got, part)
    measurable = finite & (is_negative(expected, form) == is_negative(got, form))
    if measurable.all():
        facts["ulps"] = int(ulps_between(expected, got, form).max())
    return facts
