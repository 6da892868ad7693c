"""The terms added to the scores of Attention: a mask, and which keys a query may see at all.

Source: the page of Attention, Summary, attn_mask, is_causal, nonpad_kv_seqlen and the windows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...arith.grid import Grid, broadcast_places
from ...arith.numbers import NEG_INF, ZERO, Real
from ...arith.rounding import is_float
from ...errors import InvalidCallError
from ...registry import Call, refuse_if_chosen
from .shapes import Heads

# The version since which a mask may be shorter than the keys.
_SHORTER_MASKS = 24


@dataclass(frozen=True)
class Biases:
    """The terms added to each score.

    Attributes:
        mask: (batch, heads, queries, keys), or None; minus infinity where a key is not attended.
        offsets: for each sample the position of the first query.
        valid: for each sample how many keys are not padding.
        left, right: how far a query sees to either side, -1 for any distance.
    """

    mask: Grid | None
    offsets: Sequence[int]
    valid: Sequence[int]
    left: int
    right: int

    def row(self, batch: int, head: int, query: int, keys: int) -> list[Real]:
        """The biases of one query, minus infinity for the keys that it does not attend."""
        position = self.offsets[batch] + query
        start = 0
        if self.mask is not None:
            _, heads, queries, _ = self.mask.shape
            start = ((batch * heads + head) * queries + query) * keys
        return [
            NEG_INF
            if not self._is_visible(position, key) or key >= self.valid[batch]
            else ZERO
            if self.mask is None
            else self.mask.items[start + key]
            for key in range(keys)
        ]

    def _is_visible(self, position: int, key: int) -> bool:
        if 0 <= self.left < position - key:
            return False
        return not 0 <= self.right < key - position


def biases_of(call: Call, query: Heads, key: Heads, past: int) -> Biases:
    """The biases of a call; `key` holds all keys, `past` of which were cached before."""
    valid = _valid_keys(call, query.batch, key.tokens)
    offsets = [past] * query.batch
    if call.has("nonpad_kv_seqlen"):
        offsets = [length - query.tokens for length in valid]
    left, right = (call.int_attribute(f"{side}_window_size", -1) for side in ("left", "right"))
    if min(left, right) < -1:
        refuse_if_chosen(call, "window-below-minus-1", "unbounded")
    if call.int_attribute("is_causal", 0) == 1:
        right = 0
    return Biases(
        _mask(call, (query.batch, query.heads, query.tokens, key.tokens)),
        offsets,
        valid,
        left,
        right,
    )


def _valid_keys(call: Call, batch: int, keys: int) -> Sequence[int]:
    """How many keys of each sample are not padding."""
    lengths = call.optional_grid("nonpad_kv_seqlen")
    if lengths is None:
        return [keys] * batch
    if lengths.shape != (batch,):
        raise InvalidCallError(f"nonpad_kv_seqlen of shape {list(lengths.shape)}, not [{batch}]")
    if call.has("past_key"):
        raise InvalidCallError("nonpad_kv_seqlen beside a past")
    if any(not 0 <= length <= keys for length in lengths.items):
        raise InvalidCallError(f"nonpad_kv_seqlen outside 0 to {keys}")
    return list(lengths.items)


def _mask(call: Call, shape: tuple[int, int, int, int]) -> Grid | None:
    """The mask in the shape of the scores."""
    mask = call.optional_grid("attn_mask")
    if mask is None:
        return None
    if mask.rank > 4:
        raise InvalidCallError(f"a mask of rank {mask.rank}")
    if mask.type == "bool":
        mask = mask.map(lambda item: ZERO if item else NEG_INF)
    elif not is_float(mask.type):
        # The type constraint lists integers, which the text does not mention.
        refuse_if_chosen(call, "mask-of-integers", "added")
    elif mask.type != call.tensor("Q").type:
        refuse_if_chosen(call, "mask-of-another-type", "added")
    if call.since_version >= _SHORTER_MASKS:
        mask = _lengthened(call, mask, shape[-1])
    return mask.take(broadcast_places(mask.shape, shape), shape)


def _lengthened(call: Call, mask: Grid, keys: int) -> Grid:
    """The mask with minus infinity for the keys after its last one."""
    width = mask.shape[-1] if mask.rank else 1
    lengths = call.integers("nonpad_kv_seqlen") if call.has("nonpad_kv_seqlen") else ()
    if width >= keys:
        return mask
    if width == 1 and _is_broadcast(call):
        return mask
    if width < max(lengths, default=0):
        raise InvalidCallError(f"a mask of {width} keys for {max(lengths)} that are no padding")
    count = math.prod(mask.shape[:-1])
    rows = [mask.items[row * width : (row + 1) * width] for row in range(count)]
    items = [item for row in rows for item in (*row, *(NEG_INF,) * (keys - width))]
    return Grid(mask.type, (*mask.shape[:-1], keys), items)


def _is_broadcast(call: Call) -> bool:
    """Whether a mask of one key applies to all keys; it could also be a shorter mask."""
    return call.choose("mask-of-one-key", "padded", "broadcast") == "broadcast"
