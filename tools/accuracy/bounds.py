"""Whether the oracle's bounds part good implementations from bad ones.

    python -m tools.accuracy.bounds [--quick] [--only NAME]

Good ones are onnxruntime and onnx.reference (NumPy), and for sums a plain loop from either end and
a tree. None may have an element outside, or the bound is wrong. Bad ones keep sums in float16,
compute in float16, leave a term out, or are a thousandth off: each must have elements
outside.

One line for each subject and implementation: the elements, how many of them profile ieee does not
accept, and the greatest part of its limit that an accepted element uses. Exit code 1 where one
is on the wrong side.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from onnx_conformance.generators.oracle.arith.elementary import FUNCTIONS

from .lines import Line, judged, required, run
from .products import loop, matrix_products, million

Array = np.ndarray[Any, Any]

# Where good implementations of float32 are furthest off: onnxruntime's Softsign, Log, Acos, Asin
# and Tanh, NumPy's log and exp; found by trying all float32 numbers in the binades around 1.
WORST = (
    *(45.325439453125, 1.1330702304840088, 0.5710548758506775, 0.5004398226737976),
    *(5.126039028167725, 0.782856285572052, 0.35373955965042114),
)
# The same for onnxruntime's Sin, Cos and Tanh of float64.
WORST_OF_DOUBLE = (3.1415246237831367, 9.424583155499661, 14.137181234856047, 17.714403100909713)
# expm1 is a step of activations, and no operator.
ELEMENTARY = tuple(name.capitalize() for name in FUNCTIONS if name != "expm1")
ACTIVATIONS = ("Sigmoid", "Elu", "Selu", "Gelu", "Mish", "HardSwish", "Softplus", "Softsign")


def lattice(*, quick: bool = False) -> Array:
    """float32 numbers of every binade and both signs, more of them between 2**-30 and 2**8."""
    random = np.random.default_rng(1)
    each = 1 if quick else 4
    sizes = [2.0**power * random.uniform(1, 2, each) for power in range(-149, 128)]
    sizes += [2.0**power * random.uniform(1, 2, 2 * each) for power in range(-30, 8)]
    named = [17.8, 1e-10, 7.3, 2.97, 80.0, 1.0, 0.5, *WORST]
    positive = np.concatenate([*sizes, np.array([*named, 0.0, np.inf, np.nan])])
    return np.unique(np.concatenate([positive, -positive]).astype(np.float32))


def single_functions(xs: Array) -> Iterator[Line]:
    """The elementary functions, each also computed in float16."""
    for operator in ELEMENTARY:
        half = {"in float16": _through(np.float16, operator, xs)}
        yield from judged(operator, required(operator, xs), {**run(operator, xs), **half})


def double_functions(*, quick: bool = False) -> Iterator[Line]:
    """The elementary functions that onnxruntime has for float64, each also in float32."""
    random = np.random.default_rng(2)
    count = 100 if quick else 1000
    sizes = 10.0 ** random.integers(-300, 300, count)
    given = [random.uniform(-20, 20, count), random.standard_normal(count) * sizes]
    xs = np.concatenate([*given, WORST_OF_DOUBLE, [0.0, -0.0, np.inf, -np.inf, np.nan]])
    for operator in ("Exp", "Log", "Sin", "Cos", "Tanh"):
        single = {"in float32": _through(np.float32, operator, xs)}
        results = {**run(operator, xs), **single}
        yield from judged(f"{operator}, float64", required(operator, xs), results)


def activations(xs: Array) -> Iterator[Line]:
    """Activations, each also a thousandth off and computed in float16."""
    for operator in ACTIVATIONS:
        results = run(operator, xs)
        with np.errstate(all="ignore"):
            off = (results["reference"] * 1.001).astype(np.float32)
        bad = {"a thousandth off": off, "in float16": _through(np.float16, operator, xs)}
        yield from judged(operator, required(operator, xs), {**results, **bad})


def _through(kept_in: Any, operator: str, xs: Array) -> Array:  # noqa: ANN401  a dtype
    """What NumPy computes in a narrower type."""
    with np.errstate(all="ignore"):
        return run(operator, xs.astype(kept_in))["reference"].astype(xs.dtype)


def softmaxes(*, quick: bool = False) -> Iterator[Line]:
    """Softmax of short and long rows, in two types."""
    random = np.random.default_rng(3)
    for name in ("float32", "float16"):
        for length, scale in ((8, 1), (8, 100), (100, 3), (20 if quick else 1000, 10)):
            x = (random.standard_normal((2, length)) * scale).astype(name)
            results = run("Softmax", x)
            results["a hundredth off"] = (results["reference"] * 1.01).astype(name)
            subject = f"Softmax of {length} x {scale}, {name}"
            yield from judged(subject, required("Softmax", x), results)


def layer_normalizations(*, quick: bool = False) -> Iterator[Line]:
    """LayerNormalization around means of 0 to 1000, and with its moments summed in float16."""
    random = np.random.default_rng(4)
    for length, mean in ((8, 0), (64, 0), (64, 10), (64, 1000), (32 if quick else 768, 1)):
        x = (random.standard_normal((2, length)) + mean).astype(np.float32)
        scale, bias = random.standard_normal((2, length)).astype(np.float32)
        results = run("LayerNormalization", x, scale, bias)
        if mean < 1000:  # there even float32 knows three digits only
            results["sums in float16"] = _normalized_in_half(x, scale, bias)
        grid = required("LayerNormalization", x, scale, bias)
        yield from judged(f"LayerNormalization of {length} around {mean}", grid, results)


def _normalized_in_half(x: Array, scale: Array, bias: Array) -> Array:
    half = x.astype(np.float16)
    mean = loop(half, np.ones((x.shape[1], 1)), np.float16) / np.float16(x.shape[1])
    off = (half - mean).astype(np.float16)
    squares = loop((off * off).astype(np.float16), np.ones((x.shape[1], 1)), np.float16)
    variance = (squares / np.float16(x.shape[1])).astype(np.float32)
    result: Array = off.astype(np.float32) / np.sqrt(variance + 1e-5) * scale + bias
    return result.astype(np.float32)


def subjects(*, quick: bool) -> dict[str, Callable[[], Iterator[Line]]]:
    """What is measured, by name."""
    xs = lattice(quick=quick)
    return {
        "functions": lambda: single_functions(xs),
        "doubles": lambda: double_functions(quick=quick),
        "activations": lambda: activations(xs[::3]),
        "softmax": lambda: softmaxes(quick=quick),
        "layernorm": lambda: layer_normalizations(quick=quick),
        "matmul": lambda: matrix_products(quick=quick),
        "million": million,
    }


def main() -> int:
    """Print the lines; 1 where an implementation is on the wrong side."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="fewer numbers and shorter sums")
    parser.add_argument("--only", choices=sorted(subjects(quick=True)))
    arguments = parser.parse_args()
    wrong = 0
    for name, lines in subjects(quick=arguments.quick).items():
        if arguments.only not in (None, name):
            continue
        started = time.monotonic()
        for line in lines():
            wrong += not line.is_right
            print(
                f"{line.subject:42} {line.implementation:16} {line.elements:5} elements,"
                f" {line.outside:5} outside, {line.used:4.2f} of the limit used"
                f"{'' if line.is_right else '   WRONG SIDE'}"
            )
        print(f"-- {name}: {time.monotonic() - started:.1f} s\n")
    print(f"{wrong} on the wrong side")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
