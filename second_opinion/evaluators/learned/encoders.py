"""Encoders and scalers of ai.onnx.ml."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import ML, evaluates
from ...values.formats import LD
from ...values.tensors import Arr, CannotAnswerError, Mapped, Seq, fit, is_float
from ..shared import rows_of, text, whole, words


@evaluates("ArrayFeatureExtractor", domain=ML)
def extract(call: Call) -> Arr:
    """Elements of the last axis."""
    data = call.data(0)
    found = np.take(data, call.arr(1).ints, -1)
    return Arr(call.type, found.reshape(1, -1) if data.ndim == 1 else found)


@evaluates("Binarizer", domain=ML)
def binarize(call: Call) -> Arr:
    """1 where the value is greater than the threshold."""
    found = call.data(0) > LD(call.attr("threshold"))
    return fit(call.type, np.asarray(found).astype(np.int64))


@evaluates("CategoryMapper", domain=ML)
def map_categories(call: Call) -> Arr:
    """Strings to integers or back."""
    pairs = list(zip(call.attr("cats_strings"), call.attr("cats_int64s"), strict=True))
    if call.type == "string":
        return _looked_up(call, dict(pairs), call.attr("default_int64"), "int64")
    swapped = {number: name for name, number in pairs}
    return _looked_up(call, swapped, call.attr("default_string"), "string")


def _looked_up(call: Call, table: dict[Any, Any], default: Any, name: str) -> Arr:  # noqa: ANN401
    data = call.data(0)
    made = np.empty(data.shape, object)
    for place in np.ndindex(data.shape):
        made[place] = table.get(_key(data[place]), default)
    if name == "string":
        return Arr(name, made)
    return fit(name, made.astype(LD) if is_float(name) else made)


def _key(item: Any) -> Any:  # noqa: ANN401  an element
    if isinstance(item, bytes):
        return item
    if isinstance(item, np.floating):
        # A NaN is a key like others; the two zeros have other bits.
        return "nan" if np.isnan(item) else (float(item), bool(np.signbit(item)))
    return int(item)


@evaluates("LabelEncoder", domain=ML, until=1)
def encode_classes(call: Call) -> Arr:
    """Strings to their index in a list, or back."""
    classes = call.attr("classes_strings")
    if call.type == "string":
        table = {name: number for number, name in reversed(list(enumerate(classes)))}
        return _looked_up(call, table, call.attr("default_int64"), "int64")
    return _looked_up(call, dict(enumerate(classes)), call.attr("default_string"), "string")


@evaluates("LabelEncoder", domain=ML, since=2)
def encode_labels(call: Call) -> Arr:
    """Each element to the value beside its key."""
    keys, values = (_side(call, name) for name in ("keys", "values"))
    default: Any = call.attr("default_tensor")
    if default is not None:
        default = default.item
    elif values.type == "string":
        default = call.attr("default_string")
    elif is_float(values.type):
        default = LD(call.attr("default_float"))
    else:
        default = call.attr("default_int64")
    table: dict[Any, Any] = {}
    for key, value in zip(keys.data, values.data, strict=True):
        if call.version >= 4 or _key(key) not in table:
            table[_key(key)] = value
    if is_float(call.type) and _has_both_zeros(call, keys):
        raise CannotAnswerError("a zero of the other sign than the key's")
    return _looked_up(call, table, default, values.type)


def _has_both_zeros(call: Call, keys: Arr) -> bool:
    signs = {bool(np.signbit(item)) for item in keys.data if item == 0}
    data = call.data(0)
    wanted = {bool(np.signbit(item)) for item in data.reshape(-1) if item == 0}
    return call.version >= 4 and bool(signs) and bool(wanted - signs)


def _side(call: Call, side: str) -> Arr:
    if call.attr(f"{side}_tensor") is not None:
        found: Arr = call.attr(f"{side}_tensor")
        return found
    for name, kind in (("strings", "string"), ("int64s", "int64"), ("floats", "float32")):
        held = call.attr(f"{side}_{name}")
        if held is not None:
            data = words(held) if kind == "string" else np.array(held, LD)
            return Arr(kind, data) if kind != "int64" else whole(held)
    raise CannotAnswerError(f"no {side}")


@evaluates("FeatureVectorizer", domain=ML)
def vectorize(call: Call) -> Arr:
    """Inputs side by side, as floats."""
    tensors = [item.data for item in call.inputs]
    parts = [rows_of(item) for item in tensors]
    sizes = call.attr("inputdimensions")
    if sizes and [part.shape[1] for part in parts] != list(sizes):
        raise CannotAnswerError("inputs of other sizes than inputdimensions")
    return fit("float32", np.concatenate(parts, 1).astype(LD))


@evaluates("Imputer", domain=ML)
def impute(call: Call) -> Arr:
    """Elements that equal one value, replaced."""
    data = call.data(0)
    if is_float(call.type):
        old, new = LD(call.attr("replaced_value_float")), call.attr("imputed_value_floats")
        values = np.array(new, LD)
    else:
        old, new = call.attr("replaced_value_int64"), call.attr("imputed_value_int64s")
        values = np.array(new, object)
    where = np.isnan(data) if is_float(call.type) and np.isnan(old) else data == old
    values = values.reshape(()) if values.size == 1 else values
    return fit(call.type, np.where(where, values, data))


@evaluates("OneHotEncoder", domain=ML)
def one_hot(call: Call) -> Arr:
    """A one at the place of the category, in a new dimension."""
    data = call.data(0)
    cats = list(call.attr("cats_strings") or call.attr("cats_int64s") or [])
    made = np.zeros((*data.shape, len(cats)), LD)
    for place in np.ndindex(data.shape):
        item = data[place] if call.type == "string" else int(np.trunc(data[place]))
        if item in cats:
            made[(*place, cats.index(item))] = 1
        elif not call.attr("zeros"):
            raise CannotAnswerError("a category that is not there")
    return fit("float32", made)


@evaluates("Scaler", domain=ML)
def scale(call: Call) -> Arr:
    """`(x - offset) * scale`."""
    parts = [np.array(call.attr(name) or default, LD) for name, default in _SCALER]
    offset, factor = (item.reshape(()) if item.size == 1 else item for item in parts)
    return fit("float32", (call.data(0).astype(LD) - offset) * factor)


_SCALER = (("offset", [0.0]), ("scale", [1.0]))


@evaluates("Normalizer", domain=ML)
def normalize(call: Call) -> Arr:
    """By the largest, the sum or the root of the sum of squares of each row."""
    data = call.data(0).astype(LD)
    kind = text(call.attr("norm"))
    if data.size == 0:
        return fit("float32", data)
    if kind == "L2":
        total = np.sum(data * data, -1, keepdims=True)
        found = np.sqrt(data * data / total)
    else:
        function: Any = np.max if kind == "MAX" else np.sum
        total = function(data, -1, keepdims=True)
        found = data / total
    return fit("float32", np.where(total == 0, data, found))


@evaluates("ZipMap", domain=ML)
def zip_map(call: Call) -> Seq:
    """A map for each row, by labels."""
    data = call.data(0)
    rows = rows_of(data)
    names = call.attr("classlabels_strings")
    ints = call.attr("classlabels_int64s")
    keys = Arr("string", words(names)) if names else whole(ints)
    return Seq(
        tuple(Mapped(keys, tuple(Arr("float32", np.asarray(item)) for item in row)) for row in rows)
    )
