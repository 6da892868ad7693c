"""The oracles of features: Scaler, Normalizer, Imputer, Binarizer and what selects and joins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle import Call, InvalidCallError, compute
from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of, value_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_ZERO
from onnx_conformance.generators.oracle.arith.rationals import Fraction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.values.tensors import Tensor


def tensor(name: str, shape: Sequence[int], items: Sequence[object]) -> Tensor:
    numbers = [Fraction(item) if isinstance(item, float) else item for item in items]
    return tensor_of(Grid(name, tuple(shape), numbers))


def floats(*rows: Sequence[object]) -> Tensor:
    items = [item for row in rows for item in row]
    return tensor("float32", (len(rows), len(rows[0])), items)


def result(
    operator: str, x: object, readings: dict[str, str] | None = None, **given: object
) -> Grid:
    extra = {"Y": given.pop("Y")} if "Y" in given else {}
    call = Call(
        1,
        given,
        {"X": x, **extra},
        operator,
        "ai.onnx.ml",
        readings=readings or {},  # type: ignore[arg-type, dict-item]
    )
    (found,) = compute(call)
    assert isinstance(found, Grid)
    return found


def items(grid: Grid) -> list[object]:
    return [value_of(item) for item in grid.items]


def test_a_scaler_takes_the_offset_off_before_it_scales() -> None:
    grid = result("Scaler", floats([3.0, 5.0]), offset=(1.0, 2.0), scale=(10.0, 0.5))
    assert ("float32", [20, Fraction(3, 2)]) == (grid.type, items(grid))


def test_a_scaler_refuses_lists_of_different_lengths() -> None:
    with pytest.raises(InvalidCallError, match="1 offsets and 2 scales"):
        result("Scaler", floats([3.0, 5.0]), offset=(1.0,), scale=(10.0, 0.5))


@pytest.mark.parametrize(
    ("reading", "norm", "expected"),
    [
        ("formula", "MAX", [Fraction(-2), Fraction(1)]),
        ("norm", "MAX", [Fraction(-1), Fraction(1, 2)]),
        ("formula", "L1", [Fraction(2), Fraction(-1)]),
        ("norm", "L2", [Fraction(-4, 5), Fraction(3, 5)]),
        ("formula", "L2", [Fraction(4, 5), Fraction(3, 5)]),
    ],
)
def test_a_negative_element_tells_a_formula_from_a_norm(
    reading: str, norm: str, expected: list[Fraction]
) -> None:
    row = [-4.0, 3.0] if norm == "L2" else [-4.0, 2.0]
    found = items(result("Normalizer", floats(row), {"formula-or-norm": reading}, norm=norm))
    assert all(
        abs(one - other) < Fraction(1, 10**6) for one, other in zip(found, expected, strict=True)
    )  # type: ignore[operator]


def test_a_row_stays_where_its_divisor_is_zero() -> None:
    found = result("Normalizer", floats([2.0, -2.0]), {"formula-or-norm": "formula"}, norm="L1")
    assert [2, -2] == items(found)


def test_an_imputer_replaces_each_nan_by_the_value_of_its_feature() -> None:
    x = floats([NAN, NAN], [1.0, NAN])
    grid = result("Imputer", x, replaced_value_float=float("nan"), imputed_value_floats=(5.0, 6.0))
    assert [5, 6, 1, 6] == items(grid)


def test_an_imputer_of_integers_refuses_a_value_that_the_type_lacks() -> None:
    x = tensor("int32", (1, 1), [0])
    with pytest.raises(InvalidCallError, match="is no int32"):
        result("Imputer", x, replaced_value_int64=0, imputed_value_int64s=(2**31,))


@pytest.mark.parametrize(("reading", "expected"), [("exact", [0, 1]), ("as-a-float", [0, 0])])
def test_a_binarizer_holds_an_integer_beside_its_threshold_exactly_or_as_a_float(
    reading: str, expected: list[int]
) -> None:
    x = tensor("int64", (2,), [2**53, 2**53 + 1])
    readings = {"integer-beside-threshold": reading}
    assert expected == items(result("Binarizer", x, readings, threshold=float(2**53)))


def test_an_extractor_selects_along_the_last_axis() -> None:
    grid = result(
        "ArrayFeatureExtractor",
        floats([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]),
        Y=tensor("int64", (1, 2), [2, 0]),
    )
    assert ((2, 2), [3, 1, 6, 4]) == (grid.shape, items(grid))


def test_a_vector_among_features_is_a_row() -> None:
    x = (tensor("float32", (2,), [1.0, 2.0]), tensor("float32", (1, 1), [3.0]))
    grid = result("FeatureVectorizer", x, inputdimensions=(2, 1))
    assert ((1, 3), [1, 2, 3]) == (grid.shape, items(grid))


def test_features_without_rows_have_their_columns() -> None:
    x = (tensor("float32", (0, 2), []), tensor("float32", (0, 1), []))
    assert (0, 3) == result("FeatureVectorizer", x, inputdimensions=(2, 1)).shape


@pytest.mark.parametrize(("reading", "expected"), [("truncated", [0, 1]), ("nearest", [1, 0])])
def test_a_fraction_is_cast_before_it_is_looked_up(reading: str, expected: list[int]) -> None:
    x = tensor("float32", (1,), [0.75])
    grid = result("OneHotEncoder", x, {"fraction-to-integer": reading}, cats_int64s=(1, 0), zeros=1)
    assert expected == items(grid)


def test_no_category_takes_nan_or_an_infinity() -> None:
    x = tensor("float32", (3,), [NAN, INF, NEG_ZERO])
    grid = result("OneHotEncoder", x, cats_int64s=(5,), zeros=1)
    assert [0, 0, 0] == items(grid)


def test_an_unknown_category_fails_where_zeros_is_false() -> None:
    with pytest.raises(InvalidCallError, match="is no category"):
        result("OneHotEncoder", tensor("int64", (1,), [3]), cats_int64s=(1,), zeros=0)
