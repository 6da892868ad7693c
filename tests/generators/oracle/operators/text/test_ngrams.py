"""The oracle of TfIdfVectorizer: skips, lengths, coordinates, weights, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute

UNIGRAMS: dict[str, Any] = {
    "mode": "TF",
    "min_gram_length": 1,
    "max_gram_length": 1,
    "max_skip_count": 0,
    "ngram_counts": (0,),
    "ngram_indexes": (0, 1),
    "pool_int64s": (5, 6),
}
BIGRAMS = {**UNIGRAMS, "min_gram_length": 2, "max_gram_length": 2, "ngram_counts": (0, 0)}


def _result(x: Tensor, base: dict[str, Any], **changes: object) -> Grid:
    attributes = {key: item for key, item in {**base, **changes}.items() if item is not None}
    (result,) = compute(Call(9, attributes, {"X": x}, "TfIdfVectorizer"))
    assert isinstance(result, Grid)
    return result


def _of(items: list[int], base: dict[str, Any] = UNIGRAMS, **changes: object) -> list[object]:
    return list(_result(tensor_of(Grid("int64", (len(items),), items)), base, **changes).items)


def test_n_grams_are_counted_at_their_coordinates() -> None:
    assert [1, 0, 0, 2] == _of([5, 6, 5, 7], ngram_indexes=(3, 0))


def test_n_grams_of_each_number_of_skips_are_counted() -> None:
    pool = (5, 6, 5, 7)
    assert [1, 0] == _of([5, 6, 7], BIGRAMS, pool_int64s=pool)
    assert [1, 1] == _of([5, 6, 7], BIGRAMS, pool_int64s=pool, max_skip_count=1)


def test_single_elements_are_counted_once_whatever_the_skips() -> None:
    assert [2, 1] == _of([5, 6, 5], max_skip_count=3)


def test_n_grams_do_not_reach_into_the_next_row() -> None:
    x = tensor_of(Grid("int64", (2, 2), [1, 5, 6, 1]))
    result = _result(x, BIGRAMS, pool_int64s=(5, 6), ngram_indexes=(0,))
    assert ((2, 1), [0, 0]) == (result.shape, list(result.items))


def test_a_weight_is_that_of_the_n_gram() -> None:
    assert [3, 4] == _of([5, 6, 5], mode="TFIDF", weights=(2.0, 3.0), ngram_indexes=(1, 0))


def test_idf_truncates_counts() -> None:
    half = Fraction(1, 2)
    assert [2, half] == _of([5, 6, 5], mode="IDF", weights=(2.0, 0.5))


def test_weights_default_to_one() -> None:
    assert [2, 1] == _of([5, 6, 5], mode="TFIDF")


def test_strings_are_compared_by_their_bytes() -> None:
    x = Tensor("string", (3,), ("é".encode(), b"e\xcc\x81", b"E"))
    result = _result(x, UNIGRAMS, pool_int64s=None, pool_strings=("é", "e"))
    assert [1, 0] == list(result.items)


@pytest.mark.parametrize(
    "changes",
    [
        {"pool_strings": ("a", "b")},
        {"pool_int64s": None},
        {"pool_int64s": None, "pool_strings": ("a", "b")},
        {"mode": "tf"},
        {"ngram_indexes": (0, -1)},
        {"weights": (1.0,)},
        {"ngram_counts": (3,)},
        {"ngram_counts": (0, 1), "pool_int64s": (5, 6)},
    ],
)
def test_attributes_that_contradict_each_other_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(InvalidCallError):
        _of([5], **changes)


def test_what_stands_at_a_shared_coordinate_is_open() -> None:
    with pytest.raises(OpenError, match="shared-coordinate"):
        _of([5], ngram_indexes=(0, 0))


def test_strings_beside_a_pool_of_integers_are_open() -> None:
    x = Tensor("string", (2,), (b"5", b"x"))
    with pytest.raises(OpenError, match="strings-for-integers"):
        _result(x, UNIGRAMS)
    call = Call(
        9,
        UNIGRAMS,
        {"X": x},
        "TfIdfVectorizer",
        readings={"strings-for-integers": "none-found"},
    )
    (result,) = compute(call)
    assert isinstance(result, Grid)
    assert [0, 0] == list(result.items)


def test_a_coordinate_too_many_or_too_few_is_refused() -> None:
    with pytest.raises(InvalidCallError, match="for 2 n-grams"):
        _of([5], ngram_indexes=(0,))
    with pytest.raises(InvalidCallError, match="for 2 n-grams"):
        _of([5], ngram_indexes=(0, 1, 2))
