"""DFT 17 and 20, and STFT 17: spectra of signals. Sources: their pages, all parts.

The last axis holds a number's real part, or its real and its imaginary part.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...arith.grid import Grid, Item, lines
from ...arith.numbers import ZERO, Real, is_finite, mul, neg, real
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from ..flags import is_one
from .turns import Point, transformed

# Longer signals are in no vector; forms and samples of calls try numbers at random.
_MOST = 1 << 10
_REAL, _COMPLEX = 1, 2
_AXIS_IS_AN_INPUT = 20


@oracle("DFT")
def discrete_fourier_transform(call: Call) -> Result:
    """The spectrum along an axis, or the signal that has it.

    The last axis of the input holds a real number (size 1) or a complex one (size 2); `dft_length`
    cuts the signal or pads it with zeros. The output has that length along the axis, or
    floor(length / 2) + 1 bins if it is onesided; its last axis is 2, or 1 for an inverse that is
    onesided. Refused: an axis that does not exist, a length below 0.
    """
    grid = call.grid("input")
    onesided = is_one(call, "onesided")
    inverse = call.int_attribute("inverse") != 0
    if call.int_attribute("inverse") not in (0, 1):
        refuse_if_chosen(call, "inverse-of-neither", "inverse")
    parts = _parts(grid, real_only=onesided and not inverse, complex_only=onesided and inverse)
    axis = _axis(call, grid.rank)
    size = grid.shape[axis]
    length = 2 * (size - 1) if onesided and inverse else size
    if call.has("dft_length"):
        length = call.integer("dft_length")
    if not 0 <= length <= _MOST:
        raise InvalidCallError(f"a signal of {length}")
    if length == 0:
        refuse_if_chosen(call, "no-length", "nothing")
    bins = _half(length) if onesided and not inverse else length
    kept = _half(length) if onesided and inverse else length
    wide = _REAL if onesided and inverse else _COMPLEX
    shape = (*grid.shape[:axis], bins, *grid.shape[axis + 1 : -1])
    items: list[Item] = [ZERO] * math.prod((*shape, wide))
    for given, made in zip(lines(grid.shape[:-1], axis), lines(shape, axis), strict=True):
        line = _padded([_point(grid, parts, place) for place in given], kept)
        if onesided and inverse:
            line = _mirrored(line, length)
        _ask_of_what_is_not_finite(call, line, bins)
        found = transformed(grid.type, line, range(bins), inverse=inverse)
        for place, pair in zip(made, found, strict=True):
            items[place * wide : place * wide + wide] = pair[:wide]
    return (Grid(grid.type, (*shape, wide), items),)


@oracle("STFT")
def short_time_fourier_transform(call: Call) -> Result:
    """The spectrum of each piece of a signal, times a window.

    The signal is (batch, length, 1 or 2); the output is (batch, frames, bins, 2), with as many
    frames as fit in whole. A frame has the length of the window, or `frame_length`. Refused:
    another rank, a step that is not above 0, a frame below 0, a window of another length than the
    frame.
    """
    grid = call.grid("signal", rank=3)
    onesided = is_one(call, "onesided")
    parts = _parts(grid, real_only=onesided, complex_only=False)
    step = call.integer("frame_step")
    if step <= 0:
        raise InvalidCallError(f"a step of {step}")
    batch, size, _ = grid.shape
    window, length = _window(call, size)
    if length > size:
        refuse_if_chosen(call, "frame-beyond-the-signal", "no-frame")
    frames = max((size - length) // step + 1, 0)
    bins = _half(length) if onesided else length
    items: list[Item] = []
    for first in range(batch):
        for frame in range(frames):
            start = first * size + frame * step
            points = [_point(grid, parts, start + place) for place in range(length)]
            pairs = zip(points, window, strict=True)
            line = [(real(mul(a, w)), real(mul(b, w))) for (a, b), w in pairs]
            _ask_of_what_is_not_finite(call, line, bins)
            found = transformed(grid.type, line, range(bins), weighted=call.has("window"))
            items += [part for pair in found for part in pair]
    return (Grid(grid.type, (batch, frames, bins, _COMPLEX), items),)


def _window(call: Call, size: int) -> tuple[Sequence[Real], int]:
    """The weights of a piece, and its length."""
    window = call.optional_grid("window")
    length = size if window is None else len(window.items)
    if call.has("frame_length"):
        length = call.integer("frame_length")
    if not 0 <= length <= _MOST:
        raise InvalidCallError(f"a frame of {length}")
    if length == 0:
        refuse_if_chosen(call, "frame-of-nothing", "nothing")
    if window is None:
        return [1] * length, length
    if window.shape != (length,):
        raise InvalidCallError(f"a window of shape {list(window.shape)} for frames of {length}")
    return window.items, length


def _ask_of_what_is_not_finite(call: Call, line: Sequence[Point], bins: int) -> None:
    """Some factors are zero, and a transform need not multiply by them."""
    if bins and not all(is_finite(part) for point in line for part in point):
        call.choose("not-finite", "everywhere", "somewhere")


def _parts(grid: Grid, *, real_only: bool, complex_only: bool) -> int:
    """How many parts an element has; InvalidCallError where it may not have so many."""
    parts = grid.shape[-1] if grid.rank > 1 else 0
    allowed = [_REAL] if real_only else [_COMPLEX] if complex_only else [_REAL, _COMPLEX]
    if parts not in allowed:
        raise InvalidCallError(f"{parts} parts of a number, not {' or '.join(map(str, allowed))}")
    return parts


def _axis(call: Call, rank: int) -> int:
    """The axis of the signal: never the last one, which holds the parts of a number."""
    if call.since_version < _AXIS_IS_AN_INPUT:
        axis = call.int_attribute("axis")
    else:
        axis = call.integer("axis") if call.has("axis") else -2
    if axis not in (*range(-rank, -1), *range(rank - 1)):
        raise InvalidCallError(f"no axis {axis} of a signal of rank {rank}")
    return axis % rank


def _point(grid: Grid, parts: int, place: int) -> Point:
    return (
        grid.items[place * parts],
        grid.items[place * parts + 1] if parts == _COMPLEX else ZERO,
    )


def _padded(line: list[Point], size: int) -> list[Point]:
    """The first elements, and zeros behind them."""
    return line[:size] + [(ZERO, ZERO)] * (size - len(line))


def _mirrored(half: Sequence[Point], length: int) -> list[Point]:
    """A whole spectrum of its first half: that of a real signal is symmetric."""
    line = list(half[:length])
    for place in range(len(line), length):
        first, second = half[length - place]
        line.append((first, real(neg(second))))
    return line


def _half(length: int) -> int:
    return length // 2 + 1
