"""Values to ONNX's messages and back, and what ONNX itself makes of them."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import ELEMENT_TYPES
from onnx_conformance.core.values.onnx_values import (
    MAP,
    OPTIONAL,
    SEQUENCE,
    TENSOR,
    kind_of,
    parse_value,
    serialize_value,
    type_text,
)
from onnx_conformance.core.values.protos import from_proto
from onnx_conformance.core.values.tensors import (
    MapValue,
    OptionalValue,
    SequenceValue,
    Tensor,
    Value,
)

FLOATS = Tensor("float32", (2,), np.array([1.5, -0.0], "f4").tobytes())
INTS = Tensor("int64", (2,), np.array([-1, 2**62], "i8").tobytes())
NAMES = Tensor("string", (2,), (b"a\0", b"\xff"))


def kind_for(value: Value) -> str:
    if isinstance(value, Tensor):
        return TENSOR
    if isinstance(value, SequenceValue):
        return SEQUENCE
    return OPTIONAL if isinstance(value, OptionalValue) else MAP


@pytest.mark.parametrize(
    "value",
    [
        FLOATS,
        NAMES,
        SequenceValue(()),
        SequenceValue((FLOATS, FLOATS)),
        SequenceValue((SequenceValue((INTS,)), SequenceValue(()))),
        SequenceValue((OptionalValue(None), OptionalValue(INTS))),
        OptionalValue(None),
        OptionalValue(FLOATS),
        OptionalValue(SequenceValue((NAMES,))),
        OptionalValue(OptionalValue(INTS)),
        OptionalValue(MapValue(NAMES, (FLOATS, FLOATS))),
        MapValue(INTS, (FLOATS, FLOATS)),
        MapValue(NAMES, (SequenceValue(()), SequenceValue((FLOATS,)))),
        SequenceValue((MapValue(INTS, (FLOATS, INTS)),)),
    ],
    ids=str,
)
def test_a_value_survives_its_file(value: Value) -> None:
    assert value == parse_value(kind_for(value), serialize_value(value, "x"))


@pytest.mark.parametrize("name", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "uint64"])
def test_keys_of_every_integer_type_survive(name: str) -> None:
    keys = Tensor(name, (2,), np.array([0, np.iinfo(name).max // 2], name).tobytes())
    value = MapValue(keys, (FLOATS, FLOATS))
    assert value == parse_value(MAP, serialize_value(value))


def test_onnx_reads_our_sequences() -> None:
    proto = onnx.SequenceProto.FromString(serialize_value(SequenceValue((FLOATS,)), "x"))
    np.testing.assert_array_equal(np.array([1.5, -0.0], np.float32), numpy_helper.to_list(proto)[0])


def test_onnx_reads_our_optionals() -> None:
    absent = onnx.OptionalProto.FromString(serialize_value(OptionalValue(None), "x"))
    present = onnx.OptionalProto.FromString(serialize_value(OptionalValue(INTS), "x"))
    assert numpy_helper.to_optional(absent) is None
    assert [-1, 2**62] == numpy_helper.to_optional(present).tolist()


def test_onnx_reads_our_maps() -> None:
    proto = onnx.MapProto.FromString(serialize_value(MapValue(INTS, (FLOATS, FLOATS)), "x"))
    assert [-1, 2**62] == list(numpy_helper.to_dict(proto))


def test_we_read_onnx_optionals() -> None:
    proto = numpy_helper.from_optional([np.array([1, 2], np.int64)])
    expected = OptionalValue(
        SequenceValue((Tensor("int64", (2,), np.array([1, 2], "i8").tobytes()),))
    )
    assert expected == parse_value(OPTIONAL, proto.SerializeToString())


def test_an_optional_of_a_kind_without_a_value_is_absent() -> None:
    proto = numpy_helper.from_optional(None, dtype=onnx.OptionalProto.TENSOR)
    assert OptionalValue(None) == parse_value(OPTIONAL, proto.SerializeToString())


def test_we_read_onnx_maps() -> None:
    proto = numpy_helper.from_dict({5: np.array(1.0, np.float32)})
    value = parse_value(MAP, proto.SerializeToString())
    assert isinstance(value, MapValue)
    assert np.array([5], "i8").tobytes() == value.keys.data


def test_a_sequence_of_different_kinds_cannot_be_written() -> None:
    with pytest.raises(BadInputError, match="items of different kinds"):
        serialize_value(SequenceValue((FLOATS, SequenceValue(()))), "x")


def test_a_file_that_is_no_message_is_refused() -> None:
    with pytest.raises(BadInputError, match="not a readable sequence"):
        parse_value(SEQUENCE, b"\xff\xff\xff")


def test_a_sequence_that_does_not_say_of_what_is_refused() -> None:
    with pytest.raises(BadInputError, match="element kind 0"):
        parse_value(SEQUENCE, b"")


def test_a_sequence_of_sparse_tensors_is_refused() -> None:
    proto = onnx.SequenceProto(elem_type=onnx.SequenceProto.SPARSE_TENSOR)
    with pytest.raises(BadInputError, match="element kind 2"):
        parse_value(SEQUENCE, proto.SerializeToString())


def test_a_map_with_fewer_values_than_keys_is_refused() -> None:
    proto = onnx.MapProto(key_type=TensorProto.INT64, keys=[1, 2])
    proto.values.elem_type = onnx.SequenceProto.TENSOR
    with pytest.raises(BadInputError, match="2 keys and 0 values"):
        parse_value(MAP, proto.SerializeToString())


def test_a_key_that_does_not_fit_its_type_is_refused() -> None:
    proto = onnx.MapProto(key_type=TensorProto.INT8, keys=[128])
    proto.values.elem_type = onnx.SequenceProto.TENSOR
    with pytest.raises(BadInputError, match="no int8"):
        parse_value(MAP, proto.SerializeToString())


def test_a_map_with_keys_of_floats_is_refused() -> None:
    proto = onnx.MapProto(key_type=TensorProto.FLOAT)
    proto.values.elem_type = onnx.SequenceProto.TENSOR
    with pytest.raises(BadInputError, match="keys of type float32"):
        parse_value(MAP, proto.SerializeToString())


@pytest.mark.parametrize(
    ("declared", "text", "kind"),
    [
        (helper.make_tensor_type_proto(TensorProto.FLOAT, [1]), "float32", TENSOR),
        (
            helper.make_sequence_type_proto(helper.make_tensor_type_proto(TensorProto.INT4, None)),
            "seq(int4)",
            SEQUENCE,
        ),
        (
            helper.make_optional_type_proto(helper.make_tensor_type_proto(TensorProto.BOOL, [])),
            "optional(bool)",
            OPTIONAL,
        ),
        (
            helper.make_map_type_proto(
                TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.DOUBLE, [])
            ),
            "map(string,float64)",
            MAP,
        ),
    ],
)
def test_the_declared_type_says_what_a_file_holds(
    declared: onnx.TypeProto, text: str, kind: str
) -> None:
    assert (text, kind) == (type_text(declared), kind_of(declared))


def test_a_sparse_tensor_has_no_file_format() -> None:
    declared = helper.make_sparse_tensor_type_proto(TensorProto.FLOAT, [1])
    with pytest.raises(BadInputError, match="values of sparse_tensor_type cannot be read"):
        kind_of(declared)


# --- the typed fields of old files ---------------------------------------------------------


def typed(code: int, values: list[float] | list[int], shape: list[int]) -> Tensor:
    return from_proto(helper.make_tensor("x", code, shape, values))


NUMPY_TYPES = {
    TensorProto.FLOAT: "float32",
    TensorProto.DOUBLE: "float64",
    TensorProto.FLOAT16: "float16",
    TensorProto.INT8: "int8",
    TensorProto.INT16: "int16",
    TensorProto.INT32: "int32",
    TensorProto.INT64: "int64",
    TensorProto.UINT8: "uint8",
    TensorProto.UINT16: "uint16",
    TensorProto.UINT32: "uint32",
    TensorProto.UINT64: "uint64",
    TensorProto.BOOL: "bool",
}


@pytest.mark.parametrize("code", NUMPY_TYPES)
def test_elements_in_typed_fields_are_read_as_numpy_has_them(code: int) -> None:
    name = NUMPY_TYPES[code]
    values = [0, 1, 1] if name == "bool" else [0, 1, 100]
    assert Tensor(name, (3,), np.array(values, name).tobytes()) == typed(code, values, [3])


@pytest.mark.parametrize("code", [TensorProto.INT8, TensorProto.INT16, TensorProto.INT32])
def test_negative_elements_keep_their_bits(code: int) -> None:
    name = NUMPY_TYPES[code]
    assert np.array([-1, -100], name).tobytes() == typed(code, [-1, -100], [2]).data


def test_complex_elements_are_pairs() -> None:
    expected = np.array([1 + 2j, -3j], "complex64").tobytes()
    assert expected == typed(TensorProto.COMPLEX64, [1 + 2j, -3j], [2]).data


@pytest.mark.parametrize(
    ("code", "values", "expected"),
    [
        (TensorProto.BFLOAT16, [1.0, -2.0], "803f00c0"),
        (TensorProto.FLOAT8E4M3FN, [1.0, -2.0], "38c0"),
        (TensorProto.FLOAT8E5M2FNUZ, [1.0, -2.0], "40c4"),
        (TensorProto.INT4, [1, -2, 7], "e107"),
        (TensorProto.UINT4, [1, 15, 7], "f107"),
        (TensorProto.FLOAT4E2M1, [0.5, 6.0, -1.0], "710a"),
    ],
)
def test_small_elements_are_read_from_int32_data(
    code: int, values: list[float], expected: str
) -> None:
    tensor = typed(code, values, [len(values)])
    assert isinstance(tensor.data, bytes)
    assert expected == tensor.data.hex()


def test_a_value_beyond_its_type_is_refused() -> None:
    proto = TensorProto(data_type=TensorProto.UINT32, dims=[1], uint64_data=[2**32])
    with pytest.raises(BadInputError, match="cannot be read"):
        from_proto(proto)


def test_external_data_without_a_folder_is_refused() -> None:
    proto = TensorProto(
        data_type=TensorProto.FLOAT, dims=[1], data_location=TensorProto.EXTERNAL, name="w"
    )
    with pytest.raises(BadInputError, match="'w' keeps its data in another file"):
        from_proto(proto)


@st.composite
def numbers(draw: st.DrawFn) -> Tensor:
    element = draw(st.sampled_from([item for item in ELEMENT_TYPES if item.kind != "string"]))
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=2)))
    size = element.byte_count(int(np.prod(shape)))
    return Tensor(element.name, shape, draw(st.binary(min_size=size, max_size=size)))


@given(st.lists(numbers(), max_size=3))
def test_every_sequence_of_tensors_survives(items: list[Tensor]) -> None:
    value = SequenceValue(tuple(items))
    assert value == parse_value(SEQUENCE, serialize_value(value))
