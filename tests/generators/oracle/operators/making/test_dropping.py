"""The oracle of Dropout: copies, and what is known of a draw."""

from __future__ import annotations

from itertools import pairwise

import pytest

from onnx_conformance.core.values.tensors import Drawn, Tensor
from onnx_conformance.generators.oracle.arith.grid import AnyOf, Grid, filled, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import NAN
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import (
    InvalidCallError,
    OpenError,
    UnansweredError,
)
from onnx_conformance.generators.oracle.registry import Call, compute


def _tensor(*items: float, shape: tuple[int, ...] | None = None) -> Tensor:
    shape = (len(items),) if shape is None else shape
    return tensor_of(Grid("float32", shape, [Fraction(item) for item in items]))


def _call(data: Tensor, ratio: Tensor | None = None, *, training: bool = True) -> Call:
    inputs = {"data": data, "training_mode": tensor_of(filled("bool", (), training))}
    if ratio is not None:
        inputs["ratio"] = ratio
    return Call(22, {}, inputs, "Dropout")


def _half(chance: float) -> Tensor:
    return _tensor(chance, shape=())


def test_outside_of_training_nothing_is_dropped() -> None:
    output, mask = compute(_call(_tensor(1, -2), _half(0.5), training=False))
    assert isinstance(output, Grid)
    assert isinstance(mask, Grid)
    assert ([1, -2], [True, True]) == (list(output.items), list(mask.items))


def test_each_element_is_0_or_divided_by_what_is_kept() -> None:
    output, mask = compute(_call(_tensor(1, -3), _half(0.75)))
    assert isinstance(output, Grid)
    assert isinstance(mask, Grid)
    assert [4, -12] == [item.numbers[0] for item in output.items]
    assert [{0, 4}, {0, -12}] == [
        {number for number in item.numbers if isinstance(number, Fraction)} for item in output.items
    ]
    assert [{False, True}] * 2 == [set(item.numbers) for item in mask.items]


def test_training_without_a_ratio_is_open_before_version_22() -> None:
    inputs = _call(_tensor(1, -3)).inputs
    with pytest.raises(OpenError, match="training-without-ratio"):
        compute(Call(13, {}, inputs, "Dropout"))


def test_of_equal_data_the_number_that_is_dropped_is_known() -> None:
    """Half of 400, give or take the root of 400 * 14.17, which is 75.3."""
    output, mask = compute(_call(_tensor(*[0.5] * 400)))
    assert isinstance(output, Drawn)
    assert isinstance(mask, Drawn)
    counts = {"law": "count", "from": 0, "to": 400, "least": 124, "most": 276}
    assert [
        {"law": "values", "of": [0, 1]},
        {**counts, "above": 0.75, "below": 1.25},
        {"law": "same", "as": "mask"},
    ] == list(output.laws)
    assert {**counts, "above": 0.5, "below": 2} in mask.laws


def test_a_ratio_of_0_drops_nothing() -> None:
    output, mask = compute(_call(_tensor(1, 3), _half(0)))
    assert isinstance(output, Grid)
    assert isinstance(mask, Grid)
    assert ([1, 3], [True, True]) == (list(output.items), list(mask.items))


@pytest.mark.parametrize("ratio", [1, 1.5, -0.5])
def test_a_ratio_outside_its_range_is_invalid_in_training(ratio: float) -> None:
    with pytest.raises(InvalidCallError, match="outside"):
        compute(_call(_tensor(1), _half(ratio)))


def test_a_ratio_is_one_number() -> None:
    with pytest.raises(InvalidCallError, match="2 elements"):
        compute(_call(_tensor(1), _tensor(0.5, 0.5)))
    with pytest.raises(OpenError, match="axes-of-a-scalar"):
        compute(_call(_tensor(1), _tensor(0.5)))


def test_versions_1_and_6_train_unless_told() -> None:
    attributes = {"is_test": 0, "ratio": 0.5}
    inputs = {"data": _tensor(1, 3)}
    output, _ = compute(Call(6, attributes, inputs, "Dropout"))
    assert isinstance(output, Grid)
    assert all(isinstance(item, AnyOf) for item in output.items)
    call = Call(6, {**attributes, "is_test": 1}, inputs, "Dropout", outputs=("output",))
    copied, mask = compute(call)
    assert isinstance(copied, Grid)
    assert ([1, 3], None) == (list(copied.items), mask)


def test_the_old_mask_of_a_copy_is_an_open_question() -> None:
    inputs = {"data": _tensor(1, 3)}
    with pytest.raises(OpenError, match="mask-of-a-copy"):
        compute(Call(10, {"ratio": 0.5}, inputs, "Dropout"))


def test_what_a_type_without_infinities_does_not_hold_is_nan_or_the_end() -> None:
    great = tensor_of(Grid("float8e4m3fnuz", (2,), [Fraction(240), Fraction(-240)]))
    output, _ = compute(_call(great, _half(0.75)))
    assert isinstance(output, Grid)
    first, second = output.items
    assert {NAN, Fraction(240)} <= set(first.numbers)
    assert {NAN, Fraction(-240)} <= set(second.numbers)


def test_every_number_between_the_ends_of_the_limits_is_permitted() -> None:
    """Of 10.375 / (1 - 0.333) float32 has four numbers within a rounding of each step."""
    output, _ = compute(_call(_tensor(10.375, 1), _half(0.333)))
    assert isinstance(output, Grid)
    numbers = sorted(
        item for item in output.items[0].numbers if isinstance(item, Fraction) and item
    )
    assert len(numbers) > 3
    step = min(after - before for before, after in pairwise(numbers))
    assert {step} == {after - before for before, after in pairwise(numbers)}


def test_beyond_a_type_without_infinities_is_nan() -> None:
    """1 - 0.9375 may be 0 in two digits: from 224 / 0.125 on all numbers are permitted, and NaN."""
    data = tensor_of(Grid("float8e5m2fnuz", (2,), [Fraction(224), Fraction(224)]))
    output, _ = compute(_call(data, _half(0.9375)))
    assert isinstance(output, Grid)
    numbers = output.items[0].numbers
    assert NAN in numbers
    assert {Fraction(1792), Fraction(3584), Fraction(57344)} <= set(numbers)
    assert Fraction(1536) not in numbers


def test_numbers_too_many_for_a_vector_are_not_answered() -> None:
    data = tensor_of(Grid("bfloat16", (2,), [Fraction(1), Fraction(3)]))
    with pytest.raises(UnansweredError, match="any of"):
        compute(_call(data, _half(0.9999)))
