"""Vectors that compare some elements: read, written, judged, and refused where they ask nothing."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from small_corpus import small_vector

from onnx_conformance.core.corpus.metadata import from_json, to_json
from onnx_conformance.core.corpus.vector_files import data_sets_of
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.choosing import Choice, compare_choices
from onnx_conformance.core.values.comparing import compare
from onnx_conformance.core.values.limits import IEEE, ONNX
from onnx_conformance.core.values.onnx_values import serialize_value
from onnx_conformance.core.values.sampling import elements_at, sampled
from onnx_conformance.core.values.tensors import Bounded, Tensor
from onnx_conformance.core.values.tolerance import EXACT, LIMITS_KIND, Tolerance
from onnx_conformance.validator.judging.tolerance_rules import rule_for

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.vectors import Vector


def floats(*numbers: float, shape: tuple[int, ...] = (2, 3)) -> Tensor:
    return Tensor("float32", shape, np.array(numbers, "<f4").tobytes())


def some(**places: object) -> Vector:
    return small_vector("relu-14/some/float32", inputs=(), outputs=("y",), compared=places)


def document_of(vector: Vector) -> dict[str, Any]:
    """As a file has it."""
    found: dict[str, Any] = json.loads(json.dumps(to_json(vector)))
    return found


DUE = sampled(floats(0, 7, 0, 0, 0, 9), (1, 5))


def test_elements_that_are_not_compared_may_be_anything() -> None:
    found = compare(DUE, floats(1, 7, float("nan"), 3, 4, 9))
    assert found.difference is None
    assert ("2 of 6 elements were compared",) == found.notes


def test_a_wrong_element_among_those_that_are_compared_has_its_place_in_the_whole() -> None:
    difference = compare(DUE, floats(0, 7, 0, 0, 0, 8)).difference
    assert difference is not None
    assert ("[1, 2]", "9.0", "8.0") == (difference.place, difference.expected, difference.got)
    facts = difference.facts
    assert (1, 2, 6) == (facts["differing"], facts["compared"], facts["elements"])


def test_type_and_shape_are_compared_whole() -> None:
    flat = compare(DUE, floats(0, 7, 0, 0, 0, 9, shape=(6,))).difference
    whole = compare(DUE, Tensor("int32", (2, 3), bytes(24))).difference
    assert flat is not None
    assert whole is not None
    assert ("shape", "type") == (flat.aspect, whole.aspect)


def test_limits_hold_at_the_elements_that_are_compared() -> None:
    low, high = floats(0, 6, 0, 0, 0, 9), floats(0, 8, 0, 0, 0, 9)
    value = Bounded("float32", (2, 3), DUE.data, {IEEE: (low, high)})
    due, rule = sampled(value, (1, 5)), Tolerance(LIMITS_KIND, profile=IEEE)
    assert compare(due, floats(5, 6.5, 5, 5, 5, 9), rule).difference is None
    assert compare(due, floats(5, 5.5, 5, 5, 5, 9), rule).difference is not None


def test_each_compared_element_may_be_that_of_another_permitted_result() -> None:
    choices = [Choice(DUE), Choice(sampled(floats(0, 1, 0, 0, 0, 2), (1, 5)))]
    assert compare_choices(choices, floats(5, 7, 5, 5, 5, 2), EXACT).difference is None
    found = compare_choices(choices, floats(5, 7, 5, 5, 5, 3), EXACT).difference
    assert found is not None
    assert "[1, 2]" == found.place


@pytest.mark.parametrize("kind", ["uint4", "int2", "float6e2m3"])
def test_packed_elements_are_taken_one_by_one(kind: str) -> None:
    data = bytes([0b10010110, 0b00111001, 0b11000101])
    bits = {"uint4": 4, "int2": 2, "float6e2m3": 6}[kind]
    whole = int.from_bytes(data, "little")
    taken = elements_at(Tensor(kind, (24 // bits,), data), (1, 3))
    mask = (1 << bits) - 1
    due = (whole >> bits & mask) | (whole >> 3 * bits & mask) << bits
    assert due.to_bytes(-(-2 * bits // 8), "little") == taken.data


def test_strings_are_taken_one_by_one() -> None:
    taken = elements_at(Tensor("string", (3,), (b"a", b"b", b"c")), (0, 2))
    assert (b"a", b"c") == taken.data


def test_what_is_compared_survives_data_json() -> None:
    vector = some(y=(1, 5))
    assert vector == from_json(document_of(vector), "here")
    assert {"y": [1, 5]} == to_json(vector)["compared"]


def test_a_vector_that_compares_all_says_nothing_of_it() -> None:
    assert "compared" not in to_json(some())


@pytest.mark.parametrize("places", [[], [3, 3], [5, 1], [-1], [True], ["1"], 7, None])
def test_positions_that_are_none_are_refused(places: object) -> None:
    document: dict[str, Any] = {**document_of(some()), "compared": {"y": places}}
    with pytest.raises(BadInputError, match="one position or more"):
        from_json(document, "here")


def test_positions_of_an_output_that_is_not_there_are_refused() -> None:
    document = {**document_of(some()), "compared": {"z": [1]}}
    with pytest.raises(BadInputError, match="which it does not have"):
        from_json(document, "here")


def test_an_output_with_laws_is_not_compared_in_part() -> None:
    laws = {"y": [{"law": "range", "low": 0, "high": 1}]}
    document = {**document_of(some()), "laws": laws, "compared": {"y": [1]}}
    with pytest.raises(BadInputError, match="has laws"):
        from_json(document, "here")


def test_a_position_behind_the_end_is_refused() -> None:
    files = {"test_data_set_0/output_0.pb": serialize_value(floats(0, 7, 0, 0, 0, 9), "y")}
    with pytest.raises(BadInputError, match="compares its element 6"):
        data_sets_of(some(y=(6,)), files, "here")


@pytest.mark.parametrize("profile", [IEEE, ONNX])
def test_the_pair_for_plain_runners_forgives_nothing(profile: str) -> None:
    exact = dataclasses.replace(some(y=(1, 5)), rtol=0.0, atol=1e30)
    limited = dataclasses.replace(exact, accuracy={"rule": "sum"})
    wrong = floats(0, 7, 0, 0, 0, 8)
    for vector in (exact, limited):
        assert compare(DUE, wrong, rule_for(vector, profile=profile)).difference is not None
    bounded = sampled(Bounded("float32", (2, 3), DUE.data, {IEEE: (DUE, DUE)}), (1, 5))
    assert compare(bounded, wrong, rule_for(limited, profile=profile)).difference is not None
