"""The oracles of Adagrad, Adam and Momentum against closed forms, and where their pages are silent.

onnxruntime has none of the three; the second source beside ONNX's own cases and the reference are
derivations that share no line with the oracle: what several steps come to in closed form.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle.arith.grid import Enclosed, Grid, grid_of, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, Number
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TRAINING = "ai.onnx.preview.training"
DEFAULTS: Mapping[str, Mapping[str, float | str]] = {
    "Adagrad": {"norm_coefficient": 0.0, "decay_factor": 0.0, "epsilon": 0.0},
    "Adam": {
        "alpha": 0.5,
        "beta": 0.75,
        "epsilon": 0.0,
        "norm_coefficient": 0.0,
        "norm_coefficient_post": 0.0,
    },
    "Momentum": {"alpha": 0.5, "beta": 1.0, "norm_coefficient": 0.0, "mode": "standard"},
}


def _grid(name: str, items: Sequence[Number] | Number) -> Grid:
    if isinstance(items, (list, tuple)):
        return Grid(name, (len(items),), [Fraction(x) if isinstance(x, int) else x for x in items])
    return Grid(name, (), [items])


def _step(
    operator: str,
    rate: Number | Sequence[Number],
    count: int | Sequence[int],
    *tensors: Sequence[Number] | Number,
    types: tuple[str, str] = ("float32", "float32"),
    readings: Mapping[str, str] | None = None,
    **attributes: float | str,
) -> list[Grid]:
    inputs = {
        "R": tensor_of(_grid(types[0], rate)),
        "T": tensor_of(
            Grid("int64", (len(count),), count)
            if isinstance(count, (list, tuple))
            else Grid("int64", (), [count])
        ),
        "inputs": tuple(tensor_of(_grid(types[1], item)) for item in tensors),
    }
    given = {**DEFAULTS[operator], **attributes}
    call = Call(1, given, inputs, operator, TRAINING, readings=readings or {})
    return [item for item in compute(call) if isinstance(item, Grid)]


def _numbers(grids: Sequence[Grid]) -> list[list[Number]]:
    return [list(grid_of(tensor_of(grid)).items) for grid in grids]


def test_momentum_of_a_constant_gradient_is_a_geometric_sum() -> None:
    """With alpha 1/2 and gradient 1 the momentum after n steps is 2 - 2^(1-n)."""
    x, v = [Fraction(0)], [Fraction(0)]
    for n in range(8):
        x, v = _numbers(_step("Momentum", Fraction(1, 4), n, x, [1], v))  # type: ignore[assignment]
    assert [2 - Fraction(1, 1 << 7)] == v
    # x is -R times the sum of the momenta: 2 n - 2 + 2^(1-n).
    assert [-Fraction(1, 4) * (2 * 8 - 2 + Fraction(1, 1 << 7))] == x


def test_momentum_minimizes_a_parabola_as_its_recurrence_says() -> None:
    """Of x^2/2 alone, from x = 1: x(n+1) = (1 + alpha - R) x(n) - alpha x(n-1)."""
    x, v, seen = [Fraction(1)], [Fraction(0)], [Fraction(1)]
    for n in range(5):
        x, v = _numbers(_step("Momentum", Fraction(1, 2), n, x, x, v))  # type: ignore[assignment]
        seen.append(x[0])
    assert seen[1] == Fraction(1, 2)
    assert [seen[n] for n in range(2, 6)] == [seen[n - 1] - seen[n - 2] / 2 for n in range(2, 6)]


def test_regularization_is_the_gradient_of_half_the_squared_norm() -> None:
    """A norm_coefficient of c gives what a gradient of g + c x gives."""
    for operator, more in (("Momentum", ([8],)), ("Adagrad", ([8],)), ("Adam", ([8], [8]))):
        one = _step(operator, Fraction(1), 1, [6], [-2], *more, norm_coefficient=0.5)
        other = _step(operator, Fraction(1), 1, [6], [1], *more)
        assert _numbers(other) == _numbers(one)


def test_nesterov_is_the_standard_step_seen_from_ahead() -> None:
    """With beta 1, y(n) = x(n) - R alpha v(n) of Nesterov's goes as the look ahead says."""
    rate, alpha = Fraction(1, 4), Fraction(1, 2)
    x, v = _numbers(_step("Momentum", rate, 3, [3], [5], [7], mode="nesterov"))
    plain, same = _numbers(_step("Momentum", rate, 3, [3], [5], [7]))
    assert same == v
    # The standard step is x - R (alpha v_old + g); ahead of it alpha's share of v_new is new too.
    ahead = Fraction(3) - rate * (5 + alpha * (alpha * 7 + 5))
    assert [ahead] == x
    assert plain != x


def test_the_first_update_has_no_beta() -> None:
    for count, momentum in ((0, 5), (-1, 5), (1, 10), (2**32, 10)):
        _, v = _numbers(_step("Momentum", Fraction(1), count, [3], [5], [0], beta=2.0))
        assert [momentum] == v


def test_adagrad_of_gradients_of_one_goes_by_inverse_roots() -> None:
    """H after n steps is n, and each step is 1 / root(n): 1 + 1/root 2 + 1/root 3 + 1/2."""
    x: Sequence[Number] = [Fraction(0)]
    squares: Sequence[Number] = [Fraction(0)]
    for n in range(4):
        x, squares = _numbers(
            _step("Adagrad", Fraction(1), n, x, [1], squares, types=("float64", "float64"))
        )
    assert [4] == squares
    assert math.isclose(-(1 + 2**-0.5 + 3**-0.5 + 0.5), float(x[0]), rel_tol=1e-15)  # type: ignore[arg-type]


def test_adagrad_decays_its_rate_by_the_count() -> None:
    """The rate 6 / (1 + 2 * 1/4): 4."""
    (x, _) = _numbers(_step("Adagrad", Fraction(6), 2, [10], [3], [16], decay_factor=0.25))
    assert math.isclose(10 - 12 / 5, float(x[0]), rel_tol=1e-7)  # type: ignore[arg-type]


def test_epsilon_is_added_after_the_root() -> None:
    for operator, more in (("Adagrad", ([0],)), ("Adam", ([0], [0]))):
        x = _numbers(
            _step(operator, Fraction(1), 0, [0], [1], *more, epsilon=1.0, beta=0.0, alpha=0.0)
            if operator == "Adam"
            else _step(operator, Fraction(1), 0, [0], [1], *more, epsilon=1.0)
        )[0]
        assert [Fraction(-1, 2)] == x


def test_adam_corrects_the_bias_of_means_that_began_at_nothing() -> None:
    """Of equal gradients from zero means, each corrected step is the rate, whatever T is."""
    v: Sequence[Number] = [Fraction(0)]
    squares: Sequence[Number] = [Fraction(0)]
    x: Sequence[Number] = [Fraction(0)]
    for n in range(1, 6):
        x, v, squares = _numbers(
            _step("Adam", Fraction(1, 8), n, x, [-3], v, squares, alpha=0.875, beta=0.984375)
        )
        assert math.isclose(n / 8, float(x[0]), rel_tol=1e-6)  # type: ignore[arg-type]


def test_adam_takes_the_rate_as_it_is_before_the_first_update() -> None:
    """With alpha 0 the step is R g / root(H)."""
    for count in (0, -5):
        found = _step("Adam", Fraction(2), count, [1], [3], [9], [12], alpha=0.0)
        x, v, squares = _numbers(found)
        assert [3] == v
        assert [Fraction(45, 4)] == squares
        assert math.isclose(1 - 6 / math.sqrt(11.25), float(x[0]), rel_tol=1e-6)  # type: ignore[arg-type]


def test_adam_regularizes_the_moved_tensor() -> None:
    plain = _numbers(_step("Adam", Fraction(1), 0, [4], [2], [0], [0], alpha=0.0, beta=0.0))
    after = _numbers(
        _step(
            "Adam",
            Fraction(1),
            0,
            [4],
            [2],
            [0],
            [0],
            alpha=0.0,
            beta=0.0,
            norm_coefficient_post=0.25,
        )
    )
    assert [[3], [2], [4]] == plain
    assert [[Fraction(9, 4)], [2], [4]] == after


def test_powers_to_any_count_take_no_time() -> None:
    start = time.process_time()
    x, _, _ = _numbers(
        _step("Adam", Fraction(1), 2**63 - 1, [0], [1], [1], [1], alpha=0.9375, beta=0.9375)
    )
    assert [-1] == x  # both corrections are 1
    assert time.process_time() - start < 1


def test_groups_are_taken_by_kind() -> None:
    x1, x2, v1, v2 = _numbers(
        _step("Momentum", Fraction(1), 1, [1], [2, 3], [10], [20, 30], [4], [6, 8])
    )
    assert [[12], [23, 34]] == [v1, v2]
    assert [[-11], [-21, -31]] == [x1, x2]


def test_tensors_that_are_no_whole_groups_are_refused() -> None:
    for operator, count in (("Momentum", 4), ("Adagrad", 2), ("Adam", 6), ("Adam", 3)):
        with pytest.raises(InvalidCallError, match="for each that is moved"):
            _step(operator, Fraction(1), 1, *[[1]] * count)


def test_a_rate_that_is_no_scalar_is_open() -> None:
    with pytest.raises(OpenError, match="rate-or-count-is-no-scalar"):
        _step("Momentum", [1, 2], 1, [0, 0], [1, 1], [0, 0])
    one = {"rate-or-count-is-no-scalar": "broadcast"}
    found = _step("Momentum", [1, 2], 1, [0, 0], [1, 1], [0, 0], readings=one)
    assert [[-1, -2], [1, 1]] == _numbers(found)


def test_a_gradient_of_another_shape_is_open_and_one_that_fits_nowhere_invalid() -> None:
    with pytest.raises(OpenError, match="shapes-differ"):
        _step("Momentum", Fraction(1), 1, [0, 0], Fraction(1), [0, 0])
    with pytest.raises(InvalidCallError):
        _step("Momentum", Fraction(1), 1, [0, 0], [1, 1, 1], [0, 0])


def test_another_mode_is_refused() -> None:
    with pytest.raises(InvalidCallError, match="'Standard'"):
        _step("Momentum", Fraction(1), 1, [0], [1], [0], mode="Standard")


def test_specials_follow_ieee_754() -> None:
    (x, squares) = _numbers(_step("Adagrad", Fraction(1), 0, [1, 1], [0, 1], [0, INF]))
    assert [NAN, 1] == x  # 0 / 0, and a step over an infinite root
    assert [0, INF] == squares


def test_a_rate_of_a_narrower_type_limits_what_a_double_can_be() -> None:
    """R / (1 + T decay) may be computed in R's type: 1/3 of float32 is near enough."""
    (x, _) = _step(
        "Adagrad", Fraction(1), 2, [0], [1], [0], types=("float32", "float64"), decay_factor=1.0
    )
    (item,) = x.items
    assert isinstance(item, Enclosed)
    assert Fraction(item.low) <= -Fraction(11184811, 2**25) <= Fraction(item.high)  # type: ignore[arg-type]
