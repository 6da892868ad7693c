"""The oracle of Split, where versions differ and where the page is silent."""

from __future__ import annotations

import pytest

from onnx_conformance.generators.oracle.arith.grid import Grid, tensor_of, vector
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute


def _parts(
    version: int,
    size: int,
    *,
    outputs: int = 0,
    lengths: tuple[int, ...] | None = None,
    readings: dict[str, str] | None = None,
    **attributes: int,
) -> list[list[int]]:
    """The parts of the numbers from 0 to size - 1; lengths as an input."""
    inputs = {"input": tensor_of(vector("int64", range(size)))}
    if lengths is not None:
        inputs["split"] = tensor_of(vector("int64", lengths))
    call = Call(
        version,
        attributes,
        inputs,
        "Split",
        outputs=("outputs",) * outputs,
        readings=readings or {},
    )
    result = compute(call)
    assert all(isinstance(item, Grid) for item in result)
    return [list(item.items) for item in result if isinstance(item, Grid)]


def test_seven_in_four_parts_leave_one_for_the_last() -> None:
    assert [[0, 1], [2, 3], [4, 5], [6]] == _parts(18, 7, outputs=4, num_outputs=4)


def test_parts_that_run_out_are_an_open_question() -> None:
    with pytest.raises(OpenError, match="several-smaller-parts"):
        _parts(18, 5, outputs=4, num_outputs=4)
    readings = {"several-smaller-parts": "parts-run-out"}
    assert [[0, 1], [2, 3], [4], []] == _parts(18, 5, outputs=4, num_outputs=4, readings=readings)


def test_nothing_has_as_many_equal_parts_as_one_asks_for() -> None:
    assert [[], [], []] == _parts(18, 0, outputs=3, num_outputs=3)


def test_without_lengths_the_outputs_of_the_node_are_counted() -> None:
    assert [[0, 1], [2, 3], [4, 5]] == _parts(13, 6, outputs=3)


def test_before_version_18_an_axis_that_is_not_divisible_is_an_open_question() -> None:
    with pytest.raises(OpenError, match="not-divisible"):
        _parts(13, 5, outputs=2)


@pytest.mark.parametrize("lengths", [(2, 2), (3, 3), (2, -1, 4), (2, 3, 0)])
def test_lengths_must_make_up_the_axis_and_match_the_outputs(lengths: tuple[int, ...]) -> None:
    with pytest.raises(InvalidCallError):
        _parts(13, 5, outputs=2, lengths=lengths)


def test_split_and_num_outputs_exclude_each_other() -> None:
    with pytest.raises(InvalidCallError, match="both"):
        _parts(18, 4, lengths=(2, 2), num_outputs=2)


def test_more_outputs_than_parts_are_invalid() -> None:
    with pytest.raises(InvalidCallError, match="3 outputs for 2 parts"):
        _parts(18, 6, outputs=3, num_outputs=2)
