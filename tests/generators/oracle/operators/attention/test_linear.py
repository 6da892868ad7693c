"""The oracle of LinearAttention: its rules beside NumPy's, and what its limits let pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.accuracy.limits import accepts, misfits
from onnx_conformance.generators.oracle.arith.grid import Enclosed, Grid, grid_of, tensor_of
from onnx_conformance.generators.oracle.arith.numbers import NAN, fraction, real
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.operators.attention.recurrence import Limits
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

BATCH, TOKENS, QUERIES, STATES, ROWS, COLUMNS = 2, 6, 4, 2, 3, 2
RULES = ["linear", "gated", "delta", "gated_delta"]


def _tensor(array: Array) -> Tensor:
    return Tensor(array.dtype.name, array.shape, array.tobytes())


def _grids(inputs: Mapping[str, Array], rule: str, **attributes: float) -> tuple[Grid, Grid]:
    given = {
        "chunk_size": 64,
        "scale": 0.0,
        "q_num_heads": QUERIES,
        "kv_num_heads": STATES,
        "update_rule": rule,
        **attributes,
    }
    call = Call(
        27, given, {name: _tensor(array) for name, array in inputs.items()}, "LinearAttention"
    )
    output, state = compute(call)
    assert isinstance(output, Grid)
    assert isinstance(state, Grid)
    return output, state


def _inputs(rule: str) -> dict[str, Array]:
    """Random inputs for a rule; keys have the length 1, as the page advises."""
    random = np.random.default_rng(7)

    def normal(*shape: int) -> Array:
        return random.normal(size=(BATCH, *shape)).astype(np.float32)

    keys = normal(TOKENS, STATES, ROWS)
    keys /= np.linalg.norm(keys, axis=-1, keepdims=True)
    found = {
        "query": normal(TOKENS, QUERIES * ROWS),
        "key": keys.reshape(BATCH, TOKENS, STATES * ROWS),
        "value": normal(TOKENS, STATES * COLUMNS),
        "past_state": normal(STATES, ROWS, COLUMNS),
    }
    if rule.startswith("gated"):
        found["decay"] = -abs(normal(TOKENS, STATES))
    if rule.endswith("delta"):
        found["beta"] = random.random((BATCH, TOKENS, STATES)).astype(np.float32)
    return found


def _one_by_one(inputs: Mapping[str, Array], kind: type) -> tuple[Array, Array]:
    """The recurrence of the page, all in one type."""
    given = {name: array.astype(kind) for name, array in inputs.items()}
    state = given["past_state"]
    outputs = []
    for token in range(TOKENS):
        query = given["query"][:, token].reshape(BATCH, QUERIES, ROWS)
        key = given["key"][:, token].reshape(BATCH, STATES, ROWS, 1)
        value = given["value"][:, token].reshape(BATCH, STATES, 1, COLUMNS)
        if "decay" in given:
            state = np.exp(given["decay"][:, token])[..., None, None] * state
        if "beta" in given:
            known = (key * state).sum(axis=2, keepdims=True)
            value = given["beta"][:, token][..., None, None] * (value - known)
        state = state + key * value
        seen = np.repeat(state, QUERIES // STATES, axis=1)
        outputs.append((query[..., None] * seen).sum(axis=2) * kind(1 / np.sqrt(ROWS)))
    stacked = np.stack(outputs, axis=1).reshape(BATCH, TOKENS, QUERIES * COLUMNS)
    return stacked.astype(np.float32), state.astype(np.float32)


def _in_a_chunk(inputs: Mapping[str, Array]) -> tuple[Array, Array]:
    """All tokens at once, in float32: a triangular system of the keys' products (DeltaNet)."""

    def heads(name: str, count: int) -> Array:
        return inputs[name].reshape(BATCH, TOKENS, count, -1).transpose(0, 2, 1, 3)

    query, key, value = heads("query", QUERIES), heads("key", STATES), heads("value", STATES)
    past, rate = inputs["past_state"], heads("beta", STATES)
    total = np.cumsum(heads("decay", STATES), axis=2)
    since = np.tril(np.exp(np.tril(total - total.swapaxes(2, 3))))
    among = np.tril(rate * (key @ key.swapaxes(2, 3)) * since, -1)
    missing = rate * (value - np.exp(total) * (key @ past))
    written = np.linalg.solve(np.eye(TOKENS, dtype=np.float32) + among, missing)
    group = QUERIES // STATES
    keys, writes, pasts, decays, totals = (
        np.repeat(item, group, axis=1) for item in (key, written, past, since, total)
    )
    read = np.exp(totals) * (query @ pasts) + (query @ keys.swapaxes(2, 3) * decays) @ writes
    read *= np.float32(1 / np.sqrt(ROWS))
    last = total[:, :, -1:]
    state = np.exp(last) * past + (key * np.exp(last - total)).swapaxes(2, 3) @ written
    return read.transpose(0, 2, 1, 3).reshape(BATCH, TOKENS, QUERIES * COLUMNS), state


@pytest.mark.parametrize("rule", RULES)
def test_the_recurrence_of_numpy_gives_the_same_values(rule: str) -> None:
    inputs = _inputs(rule)
    for grid, array in zip(_grids(inputs, rule), _one_by_one(inputs, np.float64), strict=True):
        assert grid.shape == array.shape
        found = [float(item) for item in grid_of(tensor_of(grid)).items]
        np.testing.assert_allclose(found, array.ravel(), rtol=1e-6)


@pytest.mark.parametrize("rule", RULES)
def test_float32_passes_and_float16_does_not(rule: str) -> None:
    inputs = _inputs(rule)
    expected = _grids(inputs, rule)
    good, bad = _one_by_one(inputs, np.float32), _one_by_one(inputs, np.float16)
    assert [[], []] == [misfits(g, _tensor(a)) for g, a in zip(expected, good, strict=True)]
    assert all(misfits(grid, _tensor(array)) for grid, array in zip(expected, bad, strict=True))


def test_tokens_may_be_taken_in_a_chunk() -> None:
    inputs = _inputs("gated_delta")
    found = [np.ascontiguousarray(item) for item in _in_a_chunk(inputs)]
    expected = _grids(inputs, "gated_delta")
    assert [[], []] == [misfits(g, _tensor(a)) for g, a in zip(expected, found, strict=True)]


def test_whole_numbers_are_exact() -> None:
    inputs = {name: np.round(array) for name, array in _inputs("delta").items()}
    output, _ = _grids(inputs, "delta", scale=2.0)
    wrong = grid_of(tensor_of(output)).map(lambda item: item * Fraction(1000001, 1000000))
    assert any(wrong.items)
    assert [place for place, item in enumerate(wrong.items) if item] == misfits(
        output, tensor_of(wrong)
    )


@pytest.mark.parametrize(
    ("rule", "dropped"), [("gated", "decay"), ("delta", "beta"), ("gated_delta", "decay")]
)
def test_a_rule_needs_its_inputs(rule: str, dropped: str) -> None:
    inputs = _inputs(rule)
    del inputs[dropped]
    with pytest.raises(InvalidCallError, match=f"{dropped} is absent"):
        _grids(inputs, rule)


def test_an_input_of_another_rule_is_a_question() -> None:
    with pytest.raises(OpenError, match="input-of-another-rule"):
        _grids({**_inputs("linear"), "decay": _inputs("gated")["decay"]}, "linear")


def test_the_type_of_a_first_state_is_a_question() -> None:
    inputs = _inputs("linear")
    del inputs["past_state"]
    values = {name: _tensor(array) for name, array in inputs.items()}
    given = {"scale": 1.0, "q_num_heads": 4, "kv_num_heads": 2, "update_rule": "linear"}
    with pytest.raises(OpenError, match="type-of-a-first-state"):
        compute(Call(27, given, values, "LinearAttention", types={"T": "float32", "S": "float16"}))


def test_what_is_read_beside_a_state_that_overflowed_may_be_anything_and_before_it_not() -> None:
    inputs = {
        "query": np.asarray([[[1, 0], [0, 1]]], np.float32),
        "key": np.asarray([[[1, 0], [0, 1]]], np.float32),
        "value": np.asarray([[[1], [2]]], np.float32),
        "decay": np.asarray([[[0, 0], [1, 1]]], np.float32),
        "past_state": np.asarray([[[[3e38], [1]]]], np.float32),
    }
    output, state = _grids(inputs, "gated", scale=1.0, q_num_heads=1, kv_num_heads=1)
    before, beside = output.items
    assert not accepts("float32", before, NAN)
    assert accepts("float32", beside, NAN)
    assert all(accepts("float32", item, NAN) for item in state.items)


def _of_one_head(rule: str, **inputs: object) -> tuple[Grid, Grid]:
    """Results of one head with a scale of 1."""
    arrays = {name: np.array(item, np.float32) for name, item in inputs.items()}
    return _grids(arrays, rule, q_num_heads=1, kv_num_heads=1, scale=1.0)


@pytest.mark.parametrize(
    ("key", "value", "beta"),
    [
        ([3e38, 3e38], 3.0, 0.0),  # what the key knows is beyond float32
        ([0.0, 0.0], -2.0, 3e38),  # the correction is
    ],
)
def test_beside_an_intermediate_that_overflows_everything_is_accepted(
    key: list[float], value: float, beta: float
) -> None:
    output, _ = _of_one_head(
        "delta",
        query=[[[1, 0], [1, 0]]],
        key=[[[1, 0], key]],
        value=[[[2.0], [value]]],
        beta=[[[1.0], [beta]]],
    )
    assert [False, True] == [accepts("float32", item, NAN) for item in output.items]


def test_an_infinity_may_meet_a_product_that_overflows_to_the_other() -> None:
    output, _ = _of_one_head(
        "linear",
        query=[[[-3e38, np.inf], [-1.0, np.inf]]],
        key=[[[1, 1], [0, 0]]],
        value=[[[3.5], [1.0]]],
    )
    assert [True, False] == [accepts("float32", item, NAN) for item in output.items]


def test_half_a_unit_that_is_lost_is_multiplied_by_the_key() -> None:
    least = 2.0**-149
    _, state = _of_one_head(
        "delta", query=[[[1.0]]], key=[[[-13.0]]], value=[[[8.5]]], beta=[[[least]]]
    )
    # 8.5 units become 8 or 9 before they are multiplied.
    assert accepts("float32", state.items[0], Fraction(least) * -13 * 8)
    assert not accepts("float32", state.items[0], Fraction(least) * -13 * 4)


def test_limits_of_a_device_hold_those_of_a_state_that_is_kept_in_a_narrower_type() -> None:
    least = 2.0**-24  # of float16, in which the sums of a float32 state may be kept
    limits = Limits("float16", Fraction(1), Fraction(16))
    item = limits.item("float32", (Fraction(3 * least), Fraction(3 * least)), 8, None)
    assert isinstance(item, Enclosed)
    ends = [fraction(real(end)) for end in (item.gpu_low, item.low, item.high, item.gpu_high)]
    assert sorted(ends) == ends
