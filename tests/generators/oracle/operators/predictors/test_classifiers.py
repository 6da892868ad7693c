"""The oracles of classifiers by weights and by support vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle import Call, InvalidCallError, OpenError, compute
from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.accuracy.profiles import REAL
from onnx_conformance.generators.oracle.accuracy.steps import Steps
from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of, value_of
from onnx_conformance.generators.oracle.arith.intervals import point
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.operators.predictors.coupling import averaged, coupled
from onnx_conformance.generators.oracle.operators.predictors.deciding import decided

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.values.tensors import Tensor

PLAIN = {"post_transform": "NONE", "multi_class": 0}
HALF = Fraction(1, 2)


def floats(*rows: Sequence[float]) -> Tensor:
    items = [Fraction(item) for row in rows for item in row]
    return tensor_of(Grid("float32", (len(rows), len(rows[0])), items))


def answered(
    operator: str, x: Tensor, readings: dict[str, str] | None, given: dict[str, object]
) -> tuple[list[object], list[object]]:
    """The labels and the scores that a classifier gives."""
    call = Call(
        1,
        {**PLAIN, **given},  # type: ignore[arg-type]
        {"X": x},
        operator,
        "ai.onnx.ml",
        readings=readings or {},
    )
    y, z = compute(call)
    assert isinstance(y, Grid)
    assert isinstance(z, Grid)
    return list(y.items), [value_of(item) for item in z.items]


def classified(
    x: Tensor, readings: dict[str, str] | None = None, **given: object
) -> tuple[list[object], list[object]]:
    """The labels and the scores that LinearClassifier gives."""
    return answered("LinearClassifier", x, readings, given)


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


def test_multinomial_scores_may_be_the_sums_or_their_softmax() -> None:
    given = {
        "classlabels_ints": (5, 7),
        "coefficients": (1.0, 1.0),
        "intercepts": (2.0, 2.0),
        "multi_class": 1,
    }
    decisions = {"decided-by": "scores", "equal-scores": "first"}
    plain = {**decisions, "multinomial": "no-transform"}
    assert [3, 3] == classified(floats([1.0]), plain, **given)[1]
    softmax = {**decisions, "multinomial": "softmax"}
    assert [HALF, HALF] == classified(floats([1.0]), softmax, **given)[1]


def test_a_transform_that_is_named_leaves_nothing_open_of_multi_class() -> None:
    given = {"classlabels_ints": (5, 7), "coefficients": (1.0, 0.0), "post_transform": "SOFTMAX"}
    one_against_the_rest = classified(floats([1.0]), **given)
    assert one_against_the_rest == classified(floats([1.0]), **given, multi_class=1)


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


# --- support vectors -------------------------------------------------------------------------

THREE = {
    "classlabels_ints": (5, 7, 9),
    "vectors_per_class": (1, 1, 1),
    "support_vectors": (1.0, 2.0, 4.0),
    # Rows of LIBSVM: the first is of pairs 01 and 02 (vectors 0) and 01 and 12 (vector 1), ...
    "coefficients": (1.0, -2.0, 3.0, 5.0, -7.0, 11.0),
    "rho": (0.0, 0.0, 0.0),
    "kernel_type": "LINEAR",
    "kernel_params": (0.0, 0.0, 0.0),
}
TWO = {
    **THREE,
    "classlabels_ints": (5, 7),
    "vectors_per_class": (1, 1),
    "support_vectors": (1.0, 2.0),
    "coefficients": (1.0, -1.0),
    "rho": (0.0,),
}


def separated(
    x: Tensor, readings: dict[str, str] | None = None, **given: object
) -> tuple[list[object], list[object]]:
    """The labels and the scores that SVMClassifier gives."""
    return answered("SVMClassifier", x, readings, given)


def test_a_pair_takes_the_coefficients_of_each_class_beside_the_other() -> None:
    # Kernels of x = 1: 1, 2, 4. Pair 01: 1*1 - 2*2; 02: 5*1 + 3*4; 12: -7*2 + 11*4.
    labels, scores = separated(floats([1.0]), {"raw-scores": "pairs"}, **THREE)
    assert ([7], [-3, 17, 30]) == (labels, scores)


def test_votes_of_classes_are_another_reading_of_raw_scores() -> None:
    assert [1, 2, 0] == separated(floats([1.0]), {"raw-scores": "votes"}, **THREE)[1]


def test_rho_is_added_or_subtracted() -> None:
    given = {**TWO, "rho": (0.25,)}
    for sign, due in (("added", Fraction(-3, 4)), ("subtracted", Fraction(-5, 4))):
        readings = {"sign-of-rho": sign, "raw-scores": "alone"}
        assert [due] == separated(floats([1.0]), readings, **given)[1]


def test_the_first_of_two_classes_wins_above_zero() -> None:
    readings = {"raw-scores": "opposite"}
    assert ([7], [1, -1]) == separated(floats([1.0]), readings, **TWO)
    assert ([5], [-1, 1]) == separated(floats([-1.0]), readings, **TWO)


@pytest.mark.parametrize(
    ("kernel", "due"),
    [
        ("LINEAR", Fraction(6)),
        ("POLY", Fraction(16)),  # (1/2 * 6 + 1) ** 2
        ("RBF", Fraction("0.6065306597126334")),  # e ** (-1/2)
        ("SIGMOID", Fraction("0.999329299739067")),  # tanh(4)
    ],
)
def test_kernels_have_their_formulas(kernel: str, due: Fraction) -> None:
    given = {
        **TWO,
        "support_vectors": (3.0, 0.0),
        "coefficients": (1.0, 0.0),
        "kernel_type": kernel,
        "kernel_params": (0.5, 1.0, 2.0),
    }
    (found,) = separated(floats([2.0]), {"raw-scores": "alone"}, **given)[1]
    assert isinstance(found, Fraction)
    assert abs(found - due) < Fraction(1, 10**12)


def test_the_probability_of_a_pair_is_platts() -> None:
    given = {**TWO, "prob_a": (-1.5,), "prob_b": (0.25,)}
    first, second = separated(floats([1.0]), **given)[1]
    assert isinstance(first, Fraction)
    assert abs(first - Fraction("0.14804719803168948")) < Fraction(1, 10**12)  # 1 / (1 + e^1.75)
    assert 1 == first + second  # type: ignore[operator]


def test_probabilities_of_pairs_that_agree_are_found_again() -> None:
    # p = 1/2, 1/3, 1/6 make pairs of 3/5, 3/4, 2/3.
    steps = Steps("float32", REAL)
    pairs = [point(Fraction(3, 5)), point(Fraction(3, 4)), point(Fraction(2, 3))]
    found = [float(item.low) for item in coupled(steps, pairs, 3)]  # type: ignore[arg-type]
    assert [0.5, 1 / 3, 1 / 6] == pytest.approx(found, abs=1e-12)


def test_an_iteration_that_stops_at_its_residual_is_within_the_limits() -> None:
    steps = Steps("float32")
    (first, second) = coupled(steps, [point(Fraction(1, 4))], 2)
    # k = 2: the residual of 0.0025 may be off by 0.005 in the probability.
    assert Fraction("0.2452") in first
    assert Fraction("0.2448") not in first
    assert Fraction("0.7548") in second


def test_averaged_probabilities_have_the_sum_one() -> None:
    steps = Steps("float32", REAL)
    pairs = [point(Fraction(1, 2)), point(Fraction(1, 4)), point(Fraction(1, 8))]
    found = [float(item.low) for item in averaged(steps, pairs, 3)]  # type: ignore[arg-type]
    assert [1 / 4, 5 / 24, 13 / 24] == pytest.approx(found, abs=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"coefficients": ()}, "there are no coefficients"),
        ({"coefficients": (1.0,)}, "1 numbers make no rows of 2"),
        (
            {"coefficients": (1.0, 2.0, 3.0, 4.0)},
            "'coefficients' has 2 entries for 2",
        ),
        ({"vectors_per_class": (1, 2**31)}, "'support_vectors' has 2 entries"),
        ({"vectors_per_class": (3, -1)}, "has a number below 0"),
        ({"vectors_per_class": (2,)}, "'vectors_per_class' has 1 entries"),
        ({"support_vectors": ()}, "0 numbers|make no rows|'support_vectors' has"),
        ({"rho": ()}, "'rho' has 0 entries"),
        ({"prob_a": (1.0,)}, "'prob_b' has 0 entries"),
        ({"prob_b": (1.0,)}, "'prob_b' has 1 entries"),
        ({"prob_a": (1.0, 2.0), "prob_b": (1.0, 2.0)}, "'prob_a' has 2 entries"),
        ({"kernel_params": (1.0, 2.0)}, "kernel_params has 2 numbers, not 3"),
        ({"kernel_type": "CHI2"}, "kernel_type 'CHI2' is none of"),
    ],
)
def test_lists_that_do_not_fit_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidCallError, match=message):
        separated(floats([1.0]), {"raw-scores": "alone"}, **{**TWO, **change})


# --- regression ------------------------------------------------------------------------------

REGRESSION = {
    "n_supports": 2,
    "support_vectors": (1.0, 0.0, 0.0, 3.0),
    "coefficients": (2.0, -1.0),
    "rho": (0.5,),
    "one_class": 0,
    "kernel_type": "LINEAR",
    "kernel_params": (0.0, 0.0, 0.0),
}


def regressed(x: Tensor, readings: dict[str, str] | None = None, **given: object) -> list[object]:
    """The scores that SVMRegressor gives."""
    call = Call(
        1,
        {"post_transform": "NONE", **REGRESSION, **given},  # type: ignore[arg-type]
        {"X": x},
        "SVMRegressor",
        "ai.onnx.ml",
        readings={"sign-of-rho": "added", **(readings or {})},
    )
    (y,) = compute(call)
    assert isinstance(y, Grid)
    return [value_of(item) for item in y.items]


def test_a_regression_is_a_sum_of_kernels_by_their_coefficients() -> None:
    # 2 * 5 - 1 * (3 * 2), and rho.
    assert [Fraction(9, 2)] == regressed(floats([5.0, 2.0]))
    assert [Fraction(7, 2)] == regressed(floats([5.0, 2.0]), {"sign-of-rho": "subtracted"})


def test_without_support_vectors_the_features_are_weighed() -> None:
    found = regressed(
        floats([5.0, 2.0]), {"without-supports": "linear-model"}, n_supports=0, support_vectors=()
    )
    assert [Fraction(17, 2)] == found


def test_a_one_class_model_tells_sides() -> None:
    x = floats([5.0, 2.0], [1.0, 2.0], [0.0, 1.0])
    readings = {"one-class": "side", "undecided": "outside"}
    assert [1, -1, -1] == regressed(x, readings, one_class=1)
    x = floats([0.0, 0.5], [0.0, 1.0 / 6])
    assert [-1, -1] == regressed(x, readings, one_class=1, rho=(0.0,))


@pytest.mark.parametrize(("reading", "due"), [("outside", -1), ("inside", 1)])
def test_a_score_of_zero_is_on_either_side(reading: str, due: int) -> None:
    readings = {"one-class": "side", "undecided": reading}
    assert [due] == regressed(floats([0.0, 0.0]), readings, one_class=1, rho=(0.0,))


def test_a_one_class_model_may_give_its_score() -> None:
    assert [Fraction(9, 2)] == regressed(floats([5.0, 2.0]), {"one-class": "score"}, one_class=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_supports": 2**62}, "'support_vectors' has 2 entries"),
        ({"n_supports": 0}, "'support_vectors' has 2 entries, not 0"),
        ({"coefficients": ()}, "'coefficients' has 0 entries, not 2"),
        ({"coefficients": (1.0, 2.0, 3.0)}, "'coefficients' has 3 entries"),
        ({"support_vectors": (1.0, 2.0, 3.0)}, "3 numbers make no rows of 2"),
        ({"rho": ()}, "'rho' has 0 entries, not 1"),
    ],
)
def test_lists_that_make_no_regression_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidCallError, match=message):
        regressed(floats([1.0, 2.0]), **change)


def test_the_probability_of_a_pair_without_a_score_is_open() -> None:
    given = {**TWO, "prob_a": (-1.5,), "prob_b": (0.25,)}
    nothing = tensor_of(Grid("float32", (1, 1), [NAN]))
    found = {}
    for reading in ("no-number", "equal", "least"):
        readings = {"pair-of-no-number": reading, "undecided-pair": "second"}
        rest = {"decided-by": "scores", "nothing-but-nan": "first", "equal-scores": "first"}
        found[reading] = separated(nothing, {**readings, **rest}, **given)[1]
    assert [NAN, NAN] == found["no-number"]
    assert [HALF, HALF] == found["equal"]
    assert [1e-7, 1 - 1e-7] == pytest.approx([float(item) for item in found["least"]])  # type: ignore[arg-type]


def test_a_pair_whose_score_overflows_may_go_to_either_class() -> None:
    # 2 * 3e38 - 3e38 * 2 * 0.99 is above zero, and its terms are infinities in float32.
    given = {**TWO, "support_vectors": (2.0, 1.98), "coefficients": (1.0, -1.0)}
    x = floats([3e38])
    with pytest.raises(OpenError, match="either-sign"):
        separated(x, {"raw-scores": "alone"}, **given)
    labels = {
        reading: separated(x, {"raw-scores": "alone", "either-sign": reading}, **given)[0]
        for reading in ("first", "second")
    }
    assert labels["first"] != labels["second"]


def test_scores_that_float32_cannot_tell_apart_are_equal() -> None:
    # The second is greater by 2^-60.
    given = {"classlabels_ints": (5, 7), "coefficients": (1.0, 0.0, 1.0, 2.0**-60)}
    x = floats([1.0, 1.0])
    assert [5] == classified(x, {"equal-scores": "first"}, **given)[0]
    assert [7] == classified(x, {"equal-scores": "last"}, **given)[0]


def test_the_0th_power_of_nan_is_1_as_in_libsvm() -> None:
    given = {**TWO, "kernel_type": "POLY", "coefficients": (1.0, -0.5)}
    nothing = tensor_of(Grid("float32", (1, 1), [NAN]))
    assert [HALF] == separated(nothing, {"raw-scores": "alone"}, **given)[1]


def test_a_transform_of_terms_that_overflow_may_be_nan() -> None:
    given = {**TWO, "support_vectors": (2.0, 1.98), "post_transform": "LOGISTIC"}
    readings = {"raw-scores": "alone", "either-sign": "first"}
    call = Call(
        1,
        {**PLAIN, **given},
        {"X": floats([3e38])},
        "SVMClassifier",
        "ai.onnx.ml",
        readings=readings,
    )  # type: ignore[arg-type]
    _, z = compute(call)
    assert isinstance(z, Grid)
    assert accepts("float32", z.items[0], NAN)
