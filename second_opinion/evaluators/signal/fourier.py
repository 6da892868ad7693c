"""Discrete Fourier transforms, as sums."""

from __future__ import annotations

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import LD, Array
from ...values.tensors import Arr, CannotAnswerError, fit
from ..elementwise.functions import LD_PI
from ..shared import type_of_code


def _turns(rows: int, columns: int, length: int, sign: int) -> tuple[Array, Array]:
    """Cosine and sine of 2 pi k n / length, with k n taken modulo the length."""
    turn = (np.arange(rows)[:, None] * np.arange(columns)[None, :]) % length
    # Angles of an eighth of a turn at most keep the ends exact.
    angle = 2 * LD_PI * turn.astype(LD) / length
    cosine, sine = np.cos(angle), np.sin(angle)
    for part, (c, s) in enumerate(((1, 0), (0, 1), (-1, 0), (0, -1))):
        exact = 4 * turn == part * length
        cosine = np.where(exact, LD(c), cosine)
        sine = np.where(exact, LD(s), sine)
    return cosine, sign * sine


def _transform(data: Array, length: int, bins: int, sign: int) -> Array:
    """The first bins of the transform along the last but one axis; [..., n, 2] to [..., k, 2]."""
    used = min(data.shape[-2], length)
    cosine, sine = _turns(bins, used, length, sign)
    real, imaginary = data[..., :used, 0], data[..., :used, 1]
    return np.stack(
        [
            real @ cosine.T - imaginary @ sine.T,
            real @ sine.T + imaginary @ cosine.T,
        ],
        -1,
    )


def _complex(data: Array) -> Array:
    if data.shape[-1] == 2:
        return data
    return np.concatenate([data, np.zeros_like(data)], -1)


@evaluates("DFT")
def dft(call: Call) -> Arr:
    """`DFT`: forward or inverse, one-sided or not, along an axis."""
    data = call.data(0)
    axis = call.attr("axis", -2)
    if call.has(2):
        axis = int(call.arr(2).item)
    inverse, onesided = call.attr("inverse"), call.attr("onesided")
    moved = np.moveaxis(data, axis, -2)
    size = moved.shape[-2]
    both = bool(inverse and onesided)
    length = int(call.arr(1).item) if call.has(1) else 2 * (size - 1) if both else size
    if length < 1:
        raise CannotAnswerError("a transform of no element")
    if both:
        moved = _mirrored(_complex(moved), length)
    found = _transform(
        _complex(moved),
        length,
        length // 2 + 1 if onesided and not inverse else length,
        1 if inverse else -1,
    )
    if inverse:
        found = found / length
    if both:
        found = found[..., :1]
    return fit(call.type, np.moveaxis(found, -2, axis))


def _mirrored(half: Array, length: int) -> Array:
    """All bins of a real signal from the first half of them."""
    bins = length // 2 + 1
    kept = half[..., :bins, :]
    short = bins - kept.shape[-2]
    if short > 0:
        pads = [(0, 0)] * (kept.ndim - 2) + [(0, short), (0, 0)]
        kept = np.pad(kept, pads)
    rest = kept[..., 1 : length - bins + 1, :][..., ::-1, :] * np.array([1, -1], LD)
    return np.concatenate([kept, rest], -2)


@evaluates("STFT")
def stft(call: Call) -> Arr:
    """`STFT`: transforms of windowed frames."""
    data = _complex(call.data(0))
    step = int(call.arr(1).item)
    window = call.data(2) if call.has(2) else None
    if call.has(3):
        length = int(call.arr(3).item)
    else:
        length = data.shape[1] if window is None else len(window)
    frames = (data.shape[1] - length) // step + 1
    bins = length // 2 + 1 if call.attr("onesided") else length
    made = np.zeros((data.shape[0], max(frames, 0), bins, 2), LD)
    for frame in range(frames):
        part = data[:, frame * step : frame * step + length]
        if window is not None:
            part = part * window[None, :, None]
        made[:, frame] = _transform(part, length, bins, -1)
    return fit(call.type, made)


@evaluates("MelWeightMatrix")
def mel(call: Call) -> Arr:
    """`MelWeightMatrix`: the document has no rule for the bin of a frequency."""
    raise CannotAnswerError(f"{call.operator}: no page says in which bin a frequency lies")


@evaluates("HannWindow", "HammingWindow", "BlackmanWindow")
def window(call: Call) -> Arr:
    """Windows of cosines, periodic or symmetric."""
    size = int(call.arr(0).item)
    span = size if call.attr("periodic") else size - 1
    if span < 1 and size > 0:
        raise CannotAnswerError("a symmetric window of one element")
    cosine, _ = _turns(2, size, max(span, 1), 1)
    single = cosine[1]
    double = _turns(3, size, max(span, 1), 1)[0][2]
    if call.operator == "HannWindow":
        found = (1 - single) / 2
    elif call.operator == "HammingWindow":
        found = LD(25) / 46 - LD(21) / 46 * single
    else:
        found = LD("0.42") - single / 2 + LD("0.08") * double
    name = type_of_code(call.attr("output_datatype"))
    return fit(name, found)
