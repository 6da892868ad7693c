"""The order of the elements in a row, for operators that say where the greatest stand.

No page says where NaN stands among numbers. Wherever that is, the numbers keep their own order: a
row of 1, NaN and 3 never has 1 above 3.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arith.numbers import NEG_ZERO, ZERO, Real, is_nan, order
from ...registry import Call


def ranked(call: Call, row: Sequence[Real], *, greatest: bool, last: bool = False) -> list[int]:
    """The positions in a row, the greatest or the least element first.

    Equal elements stand in the order of their positions, or with `last` in the reverse one. Where
    NaN stands, and whether zeros of both signs are equal, the call must say.
    """
    nan_is_greatest = zeros_are_equal = True
    nans = sum(map(is_nan, row))
    if 0 < nans < len(row):
        nan_is_greatest = call.choose("nan-in-a-row", "greatest", "least") == "greatest"
    if NEG_ZERO in row and any(item == 0 for item in row):
        zeros_are_equal = call.choose("zeros-of-both-signs", "equal", "ordered") == "equal"

    def key(position: int) -> tuple[int, object]:
        item = row[position]
        if is_nan(item):
            return (1 if nan_is_greatest else -1), ()
        return 0, order(ZERO if item is NEG_ZERO and zeros_are_equal else item)

    positions = range(len(row) - 1, -1, -1) if last else range(len(row))
    if not greatest:
        return sorted(positions, key=key)
    # With `reverse` a sort keeps equal elements in their order.
    return sorted(positions, key=key, reverse=True)
