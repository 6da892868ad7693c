"""Attention in its kinds, and rotary embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import PREVIEW, evaluates
from ...values.formats import LD, Array
from ...values.tensors import Arr, CannotAnswerError, fit
from ..products.matrices import product
from ..reducing.softmax import softmax
from ..shared import text, type_of_code


def _heads(value: Arr, count: int | None) -> Array:
    """A 3D tensor with its heads in a dimension of their own; a 4D one as it is."""
    data = value.data
    if data.ndim == 4:
        return data
    if not count:
        raise CannotAnswerError("3D inputs without a number of heads")
    batch, length, size = data.shape
    return data.reshape(batch, length, count, size // count).transpose(0, 2, 1, 3)


def _guarded(scores: Array) -> Array:
    """Softmax, of a row that is masked as a whole zeros."""
    found = softmax(scores, -1)
    masked = (scores == -np.inf).all(-1, keepdims=True)
    return np.where(masked, LD(0), found)


@evaluates("Attention")
def attention(call: Call) -> tuple[Any, ...]:
    """`Attention`: scaled, capped and biased products, softmax, and products with V."""
    q = _heads(call.arr(0), call.attr("q_num_heads"))
    k = _heads(call.arr(1), call.attr("kv_num_heads"))
    v = _heads(call.arr(2), call.attr("kv_num_heads"))
    if call.has(4):
        k, v = (np.concatenate([call.data(place), new], 2) for place, new in ((4, k), (5, v)))
    present = k, v
    group = q.shape[1] // max(k.shape[1], 1)
    k, v = (np.repeat(item, group, 1) for item in (k, v))
    scale = call.attr("scale")
    factor = 1 / np.sqrt(LD(q.shape[3])) if scale is None else LD(scale)
    raw = product(q, k.swapaxes(2, 3)) * factor
    cap = LD(call.attr("softcap", 0.0))
    capped = cap * np.tanh(raw / cap) if cap else raw
    biased = capped + _bias(call, raw.shape)
    weights = _guarded(biased)
    # A weight of zero takes nothing, whatever is there.
    found = product(weights, v)
    mode = call.attr("qk_matmul_output_mode", 0)
    shown = (raw, capped, biased, weights)[mode]
    if call.data(0).ndim == 3:
        batch, heads, length, size = found.shape
        found = found.transpose(0, 2, 1, 3).reshape(batch, length, heads * size)
    return (
        fit(call.type, found),
        fit(call.arr(1).type, present[0]),
        fit(call.arr(2).type, present[1]),
        fit(call.type, shown),
    )


def _bias(call: Call, shape: tuple[int, ...]) -> Array:
    """What is added to the scores: the mask, and -inf where causality or a window forbid a key."""
    batch, _, queries, keys = shape
    bias = np.zeros((batch, 1, queries, keys), LD)
    if call.has(3):
        mask = call.arr(3)
        data = np.where(mask.data, LD(0), LD(-np.inf)) if mask.type == "bool" else mask.data
        short = keys - data.shape[-1]
        if short > 0 and (data.shape[-1] != 1 or call.version >= 24):
            pads = [(0, 0)] * (data.ndim - 1) + [(0, short)]
            data = np.pad(data, pads, constant_values=-np.inf)
        bias = bias + data
    offset = np.zeros(batch, np.int64)
    lengths = call.arr(6).ints if call.has(6) else None
    if call.has(4):
        offset += call.arr(4).shape[2]
    elif lengths is not None:
        offset = np.array(lengths) - queries
    rows = offset[:, None] + np.arange(queries)[None, :]
    columns = np.arange(keys)
    distance = columns[None, None, :] - rows[:, :, None]
    allowed = np.ones((batch, queries, keys), bool)
    if call.attr("is_causal", 0):
        allowed &= distance <= 0
    left, right = call.attr("left_window_size", -1), call.attr("right_window_size", -1)
    if left >= 0:
        allowed &= distance >= -left
    if right >= 0:
        allowed &= distance <= right
    if lengths is not None:
        allowed &= columns[None, None, :] < np.array(lengths)[:, None, None]
    return bias + np.where(allowed, LD(0), LD(-np.inf))[:, None]


@evaluates("FlexAttention", domain=PREVIEW)
def flex(call: Call) -> Arr:
    """`FlexAttention`: with a graph after the scores, and one after the softmax."""
    q, k, v = (call.data(place) for place in range(3))
    group = q.shape[1] // max(k.shape[1], 1)
    k, v = (np.repeat(item, group, 1) for item in (k, v))
    scale = call.attr("scale")
    factor = 1 / np.sqrt(LD(q.shape[3])) if scale is None else LD(scale)
    code = call.attr("softmax_precision")
    name = type_of_code(code) if code else "float64" if call.type == "float64" else "float32"
    scores = product(q, k.swapaxes(2, 3)) * factor
    if "score_mod" in call.bodies:
        scores = call.bodies["score_mod"]([fit(name, scores)])[0].data
    weights = softmax(scores, -1)
    if "prob_mod" in call.bodies:
        weights = call.bodies["prob_mod"]([fit(name, weights)])[0].data
    return fit(call.type, product(weights, v))


@evaluates("LinearAttention")
def linear(call: Call) -> tuple[Arr, Arr]:
    """`LinearAttention`: the recurrence of its update rule, token by token."""
    heads, keys = call.attr("q_num_heads"), call.attr("kv_num_heads")
    rule = text(call.attr("update_rule"))
    q, k, v = (call.data(place) for place in range(3))
    batch, length = q.shape[:2]
    q, k, v = (
        item.reshape(batch, length, count, item.shape[2] // count)
        for item, count in ((q, heads), (k, keys), (v, keys))
    )
    size, out = k.shape[3], v.shape[3]
    state = np.zeros((batch, keys, size, out), LD)
    if call.has(3):
        state = call.data(3).copy()
    scale = LD(call.attr("scale")) or 1 / np.sqrt(LD(size))
    decay = call.data(4) if "gated" in rule else None
    if decay is not None:
        decay = decay.reshape(batch, length, keys, decay.shape[2] // keys)
    beta = call.data(5) if "delta" in rule else None
    made = np.zeros((batch, length, heads, out), LD)
    for place in range(length):
        if decay is not None:
            state = state * np.exp(decay[:, place])[..., None]
        key, value = k[:, place], v[:, place]
        if beta is None:
            added = value
        else:
            read = np.sum(state * key[..., None], 2)
            added = beta[:, place][..., None] * (value - read)
        state = state + key[..., None] * added[:, :, None, :]
        shared = np.repeat(state, heads // keys, 1)
        made[:, place] = scale * np.sum(q[:, place][..., None] * shared, 2)
    name = call.arr(3).type if call.has(3) else call.type
    return fit(call.type, made.reshape(batch, length, heads * out)), fit(name, state)


@evaluates("RotaryEmbedding")
def rotary(call: Call) -> Arr:
    """`RotaryEmbedding`: the Python of its document."""
    given, cos, sin = (call.data(place) for place in range(3))
    if given.ndim == 4:
        data = given.transpose(0, 2, 1, 3)
    else:
        count = call.attr("num_heads")
        data = given.reshape(*given.shape[:2], count, given.shape[2] // count)
    size = call.attr("rotary_embedding_dim") or data.shape[3]
    turned, rest = data[..., :size], data[..., size:]
    if call.has(3):
        cos, sin = (item[call.data(3)] for item in (cos, sin))
    cos, sin = (np.expand_dims(item, 2) for item in (cos, sin))
    interleaved = bool(call.attr("interleaved"))
    if interleaved:
        first, second = turned[..., 0::2], turned[..., 1::2]
    else:
        first, second = np.split(turned, 2, -1)
    real = cos * first - sin * second
    imaginary = sin * first + cos * second
    if interleaved:
        moved = np.stack([real, imaginary], -1).reshape(turned.shape)
    else:
        moved = np.concatenate([real, imaginary], -1)
    found = np.concatenate([moved, rest], -1)
    if given.ndim == 4:
        return fit(call.type, found.transpose(0, 2, 1, 3))
    return fit(call.type, found.reshape(given.shape))
