"""RotaryEmbedding 23. Source: its page, Summary (the algorithm in Python), Inputs, Attributes."""

from __future__ import annotations

from collections.abc import Callable

from ...accuracy.bounds import enclosed
from ...accuracy.steps import Steps
from ...arith.grid import Grid, Item, Shape, at, indices
from ...arith.intervals import Interval
from ...arith.numbers import Real
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle
from ..flags import is_set
from .shapes import BY_HEAD, PACKED


@oracle("RotaryEmbedding")
def rotary_embedding(call: Call) -> Result:
    """Pairs of elements of each head turned by the angle of the token's position."""
    x = call.grid("X")
    head = _head_size(call, x.shape)
    turned = _turned_size(call, head)
    angle = _angles(call, x.shape, turned // 2)
    interleaved = _is_interleaved(call)

    def element(index: Shape) -> Item:
        place = index[-1] % head
        if place >= turned:
            return at(x, index)  # type: ignore[no-any-return]
        first = place // 2 * 2 if interleaved else place % (turned // 2)
        second = first + (1 if interleaved else turned // 2)
        token = (index[0], index[2] if x.rank == BY_HEAD else index[1])
        angle_place = first // 2 if interleaved else first
        pair = [at(x, (*index[:-1], index[-1] - place + part)) for part in (first, second)]
        formula = _real if place == first else _imaginary
        return enclosed(x.type, formula, *angle(token, angle_place), *pair)

    return (Grid(x.type, x.shape, [element(index) for index in indices(x.shape)]),)


def _real(s: Steps, cos: Interval, sin: Interval, x1: Interval, x2: Interval) -> Interval:
    return s.sub(s.mul(cos, x1), s.mul(sin, x2))


def _imaginary(s: Steps, cos: Interval, sin: Interval, x1: Interval, x2: Interval) -> Interval:
    return s.add(s.mul(sin, x1), s.mul(cos, x2))


def _head_size(call: Call, shape: Shape) -> int:
    """How many elements a head has; those of a packed X follow from the number of heads."""
    if len(shape) not in {PACKED, BY_HEAD}:
        raise InvalidCallError(f"X has rank {len(shape)}, neither 3 nor 4")
    head = shape[-1]
    if len(shape) == PACKED:
        heads = call.int_attribute("num_heads")
        if heads <= 0 or shape[-1] % heads:
            raise InvalidCallError(f"a hidden size of {shape[-1]} is no multiple of {heads} heads")
        head = shape[-1] // heads
    if head % 2:
        raise InvalidCallError(f"a head of {head} elements is odd")
    return head


def _is_interleaved(call: Call) -> bool:
    """Whether the pairs are neighbours."""
    question = "interleaved-neither-0-nor-1"
    return is_set(call, "interleaved", 0, question=question, readings=("true", "false"))


def _turned_size(call: Call, head: int) -> int:
    """How many elements of each head are turned: all without rotary_embedding_dim."""
    turned = call.int_attribute("rotary_embedding_dim", 0) or head
    if not 0 <= turned <= head or turned % 2:
        raise InvalidCallError(f"rotary_embedding_dim {turned} of a head of {head}")
    return turned


def _angles(
    call: Call, shape: Shape, half: int
) -> Callable[[tuple[int, int], int], tuple[Real, Real]]:
    """The cosine and the sine of a token, (batch, sequence), for a pair of elements."""
    cos, sin = call.grid("cos_cache"), call.grid("sin_cache")
    tokens = (shape[0], shape[2] if len(shape) == BY_HEAD else shape[1])
    positions = call.optional_grid("position_ids")
    if cos.shape != sin.shape:
        raise InvalidCallError(f"caches of shapes {list(cos.shape)} and {list(sin.shape)}")
    if positions is None:
        if cos.shape != (*tokens, half):
            raise InvalidCallError(f"caches of shape {list(cos.shape)}, not {[*tokens, half]}")
        return lambda token, place: (at(cos, (*token, place)), at(sin, (*token, place)))
    if cos.rank != len(tokens) or cos.shape[1] != half:
        raise InvalidCallError(f"caches of shape {list(cos.shape)}, not [positions, {half}]")
    if positions.shape != tokens:
        raise InvalidCallError(f"position_ids of shape {list(positions.shape)}")
    length = cos.shape[0]
    rows = [_row(call, position, length) for position in positions.items]
    found = Grid("int64", tokens, rows)
    return lambda token, place: (
        at(cos, (at(found, token), place)),
        at(sin, (at(found, token), place)),
    )


def _row(call: Call, position: int, length: int) -> int:
    """The row of the caches for a position; the page's Python would count negative ones back."""
    if not -length <= position < length:
        raise InvalidCallError(f"position {position} is outside caches of {length}")
    if position >= 0:
        return position
    if call.choose("negative-position", "rejected", "from-the-back") == "rejected":
        raise InvalidCallError(f"position {position} is negative")
    return position + length
