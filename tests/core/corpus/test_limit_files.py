"""Limits on disk: the files beside an output, and the keys of data.json that speak of them."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from bounded_values import bounded, coded, float32
from small_corpus import small_vector

from onnx_conformance.core.corpus.metadata import from_json, to_json
from onnx_conformance.core.corpus.vector_files import (
    data_sets_of,
    limit_files,
    permitted_outputs_of,
)
from onnx_conformance.core.corpus.vectors import Permitted
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.limits import limits_for
from onnx_conformance.core.values.onnx_values import serialize_value
from onnx_conformance.core.values.tensors import Bounded, SequenceValue

if TYPE_CHECKING:
    from onnx_conformance.core.values.tensors import Value

ONE = float32(1)
IEEE = {"ieee": ([ONE - 1], [ONE + 1])}
BOTH = {**IEEE, "gpu": ([ONE - 3], [ONE + 3])}
GPU = {"gpu": ([ONE - 3], [ONE + 3])}
VECTOR = small_vector("exp-13/whole/float32", inputs=(), outputs=("y",))


def files_of(value: Value, folder: str = "test_data_set_0") -> dict[str, bytes]:
    return {
        f"{folder}/output_0.pb": serialize_value(value, "y"),
        **limit_files(folder, 0, value, "y"),
    }


def read(files: dict[str, bytes]) -> Value:
    return data_sets_of(VECTOR, files, "here")[0].outputs[0].value


@pytest.mark.parametrize("limits", [IEEE, BOTH, GPU])
def test_a_bounded_output_comes_back_with_its_limits(
    limits: dict[str, tuple[list[int], list[int]]],
) -> None:
    value = bounded("float32", [ONE], limits)
    found = read(files_of(value))
    assert isinstance(found, Bounded)
    assert (value, value.limits) == (found, found.limits)


def test_the_files_are_named_for_profile_end_and_output() -> None:
    names = limit_files("permitted_0", 2, bounded("float32", [ONE], BOTH))
    assert [
        "permitted_0/low_2.pb",
        "permitted_0/high_2.pb",
        "permitted_0/gpu_low_2.pb",
        "permitted_0/gpu_high_2.pb",
    ] == list(names)


@pytest.mark.parametrize(
    ("limits", "names"),
    [
        ({**IEEE, "gpu": IEEE["ieee"]}, ["f/low_0.pb", "f/high_0.pb"]),
        ({"ieee": ([ONE], [ONE]), **GPU}, ["f/gpu_low_0.pb", "f/gpu_high_0.pb"]),
        ({"ieee": ([ONE], [ONE]), "gpu": ([ONE], [ONE])}, []),
    ],
)
def test_limits_that_follow_from_others_have_no_files(
    limits: dict[str, tuple[list[int], list[int]]], names: list[str]
) -> None:
    value = bounded("float32", [ONE], limits)
    assert names == list(limit_files("f", 0, value))
    found = read(files_of(value))
    for profile in ("ieee", "gpu"):
        wanted = limits_for(value, profile)
        got = limits_for(found, profile) if isinstance(found, Bounded) else (found, found)
        assert wanted == got


def test_a_plain_output_has_no_limit_files_and_stays_plain() -> None:
    value = coded("float32", [ONE])
    assert ({}, type(value)) == (limit_files("f", 0, value), type(read(files_of(value))))


def test_a_sequence_has_limits_item_by_item() -> None:
    value = SequenceValue((bounded("float32", [ONE], IEEE), bounded("float32", [0], {})))
    vector = dataclasses.replace(VECTOR, extra={"value_kinds": {"y": "sequence"}})
    found = data_sets_of(vector, files_of(value), "here")[0].outputs[0].value
    assert isinstance(found, SequenceValue)
    assert [IEEE["ieee"][0], [0]] == [
        np.frombuffer(item.limits["ieee"][0].data, "u4").tolist()
        for item in found.items
        if isinstance(item, Bounded)
    ]


def test_limits_of_a_permitted_result_are_read() -> None:
    vector = small_vector(
        "exp-13/open/float32",
        "latitude",
        outputs=("y",),
        permitted=(Permitted("one", "why not", "permitted_0"),),
    )
    files = files_of(bounded("float32", [ONE], IEEE), "permitted_0")
    assert isinstance(permitted_outputs_of(vector, files, "here")["one"][0].value, Bounded)


@pytest.mark.parametrize("name", ["low", "high", "gpu_low", "gpu_high"])
def test_a_limit_without_its_other_end_is_an_error(name: str) -> None:
    files = files_of(bounded("float32", [ONE], BOTH))
    del files[f"test_data_set_0/{name}_0.pb"]
    with pytest.raises(BadInputError, match=f"here/test_data_set_0/{name}_0.pb: is missing"):
        read(files)


def test_a_limit_of_another_shape_is_an_error_that_names_the_output() -> None:
    files = files_of(bounded("float32", [ONE], IEEE))
    files["test_data_set_0/low_0.pb"] = serialize_value(coded("float32", [ONE, ONE]))
    with pytest.raises(BadInputError, match=r"here/test_data_set_0/output_0\.pb: a limit is"):
        read(files)


def test_limits_that_contradict_the_value_are_not_written() -> None:
    with pytest.raises(BadInputError, match="the ieee limits do not hold the expected value"):
        limit_files("f", 0, bounded("float32", [ONE], {"ieee": ([ONE + 1], [ONE + 2])}))


def test_the_new_keys_of_data_json_come_back_as_they_were() -> None:
    vector = small_vector(
        "exp-13/open/float32",
        "latitude",
        permitted=(Permitted("nan", "why not", "permitted_0", any=True),),
        permitted_by="element",
        accuracy={"rule": "3 ulp", "ulps": 3},
    )
    assert vector == from_json(json.loads(json.dumps(to_json(vector))), "data.json")


def test_what_has_its_usual_value_is_not_written() -> None:
    vector = small_vector(
        "exp-13/open/float32", "latitude", permitted=(Permitted("one", "why not", "permitted_0"),)
    )
    document = to_json(vector)
    assert {"taken", "reason", "folder"} == set(document["permitted"][0])
    assert {"permitted_by", "accuracy"}.isdisjoint(document)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("permitted_by", "row", "permitted_by is 'row'; it is 'result' or 'element'"),
        ("accuracy", "3 ulp", "accuracy must be an object with the key 'rule'"),
        ("accuracy", {"ulps": 3}, "accuracy must be an object with the key 'rule'"),
    ],
)
def test_a_value_that_a_new_key_cannot_have_is_an_error(
    key: str, value: object, message: str
) -> None:
    with pytest.raises(BadInputError, match=f"data.json: {message}"):
        from_json({**to_json(VECTOR), key: value}, "data.json")
