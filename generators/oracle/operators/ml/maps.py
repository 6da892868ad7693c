"""CastMap, DictVectorizer, ZipMap: maps and tensors. Source: their pages."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from onnx_conformance.core.values.tensors import MapValue, SequenceValue, Tensor

from ...arith.grid import Grid, grid_of, tensor_of
from ...arith.numbers import INF, NAN, NEG_INF, NEG_ZERO, Real, round_half_even, trunc
from ...arith.rounding import zero_of
from ...attributes import word
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..conversion.casting import converted
from .labels import labels_of
from .scaling import DOMAIN, RESULT

_TARGETS = {"TO_FLOAT": "float32", "TO_STRING": "string", "TO_INT64": "int64"}
_FORMS = ("DENSE", "SPARSE")
_CAST = 25  # the version of Cast whose rules hold for what a map holds
_NOT_FINITE: dict[Any, Any] = {NAN: math.nan, INF: math.inf, NEG_INF: -math.inf, NEG_ZERO: -0.0}


@dataclass(frozen=True)
class _Map:
    """A map as the input has it.

    Attributes:
        keys: the keys; their element type is `string` or `int64`.
        values: the values beside them, as a grid of one dimension.
    """

    keys: Grid
    values: Grid

    @property
    def listed(self) -> dict[Any, Any]:
        """The values by their keys."""
        return dict(zip(self.keys.items, self.values.items, strict=True))


def _map_of(call: Call) -> _Map:
    """The input; InvalidCallError where it is no map to scalars."""
    value = call.inputs.get("X")
    if not isinstance(value, MapValue):
        raise InvalidCallError("X is no map")
    tensors = [item for item in value.values if isinstance(item, Tensor)]
    items = [item for tensor in tensors for item in grid_of(tensor).items]
    keys = grid_of(value.keys)
    if not len(keys.items) == len(tensors) == len(items):
        raise InvalidCallError("a value of the map is no scalar")
    # A map without values does not say of which type they would be.
    name = tensors[0].type if tensors else call.types.get("T2", "float32")
    return _Map(keys, Grid(name, (len(items),), items))


def _row(call: Call, grid: Grid) -> Grid:
    """A row of values, whose shape is documented as [C] here and [1, C] there."""
    if call.choose("shape-of-a-row", "matrix", "row") == "row":
        return grid
    return grid.reshaped((1, *grid.shape))


# --- CastMap ---------------------------------------------------------------------------------


@oracle("CastMap", domain=DOMAIN)
def cast_map(call: Call) -> Result:
    """The values of a map by ascending keys, or each at the place that its key is."""
    given = _map_of(call)
    target = _TARGETS[word(call, "cast_to", _TARGETS)]
    form = word(call, "map_form", _FORMS)
    listed = _Map(given.keys, _cast(call, given.values, target)).listed
    if form == "DENSE":
        items = [listed[key] for key in sorted(listed)]
    else:
        size = call.int_attribute("max_map")
        if size < 0 or any(not 0 <= key < size for key in listed):
            raise InvalidCallError(f"a key of {sorted(listed)} is no index below max_map {size}")
        items = [listed.get(place, zero_of(target)) for place in range(size)]
    return (_row(call, Grid(target, (len(items),), items)),)


def _cast(call: Call, values: Grid, target: str) -> Grid:
    if not values.items:
        return Grid(target, (0,), ())
    if values.type == "float32" and target == "string":
        form = call.choose("text-of-a-number", "shortest", "six-decimals")
        return values.map(lambda item: _text(item, form), target)
    if values.type == "float32" and target == "int64":
        cut, nearest = values.map(trunc), values.map(round_half_even)
        if cut != nearest and call.choose("fraction", "truncated", "nearest") == "nearest":
            cut = nearest
        values = cut
    return converted(replace(call, since_version=_CAST), values, target)


def _text(item: Real, form: str) -> bytes:
    """A number in decimal digits: as few as say it, or six behind the point."""
    number = float(_NOT_FINITE.get(item, item))
    return (f"{number:.6f}" if form == "six-decimals" else repr(number)).encode()


# --- DictVectorizer --------------------------------------------------------------------------


@oracle("DictVectorizer", domain=DOMAIN)
def dict_vectorizer(call: Call) -> Result:
    """The value of each word of the vocabulary, zero for one that the map lacks."""
    given = _map_of(call)
    words = labels_of(call, "string_vocabulary", "int64_vocabulary")
    vocabulary = words.items
    if words.type != given.keys.type:
        raise InvalidCallError(
            f"the vocabulary is of {words.type}, the keys are of {given.keys.type}"
        )
    if len(set(vocabulary)) < len(vocabulary):
        refuse_if_chosen(call, "repeated-word", "at-each")
    listed = given.listed
    if not set(listed) <= set(vocabulary):
        refuse_if_chosen(call, "key-of-no-vocabulary", "left-out")
    zero = zero_of(given.values.type)
    if zero == b"" and not set(vocabulary) <= set(listed):
        zero = b"0" if call.choose("zero-of-strings", "empty", "digit") == "digit" else zero
    items = [listed.get(key, zero) for key in vocabulary]
    return (_row(call, Grid(given.values.type, (len(items),), items)),)


# --- ZipMap ----------------------------------------------------------------------------------


@oracle("ZipMap", domain=DOMAIN)
def zip_map(call: Call) -> Result:
    """For each row a map from the labels to its elements.

    X is (rows, keys) or (keys); the output is a sequence of maps, each with float32 scalars as
    values. A key that is listed twice leaves open which value it has. Refused: a row of another
    length than the list of keys.
    """
    grid = call.grid("X")
    listed = labels_of(call, "classlabels_strings", "classlabels_int64s")
    labels, width = listed.items, len(listed.items)
    if grid.rank not in (1, 2) or grid.shape[-1] != width:
        raise InvalidCallError(f"X has shape {list(grid.shape)}, and there are {width} keys")
    if grid.rank == 1:
        refuse_if_chosen(call, "vector", "one-row")
    places = list(range(width))
    if len(set(labels)) < width:
        if call.choose("repeated-key", "last", "first", "rejected") == "rejected":
            raise InvalidCallError("a key stands twice in the list")
        if call.readings["repeated-key"] == "first":
            places.reverse()
        # A later entry of the dictionary takes the place of an earlier one.
        places = list({labels[place]: place for place in places}.values())
    keys = tensor_of(listed.take(places, (len(places),)))
    rows = [grid.items[start : start + width] for start in range(0, len(grid.items), width)]
    maps = [
        MapValue(keys, tuple(tensor_of(Grid(RESULT, (), [row[place]])) for place in places))
        for row in rows
    ]
    return (SequenceValue(tuple(maps)),)
