"""What overflows on the way of a page's formula, where the exact result does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, Number
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from onnx_conformance.core.values.tensors import Tensor

GREATEST = Fraction((1 << 24) - 1) * (1 << 104)
TRAINING = "ai.onnx.preview.training"


def tensor(*items: Number, shape: tuple[int, ...] | None = None) -> Tensor:
    return tensor_of(Grid("float32", (len(items),) if shape is None else shape, list(items)))


def row(*items: Number) -> Tensor:
    return tensor(*items, shape=(1, len(items)))


CASES = {
    "MeanVarianceNormalization": (
        Call(
            13,
            {"axes": (1,)},
            {"X": row(Fraction(1), -GREATEST)},
            "MeanVarianceNormalization",
        ),
        NAN,
    ),
    "RMSNormalization": (
        Call(
            23,
            {"axis": -1, "epsilon": 1e-5, "stash_type": 1},
            {"X": row(Fraction(1), GREATEST), "scale": tensor(INF, Fraction(1))},
            "RMSNormalization",
        ),
        NAN,
    ),
    "InstanceNormalization": (
        Call(
            22,
            {"epsilon": 1e-5},
            {
                "input": tensor(Fraction(0), Fraction(4), shape=(1, 1, 2)),
                "scale": tensor(-GREATEST),
                "B": tensor(Fraction(-1)),
            },
            "InstanceNormalization",
        ),
        INF,
    ),
    "DeformConv": (
        Call(
            19,
            {"group": 1, "offset_group": 1},
            {
                "X": tensor(GREATEST, shape=(1, 1, 1, 1)),
                "W": tensor(Fraction(11), shape=(1, 1, 1, 1)),
                "offset": tensor(Fraction(0), Fraction(0), shape=(1, 2, 1, 1)),
                "mask": tensor(Fraction(0), shape=(1, 1, 1, 1)),
            },
            "DeformConv",
        ),
        NAN,
    ),
    "Adagrad": (
        Call(
            1,
            {"norm_coefficient": 3.0, "decay_factor": 0.0, "epsilon": 0.0},
            {
                "R": tensor(Fraction(1), shape=()),
                "T": tensor_of(Grid("int64", (), [0])),
                "inputs": (tensor(-GREATEST), tensor(Fraction(0)), tensor(Fraction(0))),
            },
            "Adagrad",
            TRAINING,
        ),
        NAN,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_the_formula_gives_in_steps_of_the_type_is_permitted(name: str) -> None:
    call, number = CASES[name]
    output = compute(call)[0]
    assert isinstance(output, Grid)
    assert accepts("float32", output.items[0], number)


def test_a_determinant_may_be_kept_as_its_logarithm() -> None:
    """NumPy is 245 units of the last place off there; a tenth of a percent is too much."""
    least = Fraction(1, 1 << 126)
    output = compute(Call(22, {}, {"X": tensor(least, shape=(1, 1))}, "Det"))[0]
    assert isinstance(output, Grid)
    assert accepts("float32", output.items[0], least * (1 + Fraction(100, 1 << 23)))
    assert not accepts("float32", output.items[0], least * (1 + Fraction(1, 1000)))
