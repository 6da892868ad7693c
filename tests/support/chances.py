"""How probable a number of ones is: chances that are computed, not tried."""

from __future__ import annotations

import math


def chance_of_ones(count: int, chance: float, least: float, most: float) -> float:
    """How probable so many ones are, from least to most, among `count` draws of this chance."""
    logs = math.log(chance), math.log1p(-chance)
    return math.fsum(
        math.exp(
            math.lgamma(count + 1)
            - math.lgamma(ones + 1)
            - math.lgamma(count - ones + 1)
            + ones * logs[0]
            + (count - ones) * logs[1]
        )
        for ones in range(max(math.ceil(least), 0), min(math.floor(most), count) + 1)
    )


def chance_of_no_ones(count: int, chance: float, least: float, most: float) -> float:
    """How probable another number of ones is."""
    below = chance_of_ones(count, chance, 0, math.ceil(least) - 1)
    return below + chance_of_ones(count, chance, math.floor(most) + 1, count)
