from __future__ import annotations

import onnx
import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.generators.situations.type_texts import (
    elements_of,
    in_ids,
    inner_type,
    is_tensor,
    map_types,
    type_proto,
)

SAMPLES = {
    "float32": ("float32",),
    "seq(int8)": ("int8",),
    "optional(seq(string))": ("string",),
    "map(int64,string)": ("int64", "string"),
    "seq(map(string,float32))": ("string", "float32"),
}


@pytest.mark.parametrize("text", SAMPLES)
def test_a_type_is_made_of_element_types(text: str) -> None:
    assert SAMPLES[text] == elements_of(text)


@pytest.mark.parametrize("text", SAMPLES)
def test_a_tensor_is_an_element_type_alone(text: str) -> None:
    assert ("float32" == text) == is_tensor(text)


@pytest.mark.parametrize("text", SAMPLES)
def test_a_type_in_an_id_has_no_mark_that_ids_lack(text: str) -> None:
    assert in_ids(text).replace("_", "").isalnum()


def test_types_in_ids_differ() -> None:
    assert len(SAMPLES) == len({in_ids(text) for text in SAMPLES})


def test_what_is_inside_a_container_comes_out() -> None:
    assert "seq(int8)" == inner_type("optional(seq(int8))", "optional")
    assert ("int64", "seq(float32)") == map_types("map(int64, seq(float32))")


def test_another_container_is_an_error() -> None:
    with pytest.raises(BadInputError) as caught:
        inner_type("float32", "seq")
    assert "a value is written as a sequence, its type is float32" == str(caught.value)


@pytest.mark.parametrize("text", SAMPLES)
def test_onnx_reads_the_proto_of_a_type(text: str) -> None:
    proto = type_proto(text)
    wanted = {"seq": "sequence_type", "optional": "optional_type", "map": "map_type"}
    expected = wanted.get(text.partition("(")[0], "tensor_type") if "(" in text else "tensor_type"
    assert expected == proto.WhichOneof("value")


def test_a_tensor_has_its_shape() -> None:
    dims = type_proto("int8", [2, "n", None]).tensor_type.shape.dim
    assert [2, "n", ""] == [item.dim_value or item.dim_param for item in dims]
    assert onnx.TensorProto.INT8 == type_proto("int8").tensor_type.elem_type


def test_an_unknown_type_is_an_error() -> None:
    with pytest.raises(BadInputError) as caught:
        type_proto("list(float32)")
    assert "unknown type 'list(float32)'" == str(caught.value)
