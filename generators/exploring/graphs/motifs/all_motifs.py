"""All motifs: what is there twice is drawn twice as often, and drawn ids hang on the order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .arithmetic import activation, choosing, folded, pointwise, reduction, spread, twice_read
from .identities import double, identity, neutral, there_and_back
from .layers import convolution, matrix, normalization, pooling
from .moving import joining, repeated, reshape, selection, through_shape, transpose
from .quantizing import quantized

if TYPE_CHECKING:
    from ..growing import Growing

MOTIFS: tuple[Callable[[Growing, str], None], ...] = (
    neutral,
    neutral,
    identity,
    there_and_back,
    there_and_back,
    double,
    double,
    reshape,
    through_shape,
    transpose,
    transpose,
    pointwise,
    pointwise,
    activation,
    activation,
    matrix,
    matrix,
    convolution,
    convolution,
    normalization,
    pooling,
    reduction,
    selection,
    selection,
    joining,
    choosing,
    quantized,
    quantized,
    repeated,
    twice_read,
    folded,
    spread,
)
