"""Index maps: where the elements of a tensor are taken from."""

from __future__ import annotations

from strength.arranging.moves import moved, moves

from onnx_conformance.core.values.tensors import OptionalValue, SequenceValue, Tensor
from onnx_conformance.generators.oracle.arith.grid import Grid

MOVES = {item.words: item for item in moves()}


def int8(*shape: int) -> Tensor:
    count = 1
    for size in shape:
        count *= size
    return Tensor("int8", shape, bytes(range(count)))


def data_of(tensor: Tensor, words: str) -> list[int]:
    found = moved(tensor, MOVES[words]).data
    assert isinstance(found, bytes)
    return list(found)


def test_an_axis_is_reversed_within_the_others() -> None:
    assert [2, 1, 0, 5, 4, 3] == data_of(int8(2, 3), "axis 1 reversed")


def test_the_first_axis_is_rolled_in_whole_rows() -> None:
    assert [2, 3, 4, 5, 0, 1] == data_of(int8(3, 2), "axis 0 rolled by one")


def test_two_neighbours_are_exchanged() -> None:
    assert [0, 1, 3, 2] == data_of(int8(4), "axis 0 with its last two exchanged")


def test_an_axis_of_four_is_read_as_two_axes_the_other_way_round() -> None:
    assert [0, 2, 1, 3] == data_of(int8(4), "axis 0 repeated where it is tiled")


def test_an_axis_of_six_is_read_as_three_by_two() -> None:
    assert [0, 2, 4, 1, 3, 5] == data_of(int8(6), "axis 0 repeated where it is tiled")


def test_the_last_index_is_never_read() -> None:
    assert [0, 1, 1] == data_of(int8(3), "axis 0 whose last is never read")


def test_axes_of_equal_size_are_exchanged() -> None:
    words = "axes 0 and 1 exchanged where they are equal"
    assert [0, 2, 1, 3] == data_of(int8(2, 2), words)


def test_axes_of_other_sizes_stay() -> None:
    tensor = int8(2, 3)
    assert moved(tensor, MOVES["axes 0 and 1 exchanged where they are equal"]) is tensor


def test_the_last_axis_is_named_where_it_has_no_number() -> None:
    short, long = int8(1, 1, 1, 2), int8(1, 1, 1, 1, 2)
    move = MOVES["the last axis reversed"]
    assert (moved(short, move) is short, moved(long, move).data) == (True, b"\1\0")


def test_a_value_that_no_move_concerns_is_the_very_same() -> None:
    tensor = int8(1, 3)
    assert all(moved(tensor, move) is tensor for words, move in MOVES.items() if "axis 0" in words)


def test_empty_tensors_stay() -> None:
    tensor = int8(0, 3)
    assert all(moved(tensor, move) is tensor for move in MOVES.values())


def test_strings_move() -> None:
    tensor = Tensor("string", (2,), (b"a", b"b"))
    assert (b"b", b"a") == moved(tensor, MOVES["axis 0 reversed"]).data


def test_elements_of_less_than_a_byte_move() -> None:
    tensor = Tensor("uint4", (3,), bytes([0x21, 0x03]))
    assert bytes([0x23, 0x01]) == moved(tensor, MOVES["axis 0 reversed"]).data


def test_what_is_inside_of_sequences_and_optionals_moves() -> None:
    move = MOVES["axis 0 reversed"]
    value = OptionalValue(SequenceValue((int8(2),)))
    expected = OptionalValue(SequenceValue((Tensor("int8", (2,), b"\1\0"),)))
    assert expected == moved(value, move)


def test_a_grid_keeps_its_exact_elements() -> None:
    grid = Grid("float32", (2,), ["one", "other"])
    assert ["other", "one"] == moved(grid, MOVES["axis 0 reversed"]).items
