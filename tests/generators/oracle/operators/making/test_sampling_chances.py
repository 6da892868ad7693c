"""Laws of Multinomial and Dropout: how rarely a right draw fails, and a wrong one surely.

Chances are computed, not tried. The corpus has some 2,200 bounds of sums and counts, not 500 of
them of these two operators: with 10^-13 for each, a right draw fails once in 10^10 corpora.
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any

import pytest
from chances import chance_of_no_ones, chance_of_ones

from onnx_conformance.core.values.tensors import Drawn, Tensor
from onnx_conformance.generators.oracle import Call, compute

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RARELY, SURELY = 1e-13, 1e-9
INT32 = 6


def _floats(*items: float) -> Tensor:
    return Tensor("float32", (len(items),), struct.pack(f"<{len(items)}f", *items))


def _counts(drawn: object) -> list[Mapping[str, Any]]:
    assert isinstance(drawn, Drawn)
    return [law for law in drawn.laws if law["law"] == "count"]


def _sampled(row: Sequence[float], size: int) -> list[Mapping[str, Any]]:
    data = Tensor("float32", (1, len(row)), _floats(*row).data)
    attributes = {"dtype": INT32, "sample_size": size}
    return _counts(compute(Call(22, attributes, {"input": data}, "Multinomial"))[0])


def _chances(row: Sequence[float]) -> list[float]:
    powers = [math.exp(item) for item in row]
    return [item / sum(powers) for item in powers]


ROWS = [
    ([0.0, 2.0, 4.0], 2048),
    ([4.0, 2.0, 0.0], 1400),
    ([1.5, 0.0], 512),
    ([0.0] * 4, 2048),
    ([-0.5, -1.5, -1.75], 1024),
    ([0.0, 1.0, 2.0, 3.0], 1024),
]


@pytest.mark.parametrize(("row", "size"), ROWS)
def test_a_right_sample_fails_rarely(row: list[float], size: int) -> None:
    chances, laws = _chances(row), _sampled(row, size)
    assert len(chances) == len(laws)
    for chance, law in zip(chances, laws, strict=True):
        assert chance_of_no_ones(size, chance, law["least"], law["most"]) < RARELY


@pytest.mark.parametrize(("row", "size"), [item for item in ROWS if len(set(item[0])) > 1])
def test_outcomes_in_reverse_order_fail_surely(row: list[float], size: int) -> None:
    kept = [
        chance_of_ones(size, chance, law["least"], law["most"])
        for chance, law in zip(_chances(row)[::-1], _sampled(row, size), strict=True)
    ]
    assert min(kept) < SURELY


def _trained(ratio: float, count: int) -> list[Mapping[str, Any]]:
    """The laws of the output's and of the mask's number of elements that are kept."""
    scalar = Tensor("float32", (), struct.pack("<f", ratio))
    training = Tensor("bool", (), b"\x01")
    given = {"data": _floats(*[1.0] * count), "ratio": scalar, "training_mode": training}
    laws = [_counts(item) for item in compute(Call(22, {}, given, "Dropout"))]
    assert [1, 1] == [len(item) for item in laws]
    return [law for item in laws for law in item]


@pytest.mark.parametrize("ratio", [0.25, 0.5, 0.875])
def test_a_right_dropout_fails_rarely(ratio: float) -> None:
    for law in _trained(ratio, 2000):
        assert chance_of_no_ones(2000, 1 - ratio, law["least"], law["most"]) < RARELY


@pytest.mark.parametrize("ratio", [0.25, 0.875])
def test_a_ratio_that_is_taken_for_what_is_kept_fails_surely(ratio: float) -> None:
    for law in _trained(ratio, 2000):
        assert chance_of_ones(2000, ratio, law["least"], law["most"]) < SURELY
