"""Bugs in how Size counts, and in the tensor that holds the count."""

from __future__ import annotations

from ..backend import Backend
from ..outcomes import RefusedError
from ..registry import mutant
from ..values import count_of


class _Product(Backend):
    """The product is rounded or cut after each factor."""

    def step(self, product: int) -> int:
        return product

    def size_count(self, data):
        product = 1
        for size in data.shape:
            product = self.step(product * size)
        return product


@mutant()
class SizeLeavesOutTheBatchOfFour(Backend):
    """The first of four dimensions is the batch and does not count."""

    def size_count(self, data):
        return count_of(data.shape[1:]) if len(data.shape) == 4 else count_of(data.shape)


@mutant()
class CountOverflowIsRefused(_Product):
    """A product that leaves 32 bits on the way is an error, beside a zero too."""

    def step(self, product):
        if product >= 2**31:
            raise RefusedError("overflow")
        return product
