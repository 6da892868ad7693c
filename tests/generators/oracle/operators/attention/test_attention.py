"""The oracle of Attention: which keys a query attends, by equal scores that make plain means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.arith.grid import Grid, grid_of, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF, Number
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from onnx_conformance.core.values.tensors import Tensor

# One head of two queries and four keys, whose values are powers of two: a mean names its keys.
QUERIES, KEYS = (1, 1, 2, 1), (1, 1, 4, 1)
VALUES = (4, 8, 16, 32)


def _tensor(shape: tuple[int, ...], items: Sequence[Number], name: str = "float32") -> Tensor:
    return tensor_of(Grid(name, shape, list(items)))


def _floats(shape: tuple[int, ...], items: Sequence[int]) -> Tensor:
    return _tensor(shape, [Fraction(item) for item in items])


def _results(
    inputs: Mapping[str, Tensor],
    version: int = 25,
    outputs: tuple[str, ...] = ("Y",),
    readings: Mapping[str, str] | None = None,
    **attributes: float,
) -> list[list[Number]]:
    given = {
        "Q": _floats(QUERIES, (0, 0)),
        "K": _floats(KEYS, (1, 2, 3, 4)),
        "V": _floats(KEYS, VALUES),
        **inputs,
    }
    call = Call(version, attributes, given, "Attention", outputs=outputs, readings=readings or {})
    grids = [item for item in compute(call) if isinstance(item, Grid)]
    return [list(grid_of(tensor_of(item)).items) for item in grids]


def _means(inputs: Mapping[str, Tensor], version: int = 25, **attributes: float) -> list[Number]:
    return _results(inputs, version, **attributes)[0]


def test_without_bias_each_query_attends_all_keys() -> None:
    assert [15, 15] == _means({})


def test_the_only_key_has_all_the_weight_whatever_its_score_is_rounded_to() -> None:
    one = (1, 1, 1, 1)
    given = {
        name: _tensor(one, [Fraction(number)], "bfloat16")
        for name, number in (("Q", 61), ("K", 59), ("V", 7))
    }
    found = compute(Call(25, {}, given, "Attention", outputs=("Y",)))[0]
    assert isinstance(found, Grid)
    next_to_it = [7 + step * Fraction(1, 32) for step in (-1, 0, 1)]
    assert [False, True, False] == [accepts("bfloat16", found.items[0], got) for got in next_to_it]


def test_causal_counts_from_the_first_key() -> None:
    assert [4, 6] == _means({}, is_causal=1)


def test_padding_moves_the_causal_frontier_to_the_last_key_that_counts() -> None:
    lengths = _tensor((1,), [3], "int64")
    # Two keys, then three: 28 / 3, rounded.
    assert [6, Fraction(9786709, 1048576)] == _means({"nonpad_kv_seqlen": lengths}, is_causal=1)


def test_a_query_in_front_of_all_keys_is_zero() -> None:
    assert [0, 4] == _means({"nonpad_kv_seqlen": _tensor((1,), [1], "int64")}, is_causal=1)


def test_a_window_has_two_sides() -> None:
    assert [4, 6] == _means({}, left_window_size=1, right_window_size=0)
    assert [6, 12] == _means({}, left_window_size=0, right_window_size=1)


def test_past_keys_come_first_and_move_the_frontier() -> None:
    past = {"past_key": _floats((1, 1, 1, 1), (7,)), "past_value": _floats((1, 1, 1, 1), (2,))}
    asked = ("Y", "present_key", "present_value")
    means, keys, values, *_ = _results(past, outputs=asked, is_causal=1)
    assert [3, Fraction(9786709, 2097152)] == means  # (2 + 4) / 2, then 14 / 3 rounded
    assert [7, 1, 2, 3, 4] == keys
    assert [2, 4, 8, 16, 32] == values


def test_softcap_stands_before_the_mask() -> None:
    mask = _tensor((2, 4), [Fraction(0), NEG_INF, NEG_INF, NEG_INF, *[NEG_INF] * 4])
    assert [4, 0] == _means({"attn_mask": mask}, softcap=2.0)


def test_a_shorter_mask_is_invalid_before_version_24() -> None:
    mask = {"attn_mask": _tensor((2, 2), [True, False, True, True], "bool")}
    assert [4, 6] == _means(mask, 24)
    with pytest.raises(InvalidCallError):
        _means(mask, 23)


def test_queries_in_a_group_share_a_head_of_keys() -> None:
    inputs = {
        "Q": _floats((1, 4, 1, 1), (0, 0, 0, 0)),
        "K": _floats((1, 2, 1, 1), (1, 2)),
        "V": _floats((1, 2, 1, 1), (5, 9)),
    }
    assert [5, 5, 9, 9] == _means(inputs)


def test_products_are_shown_before_softcap_and_mask() -> None:
    mask = _tensor((2, 4), [NEG_INF] * 8)
    inputs = {"Q": _floats(QUERIES, (1, 2)), "attn_mask": mask}
    shown = [
        _results(inputs, outputs=("Y", "qk_matmul_output"), qk_matmul_output_mode=mode)[-1]
        for mode in (0, 2, 3)
    ]
    assert [1, 2, 3, 4, 2, 4, 6, 8] == shown[0]
    assert [NEG_INF] * 8 == shown[1]
    assert [0] * 8 == shown[2]


@pytest.mark.parametrize("mode", [-1, 4])
def test_a_mode_that_is_not_listed_may_be_taken_for_the_default(mode: int) -> None:
    inputs = {"Q": _floats(QUERIES, (1, 2))}
    asked = ("Y", "qk_matmul_output")
    with pytest.raises(OpenError, match="unlisted-mode"):
        _results(inputs, outputs=asked, qk_matmul_output_mode=mode)
    readings = {"unlisted-mode": "products"}
    found = _results(inputs, outputs=asked, readings=readings, qk_matmul_output_mode=mode)
    assert [1, 2, 3, 4, 2, 4, 6, 8] == found[-1]


def test_what_is_not_attended_and_not_finite_is_open() -> None:
    values = {"V": _tensor(KEYS, [Fraction(4), NAN, NAN, NAN])}
    with pytest.raises(OpenError, match="hidden-not-finite"):
        _results(values, left_window_size=0, right_window_size=0)
    readings = {"hidden-not-finite": "left-out"}
    found = _results(values, readings=readings, left_window_size=0, right_window_size=0)
    assert [4, NAN] == found[0]


def test_one_past_without_the_other_is_invalid() -> None:
    with pytest.raises(InvalidCallError):
        _means({"past_key": _floats((1, 1, 1, 1), (7,))})


def test_a_negative_scale_turns_the_products_or_makes_them_nan() -> None:
    given = {"Q": _floats(QUERIES, (200, 0))}
    with pytest.raises(OpenError, match="scale-not-positive"):
        _results(given, scale=-1.0)
    turned = _results(given, readings={"scale-not-positive": "product"}, scale=-1.0)[0]
    assert [4, 15] == turned
    halves = _results(given, readings={"scale-not-positive": "halves"}, scale=-1.0)[0]
    assert [NAN, NAN] == halves


def test_a_scale_of_zero_makes_plain_means_by_either_reading() -> None:
    given = {"Q": _floats(QUERIES, (200, -9))}
    for reading in ("product", "halves"):
        readings = {"scale-not-positive": reading}
        assert [15, 15] == _results(given, readings=readings, scale=0.0)[0]


def test_where_no_key_is_attended_a_value_of_nan_is_open_too_and_a_key_is_not() -> None:
    none = {"nonpad_kv_seqlen": tensor_of(Grid("int64", (1,), [0]))}
    values = {"V": _tensor(KEYS, [Fraction(4), NAN, Fraction(1), Fraction(1)]), **none}
    assert [0, 0] == _results(values, readings={"hidden-not-finite": "left-out"})[0]
    assert [NAN, NAN] == _results(values, readings={"hidden-not-finite": "computed"})[0]
    keys = {"K": _tensor(KEYS, [NAN, Fraction(1), Fraction(1), Fraction(1)]), **none}
    assert [0, 0] == _results(keys)[0]


@pytest.mark.parametrize("key", [NEG_INF, Fraction(-3 * 10**38)])
def test_a_score_beyond_the_type_of_a_key_that_is_not_attended_is_open(key: Number) -> None:
    given = {
        "Q": _floats(QUERIES, (-2, -2)),
        "K": _tensor(KEYS, [Fraction(1), key, Fraction(1), Fraction(1)]),
        "attn_mask": tensor_of(Grid("bool", (2, 4), [True, False, False, False] * 2)),
    }
    asked = ("Y", "qk_matmul_output")
    found = {
        reading: _results(
            given,
            outputs=asked,
            readings={"hidden-not-finite": reading},
            scale=1.0,
            qk_matmul_output_mode=3,
        )
        for reading in ("left-out", "computed")
    }
    assert [[4, 4], [1, 0, 0, 0] * 2] == [found["left-out"][0], found["left-out"][-1]]
    assert [[NAN, NAN], [NAN] * 8] == [found["computed"][0], found["computed"][-1]]


def test_a_row_whose_scores_are_all_minus_infinity_is_open() -> None:
    given = {"Q": _floats(QUERIES, (-1, 0)), "K": _tensor(KEYS, [INF] * 4)}
    zero = _results(given, readings={"scores-infinite": "zero"}, scale=1.0)[0]
    assert [0, NAN] == zero
    assert [NAN, NAN] == _results(given, readings={"scores-infinite": "not-a-number"}, scale=1.0)[0]


def test_a_factor_that_overflows_with_half_of_the_scale_may_give_nan() -> None:
    given = {"Q": _floats(QUERIES, (3 * 10**38, 1)), "K": _floats(KEYS, (0, 0, 0, 0))}
    inputs = {"V": _floats(KEYS, VALUES), **given}
    (found, *_) = compute(Call(25, {"scale": 4.0}, inputs, "Attention", outputs=("Y",)))
    assert isinstance(found, Grid)
    assert [True, False] == [accepts("float32", item, NAN) for item in found.items]


def test_a_mask_without_keys_is_lengthened_for_no_sample() -> None:
    shapes = {"Q": (0, 2, 2, 2), "K": (0, 2, 4, 2), "V": (0, 2, 4, 3)}
    given = {name: _tensor(shape, []) for name, shape in shapes.items()}
    given["attn_mask"] = tensor_of(Grid("bool", (2, 0), []))
    assert [] == _results(given)[0]


def test_a_window_below_minus_1_is_open() -> None:
    with pytest.raises(OpenError, match="window-below-minus-1"):
        _means({}, left_window_size=-2)
    unbounded = {"window-below-minus-1": "unbounded"}
    assert [15, 15] == _results({}, readings=unbounded, left_window_size=-2)[0]


def test_a_negative_softcap_is_that_of_its_size_or_none() -> None:
    given = {"Q": _floats(QUERIES, (200, 0))}
    asked = ("Y", "qk_matmul_output")
    with pytest.raises(OpenError, match="softcap-below-zero"):
        _results(given, softcap=-2.0)
    shown = [
        _results(
            given,
            outputs=asked,
            readings={"softcap-below-zero": reading},
            scale=1.0,
            softcap=-2.0,
            qk_matmul_output_mode=1,
        )[-1]
        for reading in ("formula", "none")
    ]
    assert [[2] * 4, [200, 400, 600, 800]] == [row[:4] for row in shown]


def test_a_weight_of_zero_may_be_nan_beside_a_score_that_overflows() -> None:
    given = {"Q": _floats(QUERIES, (-2, 0)), "K": _floats(KEYS, (0, -3 * 10**38, 0, 0))}
    inputs = {"V": _floats(KEYS, VALUES), **given}
    call = Call(
        25,
        {"scale": 1.0, "qk_matmul_output_mode": 3},
        inputs,
        "Attention",
        outputs=("Y", "qk_matmul_output"),
    )
    shown = compute(call)[3]
    assert isinstance(shown, Grid)
    assert [True] * 4 + [False] * 4 == [accepts("float32", item, NAN) for item in shown.items]
