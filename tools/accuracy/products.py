"""Matrix products, good and bad, beside the bounds of sums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from onnx_conformance.generators.situations.data.dots import DOT_SETS
from onnx_conformance.generators.situations.data.profiles import profile_tensor

from .lines import Line, judged, required, run

Array = np.ndarray[Any, Any]

TENTHS = 1_000_000


def data_sets(length: int, name: str) -> Iterator[tuple[str, Array, Array]]:
    """Factors of a matrix product: random, equal, cancelling, large beside small, and TOSA's."""
    random = np.random.default_rng(length)
    size = 8
    a, b = random.standard_normal((size, length)), random.standard_normal((length, size))
    halves = np.concatenate([a[:, : length // 2]] * 2, axis=1)
    opposite = np.concatenate([b[: length // 2], -b[: length // 2] * (1 + 2.0**-8)])
    large_first, large_last = a * 2.0**-6, a * 2.0**-6
    large_first[:, 0] = large_last[:, -1] = 64
    powers = [2.0 ** random.integers(-6, 6, factor.shape) for factor in (a, b)]
    for label, one, other in (
        ("random", a, b),
        ("positive", abs(a), abs(b)),
        ("equal", np.full_like(a, 0.1), np.full_like(b, 0.3)),
        ("cancelling", halves, opposite),
        ("large first", large_first, b),
        ("large last", large_last, b),
        ("varied", a * powers[0], b * powers[1]),
    ):
        yield label, one.astype(name), other.astype(name)
    for label in DOT_SETS:
        first = profile_tensor(f"first1:{label}", name, a.shape, str(length))
        second = profile_tensor(f"second0:{label}", name, b.shape, str(length))
        one, other = (np.frombuffer(x.data, name).reshape(x.shape) for x in (first, second))  # type: ignore[arg-type]
        yield label, one, other


def loop(a: Array, b: Array, kept_in: Any, *, backwards: bool = False) -> Array:  # noqa: ANN401  a dtype
    """A matrix product by a loop over its terms, each product and sum rounded."""
    total = np.zeros((a.shape[0], b.shape[1]), kept_in)
    one, other = a.astype(kept_in), b.astype(kept_in)
    order = range(a.shape[1])
    for place in reversed(order) if backwards else order:
        total = total + one[:, place : place + 1] * other[place : place + 1]
    return total


def tree(a: Array, b: Array) -> Array:
    """A matrix product in float32 whose terms are added in pairs."""
    terms = a.astype(np.float32)[:, :, None] * b.astype(np.float32)[None]
    while terms.shape[1] > 1:
        terms = terms[:, 0::2] + terms[:, 1::2]
    result: Array = terms[:, 0]
    return result


def matrix_products(*, quick: bool = False) -> Iterator[Line]:
    """MatMul with 4 to 4096 products an element."""
    for name in ("float32", "float16"):
        for length in (4, 64) if quick else (4, 16, 64, 256, 1024, 4096):
            for label, a, b in data_sets(length, name):
                results = run("MatMul", a, b)
                results["forwards"] = loop(a, b, np.float32).astype(name)
                results["backwards"] = loop(a, b, np.float32, backwards=True).astype(name)
                results["tree"] = tree(a, b).astype(name)
                with np.errstate(over="ignore", invalid="ignore"):
                    results["sums in float16"] = loop(a, b, np.float16).astype(name)
                if not is_hidden_by_roundings(length, label):
                    short, less = np.delete(a, length // 2, 1), np.delete(b, length // 2, 0)
                    results["a term left out"] = loop(short, less, np.float64).astype(name)
                if is_good_in_half(name, length, label):
                    del results["sums in float16"]
                subject = f"MatMul of {length} {label}, {name}"
                yield from judged(subject, required("MatMul", a, b), results)


def is_good_in_half(name: str, length: int, label: str) -> bool:
    """Whether float16 sums of a float16 data set are as good as any.

    They are where float16 holds every partial sum, and where the last term is so large that the
    errors of all others vanish in the rounding of the result. Zeros sum to zero in any type.
    """
    of_half = (length, label) == (4, "equal") or label in {"large last", "dot4"}
    return (name == "float16" and of_half) or label == "dot0"


def is_hidden_by_roundings(length: int, label: str) -> bool:
    """Whether a term is at most as much as the roundings of all others may add up to.

    One of thousands of equal terms is, and a small one of them behind a large one.
    """
    return (length, label) in {(4096, "equal"), (4096, "dot2")} or label == "dot0"


def million() -> Iterator[Line]:
    """ReduceSum of a million times 0.1f: all roundings of a plain loop go one way."""
    x = np.full(TENTHS, 0.1, np.float32)
    results = run("ReduceSum", x, keepdims=0)
    for implementation, order in (("forwards", x), ("sums in float16", x.astype(np.float16))):
        # cumsum keeps each partial sum in the type: it is a plain loop.
        with np.errstate(over="ignore"):
            results[implementation] = np.cumsum(order)[-1].astype(np.float32)
    yield from judged(
        "ReduceSum of a million times 0.1", required("ReduceSum", x, keepdims=0), results
    )
