from __future__ import annotations

import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.yaml.reading import parse_yaml
from onnx_conformance.generators.specs.model import (
    GraphAttribute,
    Literal,
    MapLiteral,
    OptionalLiteral,
    SequenceLiteral,
    TypeAttribute,
)
from onnx_conformance.generators.specs.values_reading import attribute_value, read_value

THREE = "{values: [1, 2, 3]}"


def value(text: str, *, dims: bool = True, source: tuple[str, ...] = ("data",)) -> object:
    return read_value(parse_yaml(text, "spec.yaml"), dims=dims, source=source)


def message_of(text: str) -> str:
    with pytest.raises(BadInputError) as caught:
        value(text)
    return str(caught.value).removeprefix("spec.yaml:1: ")


# --- tensors ---


def test_a_plain_list_is_dimensions_where_the_input_is_data() -> None:
    assert Literal((2, 3)) == value("[2, 3]")


def test_a_plain_list_is_elements_where_the_input_is_none() -> None:
    assert Literal((2,), (2, 3)) == value("[2, 3]", dims=False)


def test_nested_lists_show_the_shape() -> None:
    assert Literal((2, 2), (1, 2, 3, 4)) == value("[[1, 2], [3, 4]]", dims=False)


def test_a_number_alone_is_a_scalar() -> None:
    assert Literal((), (5,)) == value("5", dims=False)


def test_a_shape_may_have_a_profile_and_a_type() -> None:
    expected = Literal((2, 3), None, "int8", "exact")
    assert expected == value("{shape: [2, 3], type: int8, profile: exact}")


def test_a_shape_stands_beside_flat_elements() -> None:
    assert Literal((3, 1), (1, 2, 3)) == value("{shape: [3, 1], values: [1, 2, 3]}")


def test_a_profile_is_not_for_elements_that_are_written_out() -> None:
    expected = "a profile is for elements that are not written out"
    assert expected == message_of("{values: [1], profile: exact}")


# --- positions in an input ---


def test_what_is_taken_are_positions_in_an_input() -> None:
    assert Literal((2, 2), (0, 3, 1, 4), source="data") == value(
        "{from: data, take: [[0, 3], [1, 4]]}"
    )


def test_what_is_taken_may_have_a_shape_of_its_own() -> None:
    assert Literal((0, 4), (), source="data") == value("{from: data, take: [], shape: [0, 4]}")


@pytest.mark.parametrize("position", ["-1", "1.5", "true"])
def test_a_position_is_a_whole_number_from_0(position: str) -> None:
    shown = {"true": "True"}.get(position, position)
    expected = f"{shown} is no position in 'data', which begin with 0"
    assert expected == message_of(f"{{from: data, take: [{position}]}}")


def test_positions_are_those_of_an_input() -> None:
    expected = "unknown input 'date'; did you mean 'data'?"
    assert expected == message_of("{from: date, take: [0]}")


def test_what_is_taken_names_its_source() -> None:
    assert "key 'from' is missing" == message_of("{take: [0]}")


# --- containers ---


def test_a_sequence_holds_values() -> None:
    expected = SequenceLiteral((Literal((2,)), Literal((3,), (1, 2, 3))))
    assert expected == value(f"{{sequence: [[2], {THREE}]}}")


def test_a_sequence_may_be_empty() -> None:
    assert SequenceLiteral(()) == value("{sequence: []}")


def test_an_optional_holds_a_value_or_none() -> None:
    assert OptionalLiteral(Literal((3,), (1, 2, 3))) == value(f"{{optional: {THREE}}}")
    assert OptionalLiteral(None) == value("{optional: absent}")


def test_an_optional_may_hold_a_sequence() -> None:
    expected = OptionalLiteral(SequenceLiteral((Literal((2,)),)))
    assert expected == value("{optional: {sequence: [[2]]}}")


def test_a_map_has_keys_and_values() -> None:
    expected = MapLiteral(Literal((2,), ("a", "b")), Literal((2,), (0.5, 1.5)))
    assert expected == value("{map: {keys: [a, b], values: [0.5, 1.5]}}")


def test_a_map_without_values_is_an_error() -> None:
    assert "key 'values' is missing" == message_of("{map: {keys: [a]}}")


@pytest.mark.parametrize("kind", ["sequence: []", "optional: absent"])
def test_a_container_has_no_other_key(kind: str) -> None:
    assert message_of(f"{{{kind}, shape: [2]}}").startswith("unknown key 'shape'")


# --- attributes ---


@pytest.mark.parametrize(
    ("type_name", "text", "expected"),
    [
        ("int", "-3", -3),
        ("ints", "[]", ()),
        ("float", "2", 2.0),
        ("floats", "[0.5, .inf]", (0.5, float("inf"))),
        ("string", '""', ""),
        ("strings", '[a, "1"]', ("a", "1")),
        ("graph", '"g (x) => (y) { y = Neg (x) }"', GraphAttribute("g (x) => (y) { y = Neg (x) }")),
        ("type_proto", '"seq(float32)"', TypeAttribute("seq(float32)")),
        ("tensor", "{values: [1], type: int8}", Literal((1,), (1,), "int8")),
        ("tensor", "{values: [1]}", Literal((1,), (1,))),
    ],
)
def test_an_attribute_has_the_value_of_its_type(
    type_name: str, text: str, expected: object
) -> None:
    assert expected == attribute_value(parse_yaml(text, "spec.yaml"), type_name)


def test_an_attribute_of_a_type_that_no_spec_writes_is_an_error() -> None:
    with pytest.raises(BadInputError) as caught:
        attribute_value(parse_yaml("1", "spec.yaml"), "sparse_tensors")
    expected = "spec.yaml:1: attributes of type sparse_tensors cannot be written in a spec"
    assert expected == str(caught.value)
