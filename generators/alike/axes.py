"""Names for the axes of a call's inputs and outputs: what belongs together has one name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

# A name for each axis of a tensor; an axis that is never made smaller may have an empty one.
Labels: TypeAlias = tuple[str, ...]
# The name of an input, and which of its values if it is variadic.
Place: TypeAlias = tuple[str, int]


@dataclass(frozen=True)
class Axes:
    """Along which axes the positions of a call are independent of each other.

    Where a name stands among the independent ones, the elements of an output at one position along
    it follow from the elements of the inputs at that position alone, and along axes without that
    name from all; and no position is computed otherwise than another.

    Attributes:
        inputs: a name for each axis of an input; an input that is not there stays as it is.
        outputs: a name for each axis of an output, by its position in the signature.
        independent: names of axes. Those that stand together make positions together: a row at
            each of their index pairs, such as batch and channel. Each input that has one of them
            has the first.
        counts: attributes that count positions along independent axes, such as the number of
            groups of a convolution, with the place of these in `independent`.
        shape: the shape to which the inputs named above are broadcast first; None if they are not.
    """

    inputs: Mapping[Place, Labels]
    outputs: Mapping[int, Labels]
    independent: tuple[Labels, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    shape: tuple[int, ...] | None = None
