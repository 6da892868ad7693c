"""The oracle of Multinomial: its laws hold for right draws, and wrong samplers break one."""

from __future__ import annotations

import math
import random
import struct
from typing import TYPE_CHECKING, Any

import pytest

from onnx_conformance.core.values.laws import broken
from onnx_conformance.core.values.tensors import Drawn, Tensor
from onnx_conformance.generators.oracle import Call, InvalidCallError, OpenError, compute

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROWS = [[4.0, 2.0, 0.0], [0.0, 2.0, 4.0]]
MANY = 1400
INT32, INT64 = 6, 7


def _drawn(rows: Sequence[Sequence[float]], count: int, **changes: Any) -> Drawn:  # noqa: ANN401
    flat = [item for row in rows for item in row]
    data = Tensor("float32", (len(rows), len(rows[0])), struct.pack(f"<{len(flat)}f", *flat))
    readings = changes.pop("readings", {})
    attributes = {"dtype": INT32, "sample_size": count, **changes}
    call = Call(22, attributes, {"input": data}, "Multinomial", readings=readings)
    (result,) = compute(call)
    assert isinstance(result, Drawn)
    return result


def _fault(drawn: Drawn, items: Sequence[int]) -> str | None:
    data = struct.pack(f"<{len(items)}i", *items)
    return broken(drawn.laws, Tensor("int32", drawn.shape, data), {})


def _sampled(weights: Sequence[Sequence[float]], seed: int, count: int) -> list[int]:
    chance = random.Random(seed)  # noqa: S311  draws that can be made again
    return [
        item for row in weights for item in chance.choices(range(len(row)), weights=row, k=count)
    ]


def _powers(rows: Sequence[Sequence[float]], base: float = math.e) -> list[list[float]]:
    return [[base**item for item in row] for row in rows]


def _over_the_batch(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    sums = [sum(column) for column in zip(*_powers(rows), strict=True)]
    return [[x / total for x, total in zip(row, sums, strict=True)] for row in _powers(rows)]


FAULTS: dict[str, Callable[[Sequence[Sequence[float]]], Sequence[Sequence[float]]]] = {
    "the logarithms taken for probabilities": lambda rows: rows,
    "outcomes in reverse order": lambda rows: [row[::-1] for row in _powers(rows)],
    "the first row for all": lambda rows: [_powers(rows)[0]] * len(rows),
    "all alike": lambda rows: [[1.0] * len(row) for row in rows],
    "normalized over the batch": _over_the_batch,
    "the most probable outcome alone": lambda rows: _powers(rows, 1e9),
    "the sign of the logarithm": lambda rows: _powers(rows, 1 / math.e),
    "the first outcome never": lambda rows: [[0.0, *row[1:]] for row in _powers(rows)],
    "the last outcome never": lambda rows: [[*row[:-1], 0.0] for row in _powers(rows)],
}


def test_the_oracles_draws_keep_the_laws() -> None:
    for rows in (ROWS, [[0.0] * 1000], [[-math.inf, 0.0, -1000.0, 1.0]], [[1000.0, 996.0]]):
        drawn = _drawn(rows, MANY)
        assert broken(drawn.laws, drawn, {}) is None


def test_a_right_sampler_keeps_the_laws() -> None:
    drawn = _drawn(ROWS, MANY)
    assert [None] * 50 == [_fault(drawn, _sampled(_powers(ROWS), seed, MANY)) for seed in range(50)]


@pytest.mark.parametrize("name", FAULTS)
def test_a_wrong_sampler_breaks_a_law_whatever_it_draws(name: str) -> None:
    drawn = _drawn(ROWS, MANY)
    weights = FAULTS[name](ROWS)
    for seed in range(50):
        assert _fault(drawn, _sampled(weights, seed, MANY)) is not None


def test_powers_of_2_break_a_law_of_4096_draws() -> None:
    rows, count = ROWS[1:], 4096
    drawn = _drawn(rows, count)
    for seed in range(50):
        assert _fault(drawn, _sampled(_powers(rows), seed, count)) is None
        assert _fault(drawn, _sampled(_powers(rows, 2), seed, count)) is not None


def test_an_outcome_without_probability_never_comes() -> None:
    drawn = _drawn([[0.0, -math.inf, 1.5]], 3)
    assert _fault(drawn, [0, 2, 2]) is None
    assert _fault(drawn, [0, 2, 1]) is not None


def test_an_outcome_that_is_certain_comes_always() -> None:
    drawn = _drawn([[-1000.0, 0.0], [0.0, -1000.0]], 2)
    assert _fault(drawn, [1, 1, 0, 0]) is None
    assert _fault(drawn, [1, 1, 0, 1]) is not None


def test_no_outcome_is_beyond_the_columns() -> None:
    drawn = _drawn([[0.0, 0.0]], 3)
    assert _fault(drawn, [0, 1, 1]) is None
    assert _fault(drawn, [0, 1, 2]) is not None
    assert _fault(drawn, [0, 1, -1]) is not None


def test_outcomes_that_never_come_are_known_among_many() -> None:
    rows = [[0.0, -math.inf] * 8]
    drawn = _drawn(rows, 4)
    assert _fault(drawn, [0, 2, 14, 8]) is None
    assert _fault(drawn, [0, 2, 14, 15]) is not None


def test_parts_of_many_outcomes_come_as_often_as_they_should() -> None:
    drawn = _drawn([[0.0] * 1000], 2048)
    for seed in range(20):
        chance = random.Random(seed)  # noqa: S311  draws that can be made again
        assert _fault(drawn, [chance.randrange(1000) for _ in range(2048)]) is None
        assert _fault(drawn, [chance.randrange(500) for _ in range(2048)]) is not None


def test_the_output_has_the_type_of_dtype_and_so_many_columns() -> None:
    drawn = _drawn(ROWS, 5, dtype=INT64)
    assert ("int64", (2, 5)) == (drawn.type, drawn.shape)


def test_seeds_give_draws_of_their_own() -> None:
    assert _drawn(ROWS, 64, seed=3.0).data == _drawn(ROWS, 64, seed=3.0).data
    assert _drawn(ROWS, 64, seed=3.0).data != _drawn(ROWS, 64, seed=4.0).data


@pytest.mark.parametrize("row", [[0.0, math.nan], [0.0, math.inf], [-math.inf], []])
def test_a_row_that_is_no_distribution_is_open(row: list[float]) -> None:
    with pytest.raises(OpenError, match="no-distribution"):
        _drawn([row], 2)
    assert (1, 2) == _drawn([row], 2, readings={"no-distribution": "drawn"}).shape
    with pytest.raises(InvalidCallError):
        _drawn([row], 2, readings={"no-distribution": "rejected"})


def test_whether_one_may_draw_no_time_is_open() -> None:
    assert (2, 0) == _drawn(ROWS, 0, readings={"no-draws": "nothing-drawn"}).shape
    with pytest.raises(InvalidCallError, match="no-draws"):
        _drawn(ROWS, 0, readings={"no-draws": "rejected"})


def test_a_negative_number_of_draws_is_invalid() -> None:
    with pytest.raises(InvalidCallError, match="sample_size is -1"):
        _drawn(ROWS, -1)


@pytest.mark.parametrize("code", [1, 12, 999])
def test_another_type_than_int32_and_int64_is_invalid(code: int) -> None:
    with pytest.raises(InvalidCallError, match="neither int32 nor int64"):
        _drawn(ROWS, 2, dtype=code)


@pytest.mark.parametrize("shape", [(), (3,), (1, 3, 1)])
def test_the_input_is_a_matrix(shape: tuple[int, ...]) -> None:
    data = Tensor("float32", shape, bytes(4 * math.prod(shape)))
    with pytest.raises(InvalidCallError, match="no matrix of floats"):
        compute(Call(22, {"dtype": 6, "sample_size": 1}, {"input": data}, "Multinomial"))
