"""DeformConv, CausalConvWithState and Det."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.arith.grid import AnyOf, Enclosed, Grid, tensor_of, value_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF, ZERO
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError
from onnx_conformance.generators.oracle.registry import Call, answers, compute

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.values.tensors import Tensor


def _tensor(items: Sequence[object], *shape: int) -> Tensor:
    assert math.prod(shape) == len(items)
    numbers = [Fraction(item) if isinstance(item, (int, float)) else item for item in items]
    return tensor_of(Grid("float32", shape, tuple(numbers)))


def _values(call: Call, output: int = 0) -> list[object]:
    result = compute(call)[output]
    assert isinstance(result, Grid)
    return [value_of(item) for item in result.items]


ROW = _tensor([1, 2, 4], 1, 1, 1, 3)


def _deformed(offset: Sequence[float], **more: Tensor) -> Call:
    """A kernel of one tap over a row of three elements, moved by the offsets."""
    inputs = {"X": ROW, "W": _tensor([1], 1, 1, 1, 1), "offset": _tensor(offset, 1, 2, 1, 3)}
    return Call(22, {}, {**inputs, **more}, "DeformConv")


def test_offsets_of_the_first_axis_stand_before_those_of_the_second() -> None:
    assert [0, 2, 4] == _values(_deformed([1, 0, 0, 0, 0, 0]))
    assert [2, 1, 0] == _values(_deformed([0, 0, 0, 1, -1, 1]))


def test_between_elements_x_is_interpolated() -> None:
    assert [1.5, 2.5, 3] == _values(_deformed([0, 0, 0, 0.5, 0.25, -0.5]))


def test_at_whole_places_nothing_is_rounded() -> None:
    def widths(offset: Sequence[float]) -> list[bool]:
        (result,) = compute(_deformed(offset))
        assert isinstance(result, Grid)
        return [isinstance(item, Enclosed) and item.low != item.high for item in result.items]

    assert [False, False, False] == widths([0, 0, 0, 0, 1, 0])
    assert [True, False, False] == widths([0, 0, 0, 0.3, 0, 0])


def test_beside_the_last_element_there_are_two_readings() -> None:
    found = [item.result for item in answers(_deformed([0, 0, 0, 0, 0, 0.5]))]
    assert [2, 0] == [value_of(result[0].items[2]) for result in found]  # type: ignore[index, union-attr]


def test_an_element_at_a_distance_of_one_has_no_weight_and_may_be_nan() -> None:
    row = _tensor([1, 2, NAN], 1, 1, 1, 3)
    found = [item.result for item in answers(_deformed([0, 0, 0, 4, 2, 1], X=row))]
    assert {ZERO, NAN} == {value_of(result[0].items[2]) for result in found}  # type: ignore[index, union-attr]
    assert {ZERO} == {value_of(result[0].items[0]) for result in found}  # type: ignore[index, union-attr]


def test_mask_and_bias() -> None:
    call = _deformed([0] * 6, mask=_tensor([1, 0, 0.5], 1, 1, 1, 3), B=_tensor([10], 1))
    assert [11, 10, 12] == _values(call)


def test_a_mask_of_another_shape_is_refused() -> None:
    with pytest.raises(InvalidCallError, match="mask"):
        compute(_deformed([0] * 6, mask=_tensor([1, 0], 1, 1, 1, 2)))


def test_each_group_of_channels_has_its_offsets() -> None:
    inputs = {
        "X": _tensor([1, 2, 10, 20], 1, 2, 1, 2),
        "W": _tensor([1, 1], 1, 2, 1, 1),
        "offset": _tensor([0, 0, 1, 0, 0, 0, 0, -1], 1, 4, 1, 2),
    }
    assert [12, 12] == _values(Call(22, {"offset_group": 2}, inputs, "DeformConv"))


# --- CausalConvWithState ---------------------------------------------------------------------


def _causal(activation: str = "none", **more: Tensor) -> Call:
    inputs = {"input": _tensor([1, 2, 3], 1, 1, 3), "weight": _tensor([1, 10, 100], 1, 1, 3)}
    attributes = {"activation": activation}
    return Call(27, attributes, {**inputs, **more}, "CausalConvWithState")


def test_the_past_comes_first_and_the_end_is_the_state() -> None:
    call = _causal(past_state=_tensor([4, 5], 1, 1, 2))
    assert [154, 215, 321] == _values(call)
    assert [2, 3] == _values(call, 1)


def test_without_a_past_there_are_zeros() -> None:
    assert [100, 210, 321] == _values(_causal())


def test_a_short_input_leaves_some_of_the_past_in_the_state() -> None:
    past = _tensor([4, 5], 1, 1, 2)
    assert [5, 7] == _values(_causal(input=_tensor([7], 1, 1, 1), past_state=past), 1)


def test_silu_is_x_times_its_sigmoid() -> None:
    call = _causal("silu", weight=_tensor([1], 1, 1, 1))
    result = compute(call)[0]
    assert isinstance(result, Grid)
    for x, item in zip((1, 2, 3), result.items, strict=True):
        near = Fraction(x / (1 + math.exp(-x)))
        assert isinstance(item, Enclosed)
        assert abs(Fraction(item.value) - near) < Fraction(1, 1 << 40)  # type: ignore[arg-type]
        assert not accepts("float32", item, near + Fraction(1, 1 << 18))


def test_silu_of_infinities() -> None:
    x = tensor_of(Grid("float32", (1, 1, 3), (INF, NAN, NEG_INF)))
    result = compute(_causal("swish", input=x, weight=_tensor([1], 1, 1, 1)))[0]
    assert isinstance(result, Grid)
    assert [INF, NAN] == list(result.items[:2])
    assert isinstance(result.items[2], AnyOf)


@pytest.mark.parametrize(
    ("activation", "inputs"),
    [
        ("relu", {}),
        ("none", {"past_state": _tensor([1], 1, 1, 1)}),
        ("none", {"bias": _tensor([1, 2], 2)}),
        ("none", {"weight": _tensor([1, 2, 3], 1, 3)}),
    ],
)
def test_what_does_not_fit_is_refused(activation: str, inputs: dict[str, Tensor]) -> None:
    with pytest.raises(InvalidCallError):
        compute(_causal(activation, **inputs))


# --- Det -------------------------------------------------------------------------------------


def _det(items: Sequence[object], *shape: int) -> Grid:
    (result,) = compute(Call(22, {}, {"X": _tensor(items, *shape)}, "Det"))
    assert isinstance(result, Grid)
    return result


def test_the_determinant_of_each_matrix() -> None:
    found = _det([1, 2, 3, 4, 0, 1, 1, 0], 2, 2, 2)
    assert ((2,), [-2, -1]) == (found.shape, [value_of(item) for item in found.items])


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_of_a_permutation_it_is_its_sign(order: tuple[int, ...]) -> None:
    rows = [int(column == place) for place in order for column in range(4)]
    inversions = sum(one > other for one, other in itertools.combinations(order, 2))
    assert [(-1) ** inversions] == [value_of(item) for item in _det(rows, 4, 4).items]


def test_it_is_the_sum_of_leibniz() -> None:
    matrix = [[3, -1, 2], [0, 5, 7], [-4, 1, 6]]
    terms = [
        math.prod([matrix[row][column] for row, column in enumerate(order)])
        * (-1) ** sum(one > other for one, other in itertools.combinations(order, 2))
        for order in itertools.permutations(range(3))
    ]
    flat = [item for row in matrix for item in row]
    assert [sum(terms)] == [value_of(item) for item in _det(flat, 3, 3).items]


def test_a_matrix_of_zeros_has_no_other_determinant() -> None:
    (item,) = _det([0] * 4, 2, 2).items
    assert not accepts("float32", item, Fraction(1, 1 << 100))


def test_what_is_not_square_is_refused() -> None:
    with pytest.raises(InvalidCallError, match="no square matrix"):
        _det([1, 2], 1, 2)


def _one_tap(x: Sequence[object], moved: object = 0, **more: Tensor) -> object:
    """The element at 1 of a row, for a kernel of one tap."""
    offset = _tensor([0, 0, 0, 0, moved, 0], 1, 2, 1, 3)
    inputs = {"X": _tensor(x, 1, 1, 1, 3), "W": _tensor([1], 1, 1, 1, 1), "offset": offset}
    readings = {"no-weight-times-infinity": "left-out"}
    (result,) = compute(Call(22, {}, {**inputs, **more}, "DeformConv", readings=readings))
    assert isinstance(result, Grid)
    return result.items[1]


def test_an_infinity_beside_a_place_that_rounds_to_an_element_may_have_no_weight() -> None:
    near = _one_tap([1, 2, INF], Fraction(1, 2**40))
    far = _one_tap([1, 2, INF], Fraction(1, 2**10))
    for number, either in ((INF, True), (Fraction(2), False), (NAN, False)):
        assert accepts("float32", near, number)  # type: ignore[arg-type]
        assert either == accepts("float32", far, number)  # type: ignore[arg-type]


def test_a_mask_may_make_an_infinity_before_a_weight_makes_it_small() -> None:
    mask = _tensor([11] * 3, 1, 1, 1, 3)
    weight = _tensor([Fraction(1, 2**100)], 1, 1, 1, 1)
    great = _one_tap([0, Fraction(3 * 10**38), 0], mask=mask, W=weight)
    assert accepts("float32", great, INF)  # type: ignore[arg-type]
    less = _one_tap([0, Fraction(3 * 10**37), 0], mask=mask, W=weight)
    assert not accepts("float32", less, INF)  # type: ignore[arg-type]
