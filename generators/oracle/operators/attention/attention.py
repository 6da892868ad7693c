"""Attention 23 to 25. Sources: their pages; the function bodies are a second source.

The mask and the visible keys are in biases.py, the formula of one query in weights.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...arith.grid import Grid, Item
from ...arith.numbers import NAN, NEG_INF, ZERO, Real, is_finite, neg, real
from ...attributes import finite, float_type
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .biases import Biases, biases_of
from .shapes import BY_HEAD, PACKED, Heads, appended, by_head, check_fit, packed
from .weights import Arithmetic, Row

# Meaning of qk_matmul_output by qk_matmul_output_mode: whether it is capped, and whether biased.
_SCORES = {0: (False, False), 1: (True, False), 2: (True, True)}
_WEIGHTS = 3


@oracle("Attention")
def attention(call: Call) -> Result:
    """Y, all keys and values, and the requested scores or weights.

    Y has the rank of Q: (batch, heads, tokens, size) or, packed, (batch, tokens, heads * size).
    present_key and present_value are the past and the new tokens; the fourth output is (batch,
    heads, tokens of Q, tokens of K), at the stage that `qk_matmul_output_mode` names; what a mode
    beyond the listed ones is, is open. Refused: what `_heads` and `biases_of` refuse.
    """
    query, key, value, past = _heads(call)
    biases = biases_of(call, query, key, past)
    mode = call.int_attribute("qk_matmul_output_mode", 0)
    if mode not in {*_SCORES, _WEIGHTS}:
        refuse_if_chosen(call, "unlisted-mode", "products")
        mode = 0
    rows = [
        (batch, head, _resolved(call, row)) for batch, head, row in _rows(call, query, key, biases)
    ]
    means: list[Item] = []
    for batch, head, row in rows:
        values = value.vectors(batch, head)
        means.extend(_means(call, row, values, value.size))
    result = Grid(query.grid.type, (*query.grid.shape[:3], value.size), means)
    scores = None
    if call.wants("qk_matmul_output"):
        shown = [
            item
            for _, _, row in rows
            for item in (
                _weights(call, row)
                if mode == _WEIGHTS
                else row.scores(capped=_SCORES[mode][0], biased=_SCORES[mode][1])
            )
        ]
        scores = Grid(query.grid.type, (*query.grid.shape[:3], key.tokens), shown)
    y = packed(result) if call.grid("Q").rank == PACKED else result
    return (y, key.grid, value.grid, scores)


def _heads(call: Call) -> tuple[Heads, Heads, Heads, int]:
    """Queries, all keys, all values, and the number of keys that were cached before."""
    ranks = {len(call.tensor(name).shape) for name in ("Q", "K", "V")}
    if len(ranks) > 1:
        raise InvalidCallError("Q, K and V have different ranks")
    named = [name for name in ("q_num_heads", "kv_num_heads") if name in call.attributes]
    counts = {name: call.int_attribute(name) for name in named}
    if named and ranks == {BY_HEAD}:
        refuse_if_chosen(call, "heads-named-beside-an-axis", "ignored")
    if call.tensor("V").type != call.tensor("Q").type:
        # The constraints permit it; MatMul in the function body does not.
        refuse_if_chosen(call, "values-of-another-type", "computed")
    query = by_head("Q", call.grid("Q"), counts.get("q_num_heads"))
    key = by_head("K", call.grid("K"), counts.get("kv_num_heads"))
    value = by_head("V", call.grid("V"), counts.get("kv_num_heads"))
    check_fit(query, key, value)
    if call.has("past_key") != call.has("past_value"):
        raise InvalidCallError("one of past_key and past_value without the other")
    if call.wants("present_key") != call.wants("present_value"):
        raise InvalidCallError("one of present_key and present_value without the other")
    present = bool(call.outputs) and call.wants("present_key")
    if present and call.has("nonpad_kv_seqlen"):
        raise InvalidCallError("present_key beside nonpad_kv_seqlen")
    if call.outputs and present != call.has("past_key"):
        refuse_if_chosen(call, "past-and-present", "one-is-enough")
    if not call.has("past_key"):
        return query, key, value, 0
    length = key.tokens
    key, value = appended(call.grid("past_key"), key), appended(call.grid("past_value"), value)
    check_fit(query, key, value)
    return query, key, value, key.tokens - length


def _rows(call: Call, query: Heads, key: Heads, biases: Biases) -> Iterator[tuple[int, int, Row]]:
    """Each query with its sample and its head of keys, in the order of the output."""
    arithmetic = arithmetic_of(call, query.grid.type)
    turned: bool | None = None
    if arithmetic.scale is not None and arithmetic.scale <= 0:
        reading = call.choose("scale-not-positive", "product", "halves")
        if arithmetic.scale < 0:
            turned = reading == "product"
            arithmetic = replace(arithmetic, scale=-arithmetic.scale)
    group = query.heads // key.heads
    for batch in range(query.batch):
        for head in range(query.heads):
            keys = key.vectors(batch, head // group)
            for token, given in enumerate(query.vectors(batch, head)):
                row = biases.row(batch, head, token, key.tokens)
                vector = given
                if turned is not None:
                    # The factor's sign goes to the query; a root of a negative number is NaN.
                    vector = tuple(real(neg(item)) if turned else NAN for item in given)
                yield batch, head // group, Row(arithmetic, vector, keys, row)


def arithmetic_of(call: Call, name: str) -> Arithmetic:
    """The factors and the types of a call."""
    softcap = finite(call, "softcap", 0.0)
    if softcap < 0 and call.choose("softcap-below-zero", "formula", "none") == "none":
        softcap = ZERO
    scale = finite(call, "scale") if "scale" in call.attributes else None
    return Arithmetic(name, softmax_type(call, name), scale, softcap)


def softmax_type(call: Call, usual: str) -> str:
    """The type of the softmax: the usual one unless softmax_precision names another."""
    given = "softmax_precision" in call.attributes
    return float_type(call, "softmax_precision") if given else usual


def _resolved(call: Call, row: Row) -> Row:
    """The row as it is meant where all scores of the keys that are attended are minus infinity.

    By the formula of a softmax the weights are NaN there. A runtime that finds out by the scores
    which rows are masked takes it for one in which no key is attended.
    """
    if not row.is_infinite or call.choose("scores-infinite", "not-a-number", "zero") != "zero":
        return row
    return replace(row, biases=(NEG_INF,) * len(row.biases))


def _is_spoiled(call: Call, row: Row) -> bool:
    """Whether a key that is not attended makes the weights NaN.

    It may hold NaN, or have a score beyond the type. In the steps, minus infinity plus NaN or plus
    infinity is NaN; a runtime that leaves the key out does not see them.
    """
    return row.may_be_spoiled() and _counts_hidden(call)


def _counts_hidden(call: Call) -> bool:
    return call.choose("hidden-not-finite", "left-out", "computed") == "computed"


def _weights(call: Call, row: Row) -> list[Item]:
    """The weights of one query, where they are shown."""
    return [NAN] * len(row.keys) if _is_spoiled(call, row) else row.weights()


def _means(call: Call, row: Row, values: list[tuple[Real, ...]], size: int) -> list[Item]:
    """Y of one query.

    The value of a key that is not attended may be infinite or NaN, and zero times that is NaN in
    the steps.
    """
    if _is_spoiled(call, row):
        return [NAN] * size
    means = row.means(values, size)
    hidden = [place for place, bias in enumerate(row.biases) if bias is NEG_INF]
    if all(all(map(is_finite, values[place])) for place in hidden) or not _counts_hidden(call):
        return means
    return [
        item if all(is_finite(values[place][column]) for place in hidden) else NAN
        for column, item in enumerate(means)
    ]
