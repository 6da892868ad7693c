"""Strings."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import evaluates
from ...values.formats import LD
from ...values.tensors import Arr, CannotAnswerError, fit
from ..shared import rows_of, text, whole, words, zeros


@evaluates("StringConcat")
def concat(call: Call) -> Arr:
    """`StringConcat`: X and then Y, broadcast."""
    return Arr("string", np.asarray(call.data(0) + call.data(1), object))


@evaluates("StringSplit")
def split(call: Call) -> tuple[Arr, Arr]:
    """`StringSplit`: substrings in a new dimension, padded with empty ones, and their number."""
    data, most = call.data(0), call.attr("maxsplit")
    delimiter = text(call.attr("delimiter", b""))
    limit = -1 if most is None else most
    rows = [item.decode().split(delimiter or None, limit) for item in data.reshape(-1)]
    width = max((len(row) for row in rows), default=0)
    made = zeros("string", (len(rows), width))
    for place, row in enumerate(rows):
        made[place, : len(row)] = [item.encode() for item in row]
    counts = np.array([len(row) for row in rows], np.int64)
    return Arr("string", made.reshape(*data.shape, width)), whole(counts.reshape(data.shape))


@evaluates("RegexFullMatch")
def full_match(call: Call) -> Arr:
    """`RegexFullMatch`: by RE2 itself, which the document names."""
    try:
        import re2
    except ImportError:
        raise CannotAnswerError(
            "google-re2 is not installed: pip install 'onnx-conformance[second-opinion]'"
        ) from None
    expression = re2.compile(text(call.attr("pattern")))
    data = call.data(0)
    made = np.zeros(data.shape, bool)
    for place in np.ndindex(data.shape):
        made[place] = expression.fullmatch(data[place].decode()) is not None
    return Arr("bool", made)


@evaluates("StringNormalizer")
def normalize(call: Call) -> Arr:
    """`StringNormalizer`: without stop words, in one case."""
    data = call.data(0)
    stop = {text(item) for item in call.attr("stopwords") or []}
    sensitive = bool(call.attr("is_case_sensitive"))
    action = text(call.attr("case_change_action"))
    compared: Any = str if sensitive else str.lower
    stop = set(map(compared, stop))
    kept = [item.decode() for item in data.reshape(-1)]
    kept = [item for item in kept if compared(item) not in stop]
    change: Any = {"LOWER": str.lower, "UPPER": str.upper, "NONE": str}[action]
    found = [change(item).encode() for item in kept]
    if not found:
        if data.size == 0:
            raise CannotAnswerError("nothing to normalize")
        found = [b""]
    made = words(found)
    return Arr("string", made if data.ndim == 1 else rows_of(made))


def _grams(pool: list[Any], starts: list[int]) -> dict[tuple[Any, ...], int]:
    """The number of each n-gram of a pool that holds all of one length after the other."""
    grams: dict[tuple[Any, ...], int] = {}
    number = 0
    for size, (start, end) in enumerate(pairwise(starts), 1):
        for first in range(start, end - size + 1, size):
            grams[tuple(pool[first : first + size])] = number
            number += 1
    return grams


@evaluates("TfIdfVectorizer")
def tf_idf(call: Call) -> Arr:
    """`TfIdfVectorizer`: how often each n-gram of the pool is found, with skips."""
    pool: list[Any] = list(call.attr("pool_strings") or call.attr("pool_int64s") or [])
    starts = [*call.attr("ngram_counts"), len(pool)]
    places = call.attr("ngram_indexes")
    weights = call.attr("weights") or [1.0] * len(places)
    low, high = call.attr("min_gram_length"), call.attr("max_gram_length")
    grams = _grams(pool, starts)
    data = call.data(0)
    rows = rows_of(data)
    counts = np.zeros((len(rows), len(places)), LD)
    for row, items in enumerate(rows):
        tokens = [item if isinstance(item, bytes) else int(item) for item in items]
        for size in range(low, high + 1):
            for skip in range(call.attr("max_skip_count") + 1 if size > 1 else 1):
                step = skip + 1
                for start in range(len(tokens) - (size - 1) * step):
                    gram = tuple(tokens[start : start + (size - 1) * step + 1 : step])
                    if gram in grams:
                        counts[row, grams[gram]] += 1
    mode = text(call.attr("mode"))
    if mode == "IDF":
        counts = np.minimum(counts, 1)
    if mode != "TF":
        counts = counts * np.array(weights, LD)
    made = np.zeros((len(rows), max(places) + 1 if places else 0), LD)
    for place, target in enumerate(places):
        made[:, target] += counts[:, place]
    return fit("float32", made.reshape(-1) if data.ndim == 1 else made)
