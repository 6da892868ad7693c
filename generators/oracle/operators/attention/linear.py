"""LinearAttention 27. Source: its page; the function body is a second source.

What a token does to the state, and the limits of the results, are in recurrence.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...accuracy.bounds import or_nan
from ...accuracy.ends import any_number
from ...accuracy.profiles import accumulator
from ...arith.grid import AnyOf, Enclosed, Grid, Item, value_of
from ...arith.numbers import (
    NAN,
    ONE,
    ZERO,
    Number,
    Real,
    absolute,
    fraction,
    is_finite,
    mul,
    real,
)
from ...arith.rationals import Fraction
from ...arith.rounding import overflow
from ...arith.rules import rule
from ...attributes import finite, word
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .recurrence import Course, Limits, State, Token, course, dot, narrower, quantum_of, scale_of
from .shapes import PACKED, Heads, by_head, packed

# By update_rule: whether the state decays, and whether a correction is written.
RULES = {
    "linear": (False, False),
    "gated": (True, False),
    "delta": (False, True),
    "gated_delta": (True, True),
}


@dataclass(frozen=True)
class _Node:
    """The inputs of a call, by head.

    Attributes:
        query, key, value: vectors by (batch, head, token).
        decay: logarithms of factors, (batch, head, token, size of a key or 1), or None.
        rate: (batch, head or 1, token, 1), or None.
        past: (batch, head, size of a key, size of a value), or None for zeros.
        state_type: the type of the states.
        scale: the factor of the outputs.
        roundings: how many roundings the factor has had.
    """

    query: Heads
    key: Heads
    value: Heads
    decay: Heads | None
    rate: Heads | None
    past: Grid | None
    state_type: str
    scale: Fraction
    roundings: int

    def start(self, batch: int, head: int) -> State:
        """The state of a head before the first token."""
        rows, columns = self.key.size, self.value.size
        if self.past is None:
            return [[ZERO] * columns] * rows
        return Heads(self.past).vectors(batch, head)

    def tokens(self, batch: int, head: int) -> list[Token]:
        """What the tokens do to the state of a head."""
        return [
            Token(
                self.key.vector(batch, head, token),
                self.value.vector(batch, head, token),
                self._decay(batch, head, token),
                self._rate(batch, head, token),
            )
            for token in range(self.key.tokens)
        ]

    def _decay(self, batch: int, head: int, token: int) -> tuple[Real, ...] | None:
        if self.decay is None:
            return None
        found = self.decay.vector(batch, head, token)
        return found if self.decay.size == self.key.size else found * self.key.size

    def _rate(self, batch: int, head: int, token: int) -> Real | None:
        if self.rate is None:
            return None
        return self.rate.vector(batch, head if self.rate.heads > 1 else 0, token)[0]


@oracle("LinearAttention")
def linear_attention(call: Call) -> Result:
    """What each query reads from the state of its head, and the states after the last token."""
    node = _node_of(call)
    name = node.query.grid.type
    kept_in = narrower(name, node.state_type)
    group = node.query.heads // node.key.heads
    outputs: list[Item] = []
    states: list[Item] = []
    for batch in range(node.query.batch):
        for head in range(node.key.heads):
            tokens = node.tokens(batch, head)
            found = course(node.start(batch, head), tokens, name)
            readers = range(head * group, (head + 1) * group)
            queries = [node.query.vectors(batch, reader) for reader in readers]
            limits = Limits(kept_in, _largest(found, queries), _factor(tokens))
            first = _overflown(found, node.state_type)
            for rows in queries:
                outputs.extend(_read(node, found, rows, limits, first))
            last = [
                limits.item(node.state_type, sums, found.roundings[-1], found.quanta[-1])
                for rows in zip(found.exact[-1], found.absolute[-1], strict=True)
                for sums in zip(*rows, strict=True)
            ]
            beyond = first < len(found.absolute)
            states.extend(_any_number(item) if beyond else item for item in last)
    shape = (node.query.batch, node.query.heads, node.query.tokens, node.value.size)
    present = (node.key.batch, node.key.heads, node.key.size, node.value.size)
    return (packed(Grid(name, shape, outputs)), Grid(node.state_type, present, states))


def _overflown(found: Course, name: str) -> int:
    """The first token at which a number is beyond its type; else one past the last.

    Such a number is an infinity in every runtime that computes it, and what is made of it
    infinities and NaN.
    """
    end = overflow(accumulator(name))
    for token, state in enumerate(found.absolute):
        held = (item for row in state for item in row)
        if found.peaks[token] >= end or any(
            is_finite(item) and fraction(real(item)) >= end for item in held
        ):
            return token
    return len(found.absolute)


def _any_number(item: Item) -> Item:
    """An element beside a state that overflowed: any number or NaN."""
    if item is NAN or isinstance(item, AnyOf):
        return item
    why = item.rule if isinstance(item, Enclosed) else rule("sum")
    return any_number(real(value_of(item)), why)


def _read(
    node: _Node, found: Course, queries: list[tuple[Real, ...]], limits: Limits, overflown: int
) -> list[Item]:
    """What each token of one head of queries reads: scale * q^T S."""
    items: list[Item] = []
    for token, query in enumerate(queries, 1):
        size = [absolute(item) for item in query]
        state, whole = found.exact[token], found.absolute[token]
        count = found.roundings[token] + len(query) + 1 + node.roundings
        quantum = None
        if not node.roundings:
            quantum = _product(found.quanta[token], quantum_of(query), quantum_of([node.scale]))
        for column in range(node.value.size):
            read = mul(node.scale, dot(query, [row[column] for row in state]))
            most = mul(absolute(node.scale), dot(size, [row[column] for row in whole]))
            item = limits.item(node.query.grid.type, (read, most), count, quantum)
            if _cancels(query, [row[column] for row in state], node.query.grid.type):
                item = or_nan(item)
            items.append(item if token < overflown else _any_number(item))
    return items


def _cancels(one: Sequence[Real], other: Sequence[Number], name: str) -> bool:
    """Whether a sum of products has an infinity, and a finite product that overflows beside it."""
    products = [mul(x, y) for x, y in zip(one, other, strict=True)]
    finite = [absolute(real(item)) for item in products if is_finite(item)]
    if len(finite) == len(products):
        return False
    return sum(map(fraction, finite), ZERO) >= overflow(accumulator(name))


def _product(*quanta: Fraction | None) -> Fraction | None:
    """The product; None if one of them is None."""
    known = [item for item in quanta if item is not None]
    return math.prod(known, start=ONE) if len(known) == len(quanta) else None


def _largest(found: Course, queries: list[list[tuple[Real, ...]]]) -> Fraction:
    """The greatest state times the greatest element of a query, each at least 1."""
    states = [real(item) for state in found.absolute for row in state for item in row]
    elements = [absolute(item) for rows in queries for row in rows for item in row]
    return _greatest(states) * _greatest(elements)


def _factor(tokens: Sequence[Token]) -> Fraction:
    """The greatest that what is written to a state is multiplied by, at least 1."""
    keys = [absolute(item) for token in tokens for item in token.key]
    rates = [absolute(token.rate) for token in tokens if token.rate is not None]
    return _greatest(keys) * _greatest(rates)


def _greatest(numbers: Sequence[Real]) -> Fraction:
    """The greatest finite one of positive numbers, at least 1."""
    return max([ONE, *(fraction(item) for item in numbers if is_finite(item))])


# --- what is given ---------------------------------------------------------------------------


def _node_of(call: Call) -> _Node:
    """The inputs by head; InvalidCallError if they do not fit the rule or each other."""
    decays, corrects = RULES[word(call, "update_rule", RULES)]
    heads, groups = call.int_attribute("q_num_heads"), call.int_attribute("kv_num_heads")
    if heads <= 0 or groups <= 0 or heads % groups:
        raise InvalidCallError(f"{heads} heads of query are no multiple of {groups}")
    query, key, value = (
        by_head(name, call.grid(name, rank=PACKED), count)
        for name, count in (("query", heads), ("key", groups), ("value", groups))
    )
    if key.size != query.size:
        raise InvalidCallError(f"heads of {query.size} in query and of {key.size} in key")
    for name, item in (("key", key), ("value", value)):
        if (item.batch, item.tokens) != (query.batch, query.tokens):
            raise InvalidCallError(f"query and {name} differ in their batch or their tokens")
    if query.size == 0 or value.size == 0:
        raise InvalidCallError("a head has no elements")
    if query.batch == 0 or query.tokens == 0:
        refuse_if_chosen(call, "nothing-to-attend", "computed")
    scale, roundings = scale_of(finite(call, "scale"), query.size)
    return _Node(
        query,
        key,
        value,
        _decay(call, key) if _is_asked(call, "decay", asked=decays) else None,
        _rate(call, key) if _is_asked(call, "beta", asked=corrects) else None,
        _past(call, key, value),
        _state_type(call),
        scale,
        roundings,
    )


def _is_asked(call: Call, name: str, *, asked: bool) -> bool:
    """Whether a rule uses an optional input; it must be given exactly then."""
    if asked and not call.has(name):
        raise InvalidCallError(f"{name} is absent, and the rule needs it")
    if call.has(name) and not asked:
        refuse_if_chosen(call, "input-of-another-rule", "ignored")
    return asked


def _decay(call: Call, key: Heads) -> Heads:
    """The decay of each head, or of each row of its state."""
    sizes = (key.heads, key.heads * key.size)
    return by_head("decay", _of_tokens(call, "decay", key, sizes), key.heads)


def _rate(call: Call, key: Heads) -> Heads:
    """The update rate of each head, or one for all."""
    rate = _of_tokens(call, "beta", key, (1, key.heads))
    return by_head("beta", rate, rate.shape[2])


def _of_tokens(call: Call, name: str, key: Heads, sizes: Sequence[int]) -> Grid:
    """An input with one of these sizes for each token of each sample."""
    grid = call.grid(name)
    if grid.rank != PACKED or grid.shape[:2] != (key.batch, key.tokens):
        raise InvalidCallError(f"a {name} of shape {list(grid.shape)}")
    if grid.shape[2] not in sizes:
        raise InvalidCallError(f"a {name} of {grid.shape[2]} a token, none of {list(sizes)}")
    return grid


def _past(call: Call, key: Heads, value: Heads) -> Grid | None:
    past = call.optional_grid("past_state")
    shape = (key.batch, key.heads, key.size, value.size)
    if past is not None and past.shape != shape:
        raise InvalidCallError(f"a past_state of shape {list(past.shape)}, not {list(shape)}")
    return past


def _state_type(call: Call) -> str:
    """The type of the state: that of the past one; without one no attribute or input gives it."""
    if call.has("past_state"):
        return call.tensor("past_state").type
    name = call.tensor("query").type
    declared = call.types.get("S", name)
    if declared != name:
        refuse_if_chosen(call, "type-of-a-first-state", "declared")
    return declared
