"""TfIdfVectorizer: how often the n-grams of a pool stand in a sequence. Source: its page.

An n-gram of a sequence takes every (s + 1)th element from some place on, s being its skips: the
same number between all of its elements. A single element has nothing to skip: it counts once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ...accuracy.bounds import rounded
from ...arith.grid import EITHER_ZERO, Grid, Item
from ...arith.numbers import ONE, ZERO, Real, add, from_float, is_zero, mul, real
from ...arith.rationals import Fraction
from ...attributes import word
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .encoding import strings

_MODES = ("TF", "IDF", "TFIDF")
Gram = tuple[Any, ...]


@oracle("TfIdfVectorizer")
def tf_idf_vectorizer(call: Call) -> Result:
    """For each row and coordinate the number of its n-gram, truncated and weighted by the mode."""
    pool = _pool(call)
    grid = strings(call, "X") if "pool_strings" in call.attributes else call.grid("X")
    if grid.rank not in {1, 2}:
        raise InvalidCallError(f"X has {grid.rank} dimensions, not one or two")
    coordinates = call.ints_attribute("ngram_indexes")
    if len(coordinates) != len(pool) or not coordinates or min(coordinates) < 0:
        raise InvalidCallError(f"ngram_indexes {list(coordinates)} for {len(pool)} n-grams")
    if len(set(coordinates)) != len(coordinates):
        refuse_if_chosen(call, "shared-coordinate", "added")
    if len(set(pool)) != len(pool):
        refuse_if_chosen(call, "repeated-n-gram", "counted-for-each")
    if grid.shape[0] == 0 and grid.rank == 2:
        refuse_if_chosen(call, "no-rows", "no-rows")
    lengths = _lengths(call)
    weights = _weights(call, len(pool))
    size = max(coordinates) + 1
    items: list[Item] = []
    for row in _rows(grid):
        counts = _counts(row, lengths, call.int_attribute("max_skip_count"))
        items += _vector(call, [counts[gram] for gram in pool], coordinates, weights)
    return (Grid("float32", (*grid.shape[:-1], size), items),)


def _pool(call: Call) -> list[Gram]:
    """The n-grams of the pool in their order, whatever their length."""
    given = [name for name in ("pool_int64s", "pool_strings") if name in call.attributes]
    if len(given) != 1:
        raise InvalidCallError(f"{len(given)} pools are given")
    texts = given == ["pool_strings"]
    strings_given = call.grid("X").type == "string"
    if strings_given and not texts:
        refuse_if_chosen(call, "strings-for-integers", "none-found")
    elif texts and not strings_given:
        raise InvalidCallError(f"{given[0]} is given, and X is {call.grid('X').type}")
    flat: Sequence[Any] = (
        call.strings_attribute(given[0]) if texts else call.ints_attribute(given[0])
    )
    starts = call.ints_attribute("ngram_counts")
    ends = (*starts[1:], len(flat))
    grams: list[Gram] = []
    for length, (start, end) in enumerate(zip(starts, ends, strict=True), 1):
        if not 0 <= start <= end or (end - start) % length:
            raise InvalidCallError(f"ngram_counts {list(starts)} and {len(flat)} in the pool")
        grams += [tuple(flat[place : place + length]) for place in range(start, end, length)]
    return grams


def _lengths(call: Call) -> range:
    """The lengths of the n-grams that are counted."""
    least, most = call.int_attribute("min_gram_length"), call.int_attribute("max_gram_length")
    if most < least:
        refuse_if_chosen(call, "no-length", "nothing-counted")
    if most > len(call.ints_attribute("ngram_counts")):
        refuse_if_chosen(call, "length-without-start", "none-of-it")
    if least < 1:
        refuse_if_chosen(call, "length-below-1", "none-of-it")
    return range(max(least, 1), most + 1)


def _weights(call: Call, count: int) -> list[Real]:
    if "weights" not in call.attributes:
        return [ONE] * count
    weights = [from_float(item) for item in call.floats_attribute("weights")]
    if len(weights) != count:
        raise InvalidCallError(f"{len(weights)} weights for {count} n-grams")
    return weights


def _rows(grid: Grid) -> list[Sequence[Any]]:
    length = grid.shape[-1]
    count = grid.shape[0] if grid.rank == 2 else 1
    return [grid.items[row * length : (row + 1) * length] for row in range(count)]


def _counts(row: Sequence[Any], lengths: range, skips: int) -> Counter[Gram]:
    """How often each n-gram stands in a row."""
    found: Counter[Gram] = Counter()
    for length in lengths:
        most = len(row) if length > 1 else 1  # steps beyond the row find nothing
        for step in range(1, min(skips + 1, most) + 1):
            span = (length - 1) * step + 1
            for start in range(len(row) - span + 1):
                found[tuple(row[start : start + span : step])] += 1
    return found


def _vector(
    call: Call, counts: list[int], coordinates: Sequence[int], weights: list[Real]
) -> list[Item]:
    """The row of the output: of each n-gram its count at its coordinate."""
    mode = word(call, "mode", _MODES)
    vector: list[Real] = [ZERO] * (max(coordinates) + 1)
    for count, coordinate, weight in zip(counts, coordinates, weights, strict=True):
        times = Fraction(min(count, 1) if mode == "IDF" else count)
        scaled = times if mode == "TF" else mul(times, weight)
        vector[coordinate] = real(add(vector[coordinate], scaled))
    if mode == "TF":
        return list(vector)
    # Nothing, times a weight below zero, is -0 to a machine that multiplies by it.
    return [
        EITHER_ZERO if is_zero(item) else rounded("float32", lambda x: x, item) for item in vector
    ]
