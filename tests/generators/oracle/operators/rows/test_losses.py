"""The oracles of the two losses: weights, what is ignored, and means of nothing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of, value_of, vector
from onnx_conformance.generators.oracle.arith.numbers import NAN, NEG_ZERO, ZERO, fraction
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from collections.abc import Sequence

NLL, SCE = "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"
NAMES = {NLL: ("input", "target", "weight"), SCE: ("scores", "labels", "weights")}
ROWS = [[1, 2, 5], [3, -4, 1], [-2, 6, 7]]


def _loss(
    operator: str,
    targets: Sequence[int],
    reduction: str = "mean",
    weights: Sequence[Fraction | int] = (),
    ignored: int | None = None,
    **readings: str,
) -> Grid:
    first, second, third = NAMES[operator]
    rows = ROWS[: len(targets)]
    items = [item for row in rows for item in row]
    inputs = {
        first: tensor_of(Grid("float32", (len(rows), 3), items)),
        second: tensor_of(vector("int64", targets)),
    }
    if weights:
        inputs[third] = tensor_of(vector("float32", weights))
    attributes: dict[str, str | int] = {"reduction": reduction}
    if ignored is not None:
        attributes["ignore_index"] = ignored
    types = {"T": "float32", "Tind": "int64"}
    call = Call(13, attributes, inputs, operator, types=types, readings=readings)
    found = compute(call)[0]
    assert isinstance(found, Grid)
    return found


def _floats(grid: Grid) -> list[float]:
    return [float(fraction(value_of(item))) for item in grid.items]  # type: ignore[arg-type]


def test_a_loss_is_what_stands_at_the_class_with_its_sign_turned_over() -> None:
    assert [-5.0, 4.0, 2.0] == _floats(_loss(NLL, [2, 1, 0], "none"))


def test_losses_are_weighted_and_the_mean_is_of_the_weights() -> None:
    weights = [Fraction(1, 2), 2, 4]
    assert [-20.0, 8.0, 1.0] == _floats(_loss(NLL, [2, 1, 0], "none", weights))
    assert [-11.0] == _floats(_loss(NLL, [2, 1, 0], "sum", weights))
    assert [-11 / 6.5] == pytest.approx(_floats(_loss(NLL, [2, 1, 0], "mean", weights)))


def test_the_cross_entropy_is_the_loss_of_the_logarithms() -> None:
    total = sum(math.exp(item) for item in ROWS[0])
    (found,) = _floats(_loss(SCE, [1], "none"))
    assert math.log(total) - 2 == pytest.approx(found, rel=1e-12)


def test_what_is_ignored_has_no_loss_of_either_sign_and_no_weight() -> None:
    found = _loss(NLL, [2, 9, 0], "none", ignored=9)
    assert [True, True, False] == [
        accepts("float32", found.items[1], item) for item in (ZERO, NEG_ZERO, Fraction(1, 2**140))
    ]
    weights = [Fraction(1, 2), 2, 4]
    assert [-19.0] == _floats(_loss(NLL, [2, 1, 0], "sum", weights, ignored=1))


def test_whether_the_weight_of_an_ignored_class_counts_is_open() -> None:
    weights = [Fraction(1, 2), 2, 4]
    with pytest.raises(OpenError, match="mean-with-ignored"):
        _loss(NLL, [2, 1, 0], "mean", weights, ignored=1)
    found = [
        _floats(_loss(NLL, [2, 1, 0], "mean", weights, 1, **{"mean-with-ignored": way}))[0]
        for way in ("of-the-counted", "of-all")
    ]
    assert [-19 / 4.5, -19 / 6.5] == pytest.approx(found)


def test_what_is_ignored_and_no_class_has_no_weight_to_count() -> None:
    weights = [Fraction(1, 2), 2, 4]
    assert [-19 / 4.5] == pytest.approx(_floats(_loss(NLL, [2, 9, 0], "mean", weights, ignored=9)))


def test_whether_a_mean_without_weights_counts_what_is_ignored_is_open() -> None:
    with pytest.raises(OpenError, match="mean-with-ignored"):
        _loss(NLL, [2, 1, 0], ignored=1)
    question = "mean-with-ignored"
    found = [
        _floats(_loss(NLL, [2, 1, 0], ignored=1, **{question: way}))[0]
        for way in ("of-the-counted", "of-all")
    ]
    assert [-1.5, -1.0] == found


def test_a_mean_of_nothing_is_open_and_of_no_weight_not_a_number() -> None:
    with pytest.raises(OpenError, match="mean-of-nothing"):
        _loss(NLL, [])
    assert NAN is _loss(NLL, [0], "mean", [0, 1, 1]).items[0]


def test_an_empty_batch_of_scores_is_open() -> None:
    with pytest.raises(OpenError, match="no-samples"):
        _loss(SCE, [], "sum")


@pytest.mark.parametrize(
    ("targets", "more"),
    [
        ([3, 0], {}),
        ([-1, 0], {}),
        ([3, 0], {"ignored": 4}),
        ([0, 1], {"weights": [1, 1]}),
        ([0, 1], {"weights": [1, 1, 1, 1]}),
        ([0, 1], {"reduction": "max"}),
    ],
)
@pytest.mark.parametrize("operator", [NLL, SCE])
def test_what_is_no_class_no_weight_and_no_reduction_is_refused(
    operator: str, targets: list[int], more: dict[str, object]
) -> None:
    with pytest.raises(InvalidCallError):
        _loss(operator, targets, **more)  # type: ignore[arg-type]
