from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.situations.covering import covering

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SIZES = [(2, 2), (3, 4), (2, 2, 2), (4, 4, 4), (3, 1, 5, 2), (2,) * 10, (10, 10, 10, 10)]


def parameters_of(sizes: Sequence[int]) -> dict[str, list[int]]:
    return {f"p{index}": list(range(size)) for index, size in enumerate(sizes)}


def pairs(rows: Sequence[Mapping[str, int]]) -> set[tuple[str, int, str, int]]:
    return {
        (first, row[first], second, row[second])
        for row in rows
        for first, second in combinations(row, 2)
    }


def every_row(parameters: Mapping[str, Sequence[int]]) -> list[dict[str, int]]:
    return [dict(zip(parameters, values, strict=True)) for values in product(*parameters.values())]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_every_pair_of_values_is_in_a_row(sizes: tuple[int, ...]) -> None:
    parameters = parameters_of(sizes)
    expected = {
        (first, one, second, other)
        for first, second in combinations(parameters, 2)
        for one, other in product(parameters[first], parameters[second])
    }
    assert expected == pairs(covering(parameters))


def test_there_are_far_fewer_rows_than_combinations() -> None:
    parameters = parameters_of((4, 4, 4))
    assert 16 <= len(covering(parameters)) < 64 / 2


def test_the_same_rows_come_again() -> None:
    parameters = parameters_of((3, 4, 2, 3))
    assert covering(parameters) == covering(parameters)


def test_each_row_adds_a_pair() -> None:
    rows = covering(parameters_of((3, 3, 3)))
    assert all(pairs(rows[: index + 1]) > pairs(rows[:index]) for index in range(1, len(rows)))


def test_the_first_of_equal_rows_is_taken() -> None:
    assert {"p0": 0, "p1": 0, "p2": 0} == covering(parameters_of((2, 3, 2)))[0]


def test_one_parameter_has_a_row_for_each_value() -> None:
    assert ({"p0": 0}, {"p0": 1}, {"p0": 2}) == covering(parameters_of((3,)))


def test_no_parameter_and_no_value_make_no_row() -> None:
    assert () == covering({})
    assert () == covering({"a": [1, 2], "b": []})


def test_values_may_be_lists() -> None:
    rows = covering({"axes": [[0], [1, 2]], "keep": [[1]]})
    assert ({"axes": [0], "keep": [1]}, {"axes": [1, 2], "keep": [1]}) == rows


def odd_sum(row: Mapping[str, int]) -> bool:
    return sum(row.values()) % 2 == 1


def test_no_row_is_forbidden() -> None:
    assert all(odd_sum(row) for row in covering(parameters_of((3, 4, 3)), odd_sum))


def test_every_pair_that_a_permitted_row_holds_is_there() -> None:
    parameters = parameters_of((3, 4, 3))
    expected = pairs([row for row in every_row(parameters) if odd_sum(row)])
    assert expected == pairs(covering(parameters, odd_sum))


def test_where_all_is_forbidden_there_is_no_row() -> None:
    assert () == covering(parameters_of((2, 2)), lambda _: False)
