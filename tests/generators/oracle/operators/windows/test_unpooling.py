"""MaxUnpool and Col2Im."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import Complex
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.registry import Call, answers, compute

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.values.tensors import Tensor


def _tensor(items: Sequence[object], *shape: int, name: str = "int64") -> Tensor:
    assert math.prod(shape) == len(items)
    return tensor_of(Grid(name, shape, tuple(items)))


def _unpool(
    x: Sequence[int], at: Sequence[int], shape: Sequence[int] = (), **attributes: tuple[int, ...]
) -> Call:
    floats = tensor_of(Grid("float32", (1, 1, len(x)), tuple(map(_fraction, x))))
    inputs = {"X": floats, "I": _tensor(at, 1, 1, len(at))}
    if shape:
        inputs["output_shape"] = _tensor(shape, len(shape))
    return Call(22, {"kernel_shape": (2,), "strides": (2,), **attributes}, inputs, "MaxUnpool")


def _fraction(item: int) -> object:
    from fractions import Fraction

    return Fraction(item)


def _items(call: Call) -> list[object]:
    (result,) = compute(call)
    assert isinstance(result, Grid)
    return list(result.items)


def test_elements_stand_where_their_index_says() -> None:
    assert [0, 7, 5, 0] == _items(_unpool([5, 7], [2, 1]))


def test_pads_make_the_output_shorter() -> None:
    assert [5, 0, 7] == _items(_unpool([5, 7], [0, 2], pads=(1, 0)))


def test_pads_are_ignored_beside_output_shape() -> None:
    assert [5, 0, 0, 7] == _items(_unpool([5, 7], [0, 3], (1, 1, 4), pads=(1, 0)))


def test_a_longer_shape_counts_in_one_of_two_ways() -> None:
    floats = tensor_of(Grid("float32", (1, 1, 1, 1), (_fraction(5),)))
    inputs = {"X": floats, "I": _tensor([2], 1, 1, 1, 1), "output_shape": _tensor([1, 1, 2, 3], 4)}
    call = Call(22, {"kernel_shape": (2, 2), "strides": (2, 2)}, inputs, "MaxUnpool")
    found = [list(item.result[0].items) for item in answers(call) if item.result]  # type: ignore[union-attr]
    assert [[0, 0, 0, 5, 0, 0], [0, 0, 5, 0, 0, 0]] == found


def test_two_elements_for_one_place_leave_it_open() -> None:
    readings = {"index-given-twice": "one-of-them"}
    call = _unpool([5, 7], [1, 1])
    (result,) = compute(Call(22, call.attributes, call.inputs, "MaxUnpool", readings=readings))
    assert isinstance(result, Grid)
    assert AnyOf((_fraction(5), _fraction(7))) == result.items[1]  # type: ignore[arg-type]


@pytest.mark.parametrize("at", [[0, 4], [-1, 0], [0, 1 << 32]])
def test_an_index_outside_is_refused(at: list[int]) -> None:
    with pytest.raises(InvalidCallError, match="index"):
        compute(_unpool([5, 7], at))


@pytest.mark.parametrize("shape", [(1, 4), (2, 1, 4), (1, 1, -4)])
def test_an_output_shape_that_does_not_fit_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(InvalidCallError):
        compute(_unpool([5, 7], [0, 1], shape))


def _fold(
    items: Sequence[int],
    rows: int,
    image: Sequence[int],
    block: Sequence[int],
    **more: tuple[int, ...],
) -> Call:
    inputs = {
        "input": _tensor(items, 1, rows, len(items) // rows),
        "image_shape": _tensor(image, len(image)),
        "block_shape": _tensor(block, len(block)),
    }
    return Call(18, more, inputs, "Col2Im")


def test_blocks_that_overlap_are_added_up() -> None:
    assert [1, 12, 20] == _items(_fold([1, 2, 10, 20], 2, [1, 3], [1, 2]))


def test_the_elements_of_a_channel_stand_together_in_a_column() -> None:
    call = _fold([1, 3, 2, 4, 5, 7, 6, 8], 4, [1, 4], [1, 2], strides=(1, 2))
    assert [1, 2, 3, 4, 5, 6, 7, 8] == _items(call)


def test_what_falls_on_padding_is_lost_and_dilated_taps_stand_apart() -> None:
    call = _fold([1, 2, 3, 10, 20, 30], 2, [1, 3], [1, 2], dilations=(1, 2), pads=(0, 1, 0, 1))
    assert [2, 10 + 3, 20] == _items(call)


@pytest.mark.parametrize(
    ("rows", "image", "block"),
    [(2, [1, 4], [1, 2]), (4, [1, 3], [1, 3]), (2, [1, 3], [2]), (2, [1, -3], [1, 2])],
)
def test_columns_that_do_not_fit_are_refused(rows: int, image: list[int], block: list[int]) -> None:
    with pytest.raises(InvalidCallError):
        compute(_fold([1, 2, 10, 20], rows, image, block))


def test_strings_that_overlap_have_no_sum() -> None:
    columns = _tensor([b"a", b"b", b"c", b"d"], 1, 2, 2, name="string")
    inputs = {
        "input": columns,
        "image_shape": _tensor([1, 3], 2),
        "block_shape": _tensor([1, 2], 2),
    }
    found = list(answers(Call(18, {}, inputs, "Col2Im")))
    assert [True, False] == [item.result is not None for item in found]


@pytest.mark.parametrize(
    ("name", "items", "empty"), [("bool", [True, True], False), ("string", [b"a", b"b"], b"")]
)
def test_a_place_that_no_block_covers_is_false_or_an_empty_string(
    name: str, items: list[object], empty: object
) -> None:
    inputs = {
        "input": _tensor(items, 1, 1, 2, name=name),
        "image_shape": _tensor([1, 3], 2),
        "block_shape": _tensor([1, 1], 2),
    }
    readings = {"sum-of-no-numbers": "any-of-them"}
    (result,) = compute(Call(18, {"strides": (1, 2)}, inputs, "Col2Im", readings=readings))
    assert isinstance(result, Grid)
    assert _tensor([items[0], empty, items[1]], 1, 1, 1, 3, name=name) == tensor_of(result)


def test_complex_numbers_are_added_in_any_common_order() -> None:
    large, zero = _fraction(1 << 60), _fraction(0)
    items = [Complex(zero, zero)] * 9
    items[6], items[4], items[2] = (Complex(part, zero) for part in (large, _fraction(1), -large))
    inputs = {
        "input": _tensor(items, 1, 3, 3, name="complex64"),
        "image_shape": _tensor([1, 1], 2),
        "block_shape": _tensor([1, 3], 2),
    }
    (result,) = compute(Call(18, {"pads": (0, 2, 0, 2)}, inputs, "Col2Im"))
    assert isinstance(result, Grid)
    # Exactly 1, and 0 where 2**60 + 1 is rounded.
    assert {_fraction(1), zero} == {item.re for item in result.items[0].numbers}
