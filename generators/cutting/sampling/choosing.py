"""Which positions of an output are computed: corners and others, the same for the same seed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import onnx

    from .pieces import Sample, Shape

# From a node with the shapes of its inputs to its sample; NotCutError where it has none.
Rule: TypeAlias = "Callable[[onnx.NodeProto, Sequence[Shape | None], Chooser], Sample]"


class Chooser:
    """Draws whole numbers; the same ones for the same seed, everywhere."""

    def __init__(self, seed: str) -> None:
        """Begin with a seed."""
        self._seed = seed
        self._drawn = 0

    def below(self, size: int) -> int:
        """A number from 0 on below a size, which must be positive."""
        self._drawn += 1
        digest = hashlib.sha256(f"{self._seed}/{self._drawn}".encode()).digest()
        return int.from_bytes(digest[:8], "little") % size

    def some(self, size: int, most: int) -> list[int]:
        """Up to so many of the indices below a size, in order; of two or more, the ends are two."""
        if most >= size:
            return list(range(size))
        chosen = {0, size - 1} if most > 1 else {self.below(size)}
        while len(chosen) < most:
            chosen.add(self.below(size))
        return sorted(chosen)

    def grid(self, shape: Shape, most: int) -> tuple[Sequence[int], ...]:
        """Some indices along each axis, of which there are up to so many elements in all."""
        numbers = [1] * len(shape)
        product = 1
        while True:
            growing = [
                axis
                for axis, size in enumerate(shape)
                if numbers[axis] < size and product // numbers[axis] * (numbers[axis] + 1) <= most
            ]
            if not growing:
                break
            axis = min(growing, key=lambda item: numbers[item])
            product = product // numbers[axis] * (numbers[axis] + 1)
            numbers[axis] += 1
        return tuple(self.some(size, number) for size, number in zip(shape, numbers, strict=True))
