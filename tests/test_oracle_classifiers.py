"""The oracles of classifiers by weights and by support vectors."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle import Call, InvalidCallError, compute
from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of, value_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN
from onnx_conformance.generators.oracle.operators.predictors.deciding import decided

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.values.tensors import Tensor

PLAIN = {"post_transform": "NONE", "multi_class": 0}
HALF = Fraction(1, 2)


def floats(*rows: Sequence[float]) -> Tensor:
    items = [Fraction(item) for row in rows for item in row]
    return tensor_of(Grid("float32", (len(rows), len(rows[0])), items))


def classified(
    x: Tensor, readings: dict[str, str] | None = None, **given: object
) -> tuple[list[object], list[object]]:
    """The labels and the scores that LinearClassifier gives."""
    call = Call(
        1,
        {**PLAIN, **given},  # type: ignore[arg-type]
        {"X": x},
        "LinearClassifier",
        "ai.onnx.ml",
        readings=readings or {},
    )
    y, z = compute(call)
    assert isinstance(y, Grid)
    assert isinstance(z, Grid)
    return list(y.items), [value_of(item) for item in z.items]


def place(*scores: object, after: Sequence[object] = (), **readings: str) -> int:
    """The place that scores decide for, with the readings by question."""
    named = {name.replace("_", "-"): reading for name, reading in readings.items()}
    call = Call(1, {}, {}, readings=named)
    return decided(call, scores, after or scores)  # type: ignore[arg-type]


def test_coefficients_of_a_class_stand_together() -> None:
    found = classified(
        floats([1.0, 10.0]),
        classlabels_ints=(5, 7),
        coefficients=(1.0, 2.0, 3.0, -4.0),
        intercepts=(0.5, -0.5),
    )
    assert ([5], [Fraction(43, 2), Fraction(-75, 2)]) == found


def test_one_score_above_zero_decides_for_the_second_label() -> None:
    given = {"classlabels_ints": (5, 7), "coefficients": (1.0,)}
    opposite = {"one-score-for-two": "opposite"}
    assert ([7], [-HALF, HALF]) == classified(floats([0.5]), opposite, **given)
    assert ([5], [HALF, -HALF]) == classified(floats([-0.5]), opposite, **given)


def test_the_other_score_may_be_one_less_the_score() -> None:
    given = {"classlabels_ints": (5, 7), "coefficients": (1.0,)}
    readings = {"one-score-for-two": "complement", "decided-by": "scores"}
    assert ([7], [Fraction(3, 4), HALF / 2]) == classified(floats([0.25]), readings, **given)
    readings["decided-by"] = "transformed"
    assert ([5], [Fraction(3, 4), HALF / 2]) == classified(floats([0.25]), readings, **given)


def test_one_score_may_be_left_out_of_a_softmax() -> None:
    readings = {"one-score-for-two": "untransformed", "decided-by": "scores"}
    given = {"classlabels_ints": (5, 7), "coefficients": (1.0,), "post_transform": "SOFTMAX"}
    assert [Fraction(3, 4), HALF / 2] == classified(floats([0.25]), readings, **given)[1]


def test_scores_and_labels_are_as_many() -> None:
    with pytest.raises(InvalidCallError, match="1 sets of coefficients, 3 labels"):
        classified(floats([1.0]), classlabels_ints=(1, 2, 3), coefficients=(1.0,))


def test_no_coefficients_make_no_classifier() -> None:
    with pytest.raises(InvalidCallError, match="0 coefficients for 1 features"):
        classified(floats([1.0]), classlabels_ints=(1, 2), coefficients=())


def test_coefficients_fill_whole_rows() -> None:
    with pytest.raises(InvalidCallError, match="3 coefficients for 2 features"):
        classified(floats([1.0, 2.0]), classlabels_ints=(1,), coefficients=(1.0, 2.0, 3.0))


def test_equal_scores_decide_for_the_first_or_the_last() -> None:
    scores = Fraction(1), Fraction(2), Fraction(2)
    assert 1 == place(*scores, equal_scores="first")
    assert 2 == place(*scores, equal_scores="last")


def test_a_transform_may_change_the_top() -> None:
    before, after = (-HALF, Fraction(0)), (HALF, Fraction(0))
    assert 1 == place(*before, after=after, decided_by="scores")
    assert 0 == place(*before, after=after, decided_by="transformed")


def test_nan_beside_numbers_decides_in_one_of_four_ways() -> None:
    scores = Fraction(1), NAN, INF, Fraction(0)
    readings = {"no-number": 1, "number": 2, "first": 0, "last": 3}
    assert readings == {name: place(*scores, label_beside_nan=name) for name in readings}
