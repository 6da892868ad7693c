"""The oracles of CastMap, DictVectorizer and ZipMap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from onnx_conformance.core.values.tensors import MapValue, SequenceValue, Tensor
from onnx_conformance.generators.oracle import Call, InvalidCallError, compute
from onnx_conformance.generators.oracle.arith.grid import Grid, grid_of, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import NEG_ZERO
from onnx_conformance.generators.oracle.arith.rationals import Fraction

if TYPE_CHECKING:
    from onnx_conformance.core.values.tensors import Value

ROW = {"shape-of-a-row": "row"}
CAST = {"cast_to": "TO_FLOAT", "map_form": "DENSE", "max_map": 1}


def map_of(kind: str, **entries: Any) -> MapValue:  # noqa: ANN401  elements
    """A map from the names to elements of a type; `i3` stands for the integer 3."""
    return map_from({name.encode(): item for name, item in entries.items()}, kind)


def map_from(entries: dict[Any, Any], kind: str = "float32") -> MapValue:
    keys = list(entries)
    names = "string" if keys and isinstance(keys[0], bytes) else "int64"
    values = tuple(tensor_of(Grid(kind, (), [item])) for item in entries.values())
    return MapValue(tensor_of(Grid(names, (len(keys),), keys)), values)


def given(operator: str, x: Value, readings: dict[str, str], **attributes: object) -> Grid:
    """The tensor that an operator makes of a map."""
    call = Call(1, attributes, {"X": x}, operator, "ai.onnx.ml", readings=readings)  # type: ignore[arg-type]
    (y,) = compute(call)
    assert isinstance(y, Grid)
    return y


def cast(
    entries: dict[int, Any],
    kind: str = "float32",
    readings: dict[str, str] | None = None,
    **attributes: object,
) -> list[object]:
    """The elements that CastMap makes of a map."""
    x = map_from(entries, kind)
    return list(given("CastMap", x, {**ROW, **(readings or {})}, **{**CAST, **attributes}).items)


def test_a_dense_map_gives_its_values_by_ascending_keys() -> None:
    assert [2, 1, 3] == cast({3: Fraction(1), -1: Fraction(2), 2**53 + 1: Fraction(3)})


def test_a_sparse_map_gives_each_value_at_its_key() -> None:
    entries = {3: Fraction(1), 0: Fraction(2)}
    assert [2, 0, 0, 1, 0] == cast(entries, map_form="SPARSE", max_map=5)


@pytest.mark.parametrize("key", [5, -1])
def test_a_key_that_is_no_index_is_refused(key: int) -> None:
    with pytest.raises(InvalidCallError, match="is no index below max_map 5"):
        cast({key: Fraction(1)}, map_form="SPARSE", max_map=5)


def test_the_shape_is_read_in_two_ways() -> None:
    x = map_from({1: Fraction(2), 2: Fraction(3)})
    assert (2,) == given("CastMap", x, ROW, **CAST).shape
    assert (1, 2) == given("CastMap", x, {"shape-of-a-row": "matrix"}, **CAST).shape


def test_a_fraction_is_cut_off_or_rounded() -> None:
    entries = {1: Fraction(7, 4), 2: Fraction(-11, 4)}
    assert [1, -2] == cast(entries, readings={"fraction": "truncated"}, cast_to="TO_INT64")
    assert [2, -3] == cast(entries, readings={"fraction": "nearest"}, cast_to="TO_INT64")


def test_whole_numbers_leave_nothing_open() -> None:
    assert [-2, 16777216] == cast({1: Fraction(-2), 2: Fraction(2**24)}, cast_to="TO_INT64")


def test_a_number_is_written_in_two_ways() -> None:
    entries = {1: Fraction(3, 2), 2: NEG_ZERO}
    form = {"text-of-a-number": "shortest"}
    assert [b"1.5", b"-0.0"] == cast(entries, readings=form, cast_to="TO_STRING")
    form = {"text-of-a-number": "six-decimals"}
    assert [b"1.500000"] == cast({1: Fraction(3, 2)}, readings=form, cast_to="TO_STRING")


def test_texts_become_numbers() -> None:
    entries = {2: b"1.5", 1: b"-2"}
    assert [-2, Fraction(3, 2)] == cast(entries, "string")
    assert [9007199254740993] == cast({1: b"9007199254740993"}, "string", cast_to="TO_INT64")


def test_an_empty_map_gives_zeros_alone() -> None:
    assert [b"", b""] == cast({}, map_form="SPARSE", max_map=2, cast_to="TO_STRING")


# --- DictVectorizer ---


def test_a_value_stands_at_the_index_of_its_word() -> None:
    x = map_of("int64", a=4, c=8)
    y = given("DictVectorizer", x, ROW, string_vocabulary=(b"a", b"c", b"b", b"z"))
    assert ("int64", [4, 8, 0, 0]) == (y.type, list(y.items))


def test_a_key_of_no_word_is_left_out_or_refused() -> None:
    x = map_from({1: Fraction(2), 9: Fraction(5)})
    readings = {**ROW, "key-of-no-vocabulary": "left-out"}
    assert [0, 2] == list(given("DictVectorizer", x, readings, int64_vocabulary=(3, 1)).items)
    readings["key-of-no-vocabulary"] = "rejected"
    with pytest.raises(InvalidCallError, match="key-of-no-vocabulary"):
        given("DictVectorizer", x, readings, int64_vocabulary=(3, 1))


@pytest.mark.parametrize(("reading", "zero"), [("empty", b""), ("digit", b"0")])
def test_the_zero_of_strings_is_read_in_two_ways(reading: str, zero: bytes) -> None:
    readings = {**ROW, "zero-of-strings": reading}
    y = given("DictVectorizer", map_from({1: b"x"}, "string"), readings, int64_vocabulary=(2, 1))
    assert [zero, b"x"] == list(y.items)


@pytest.mark.parametrize(
    ("vocabularies", "message"),
    [
        ({}, "0 of string_vocabulary and int64_vocabulary are given, not one"),
        ({"string_vocabulary": (b"a",), "int64_vocabulary": (1,)}, "2 of string_vocabulary"),
        ({"int64_vocabulary": (1,)}, "the vocabulary is of int64, the keys are of string"),
    ],
)
def test_one_vocabulary_of_the_keys_type_is_needed(
    vocabularies: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidCallError, match=message):
        given("DictVectorizer", map_of("int64", a=1), ROW, **vocabularies)


# --- ZipMap ---


def zipped(
    rows: list[list[int]], readings: dict[str, str] | None = None, **attributes: object
) -> list[dict[Any, Any]]:
    """The maps that ZipMap gives."""
    items = [Fraction(item) for row in rows for item in row]
    x = tensor_of(Grid("float32", (len(rows), len(rows[0])), items))
    call = Call(1, attributes, {"X": x}, "ZipMap", "ai.onnx.ml", readings=readings or {})  # type: ignore[arg-type]
    (z,) = compute(call)
    assert isinstance(z, SequenceValue)
    return [entries_of(item) for item in z.items]


def entries_of(value: Value) -> dict[Any, Any]:
    assert isinstance(value, MapValue)
    keys = grid_of(value.keys).items
    tensors = [item for item in value.values if isinstance(item, Tensor)]
    return {key: grid_of(item).items[0] for key, item in zip(keys, tensors, strict=True)}


def test_each_row_becomes_a_map() -> None:
    found = zipped([[1, 2], [3, 4]], classlabels_strings=(b"b", b""))
    assert [{b"b": 1, b"": 2}, {b"b": 3, b"": 4}] == found


@pytest.mark.parametrize(("reading", "due"), [("last", 3), ("first", 1)])
def test_a_key_that_stands_twice_has_one_value(reading: str, due: int) -> None:
    found = zipped([[1, 2, 3]], {"repeated-key": reading}, classlabels_int64s=(7, 5, 7))
    assert [{7: due, 5: 2}] == found


def test_there_are_as_many_columns_as_keys() -> None:
    with pytest.raises(InvalidCallError, match=r"X has shape \[1, 3\], and there are 2 keys"):
        zipped([[1, 2, 3]], classlabels_int64s=(7, 5))
