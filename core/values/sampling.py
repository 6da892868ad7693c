"""Some elements of a tensor: what is compared where the others were too much to compute."""

from __future__ import annotations

from collections.abc import Sequence

from .elements import element_type
from .tensors import Bounded, Sampled, Tensor


def sampled(value: Tensor, positions: Sequence[int]) -> Sampled:
    """An expected tensor of which only the elements at some row-major positions are compared.

    Args:
        value: the tensor, with its limits if it has any.
        positions: each below its number of elements, each once, in order.
    """
    return Sampled(
        value.type, value.shape, value.data, tuple(positions), elements_at(value, positions)
    )


def elements_at(value: Tensor, positions: Sequence[int]) -> Tensor:
    """The elements of a tensor at some row-major positions in one dimension, with their limits."""
    taken = _taken(value, positions)
    if not isinstance(value, Bounded):
        return taken
    limits = {
        profile: (_taken(low, positions), _taken(high, positions))
        for profile, (low, high) in value.limits.items()
    }
    return Bounded(taken.type, taken.shape, taken.data, limits, value.rules)


def _taken(value: Tensor, positions: Sequence[int]) -> Tensor:
    shape = (len(positions),)
    if isinstance(value.data, tuple):
        return Tensor(value.type, shape, tuple(value.data[index] for index in positions))
    bits = element_type(value.type).bits
    if bits >= 8:
        size = bits // 8
        data = b"".join(value.data[size * index : size * (index + 1)] for index in positions)
        return Tensor(value.type, shape, data)
    # Packed over the whole tensor, low bits first, as raw_data has them; one may lie in two bytes.
    packed = 0
    for place, index in enumerate(positions):
        first = bits * index // 8
        here = int.from_bytes(value.data[first : first + 2], "little") >> (bits * index % 8)
        packed |= (here & ((1 << bits) - 1)) << (bits * place)
    count = (bits * len(positions) + 7) // 8
    return Tensor(value.type, shape, packed.to_bytes(count, "little"))
