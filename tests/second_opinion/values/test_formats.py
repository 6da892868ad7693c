"""Numbers of the narrow types: their bits, and rounding to them."""

from __future__ import annotations

import numpy as np
import pytest
from second_opinion.values.formats import LD, NARROW, encode, round_to, table


@pytest.mark.parametrize("name", NARROW)
def test_encoding_is_the_reverse_of_decoding(name: str) -> None:
    numbers = table(name)
    kept = ~np.isnan(numbers)
    assert np.array_equal(np.flatnonzero(kept), encode(name, numbers)[kept])


def test_a_tie_goes_to_the_even_neighbour() -> None:
    # bfloat16 has 8 digits: 257 lies between 256 and 258, 259 between 258 and 260.
    assert [256, 260, 256, -260] == list(
        round_to("bfloat16", np.array([257, 259, 256.9, -259], LD))
    )


def test_beyond_the_range_there_is_infinity_or_what_the_type_has() -> None:
    assert [65504, np.inf] == list(round_to("float16", np.array([65519, 65520], LD)))
    assert [448, True] == [
        item if item == item else True  # noqa: PLR0124  NaN
        for item in round_to("float8e4m3fn", np.array([463, 465], LD))
    ]
    assert [6] == list(round_to("float4e2m1", np.array([100], LD)))


def test_a_number_between_two_is_not_encoded() -> None:
    with pytest.raises(ValueError, match="no value of float16"):
        encode("float16", np.array([0.1], LD))
