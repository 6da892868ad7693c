"""Where elements come from in runtimes that are wrong about large tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from strength.sizes import places

if TYPE_CHECKING:
    from strength.sizes.places import Fault

_ = places.NOTHING


@pytest.mark.parametrize(
    ("fault", "shape", "expected"),
    [
        (places.first(3), (5,), [0, 1, 2, _, _]),
        (places.first(5), (5,), None),
        (places.first(0), (), [_]),
        (places.no_tail(4), (6,), [0, 1, 2, 3, _, _]),
        (places.no_tail(4), (8,), None),
        (places.no_tail(4), (3,), None),
        (places.no_tail_of_rows(2), (2, 3), [0, 1, _, 3, 4, _]),
        (places.no_tail_of_rows(2), (3, 2), None),
        (places.no_tail_of_rows(2), (0, 3), None),
        (places.last_block_again(3), (8,), [0, 1, 2, 3, 4, 5, 3, 4]),
        (places.last_block_again(4), (8,), None),
        (places.last_block_again(4), (3,), None),
        (places.rows_begin_again(2), (2, 3), [0, 1, 0, 3, 4, 3]),
        (places.rows_begin_again(3), (2, 3), None),
        (places.first_rows_again(2), (3, 2), [0, 1, 2, 3, 0, 1]),
        (places.first_rows_again(2), (3,), None),
        (places.first_rows_again(2), (3, 0), None),
    ],
)
def test_where_elements_come_from(
    fault: Fault, shape: tuple[int, ...], expected: list[int] | None
) -> None:
    found = fault(shape)
    assert expected == (None if found is None else found.tolist())


def test_the_second_thread_begins_one_too_early() -> None:
    found = places.second_thread_shifted((40_000,))
    assert found is not None
    assert [19_999, 19_999, 20_000, 39_998] == found[[19_999, 20_000, 20_001, 39_999]].tolist()
    assert places.second_thread_shifted((32_767,)) is None


def test_offsets_of_16_bits_read_the_first_elements_again() -> None:
    found = places.read_at_16_bits((65_538,))
    assert found is not None
    assert [65_535, 0, 1] == found[-3:].tolist()
    assert places.read_at_16_bits((65_536,)) is None


def test_offsets_of_16_bits_write_upon_the_first_elements() -> None:
    found = places.written_at_16_bits((65_538,))
    assert found is not None
    assert [65_536, 65_537, 2] == found[:3].tolist()
    assert [places.NOTHING] * 2 == found[65_536:].tolist()
    assert np.array_equal(np.arange(2, 65_536), found[2:65_536])
