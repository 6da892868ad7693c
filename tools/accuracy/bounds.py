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
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from onnx_conformance.generators.oracle.accuracy.bounds import (
    enclosed,
    enclosed_all,
    function_value,
)
from onnx_conformance.generators.oracle.arith.elementary import FUNCTIONS
from onnx_conformance.generators.oracle.arith.numbers import (
    NAN,
    is_negative,
)
from onnx_conformance.generators.oracle.arith.rationals import Fraction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from onnx_conformance.generators.oracle.accuracy.steps import Steps
    from onnx_conformance.generators.oracle.arith.grid import Item
    from onnx_conformance.generators.oracle.arith.intervals import Interval
    from onnx_conformance.generators.oracle.arith.numbers import Real

    Array = np.ndarray[Any, Any]

from .lines import Line, elements, judged, run
from .products import loop, matrix_products, million

HALF = Fraction(1, 2)
# Where good implementations of float32 are furthest off: onnxruntime's Softsign, Log, Acos, Asin
# and Tanh, NumPy's log and exp; found by trying all float32 numbers in the binades around 1.
WORST = (
    *(45.325439453125, 1.1330702304840088, 0.5710548758506775, 0.5004398226737976),
    *(5.126039028167725, 0.782856285572052, 0.35373955965042114),
)
# The same for onnxruntime's Sin, Cos and Tanh of float64.
WORST_OF_DOUBLE = (3.1415246237831367, 9.424583155499661, 14.137181234856047, 17.714403100909713)


# --- functions -------------------------------------------------------------------------------


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
    numbers = elements(xs)
    for function in FUNCTIONS:
        if function == "expm1":  # a step of activations, and no operator
            continue
        operator = function.capitalize()
        results = run(operator, xs)
        items = [function_value(function, "float32", x) for x in numbers]
        with np.errstate(all="ignore"):
            half = run(operator, xs.astype(np.float16))["reference"].astype(np.float32)
        yield from judged(operator, items, {**results, "in float16": half})


def double_functions(*, quick: bool = False) -> Iterator[Line]:
    """The elementary functions that onnxruntime has for float64, each also in float32."""
    random = np.random.default_rng(2)
    count = 100 if quick else 1000
    sizes = 10.0 ** random.integers(-300, 300, count)
    given = [random.uniform(-20, 20, count), random.standard_normal(count) * sizes]
    xs = np.concatenate([*given, WORST_OF_DOUBLE, [0.0, -0.0, np.inf, -np.inf, np.nan]])
    for operator in ("Exp", "Log", "Sin", "Cos", "Tanh"):
        items = [function_value(operator.lower(), "float64", x) for x in elements(xs)]
        with np.errstate(all="ignore"):
            single = run(operator, xs.astype(np.float32))["reference"].astype(np.float64)
        subject = f"{operator}, float64"
        yield from judged(subject, items, {**run(operator, xs), "in float32": single})


def exactly(value: float) -> Fraction:
    """A constant as float32 holds it."""
    return Fraction(float(np.float32(value)))


def elu(s: Steps, x: Interval) -> Interval:
    """The page's formula below zero, alpha 1."""
    return s.sub(s.exp(x), 1)


def selu(s: Steps, x: Interval) -> Interval:
    """The page's formula below zero."""
    alpha, gamma = exactly(1.67326319217681884765625), exactly(1.05070102214813232421875)
    return s.mul(gamma, s.sub(s.mul(alpha, s.exp(x)), alpha))


def selu_above(s: Steps, x: Interval) -> Interval:
    """The page's formula from zero on."""
    return s.mul(exactly(1.05070102214813232421875), x)


def gelu(s: Steps, x: Interval) -> Interval:
    """The page's formula."""
    return s.mul(s.mul(HALF, x), s.add(1, s.erf(s.div(x, s.sqrt(2)))))


def mish(s: Steps, x: Interval) -> Interval:
    """The page's formula."""
    return s.mul(x, s.tanh(s.softplus(x)))


def hard_swish(s: Steps, x: Interval) -> Interval:
    """The page's formula, alpha 1/6 and beta 1/2."""
    return s.mul(x, s.max(0, s.min(1, s.add(s.mul(exactly(1 / 6), x), HALF))))


def softsign(s: Steps, x: Interval) -> Interval:
    """The page's formula."""
    return s.div(x, s.add(1, s.absolute(x)))


COMPOSITES: dict[str, Callable[[Steps, Interval], Interval]] = {
    "Sigmoid": lambda s, x: s.sigmoid(x),
    "Elu": elu,
    "Selu": selu,
    "Gelu": gelu,
    "Mish": mish,
    "HardSwish": hard_swish,
    "Softplus": lambda s, x: s.softplus(x),
    "Softsign": softsign,
}


def composite_item(operator: str, x: Real) -> Item:
    """An element of a composite activation by the page's formula."""
    if x is not NAN and not is_negative(x) and operator in ("Elu", "Selu"):
        return x if operator == "Elu" else enclosed("float32", selu_above, x)
    return enclosed("float32", COMPOSITES[operator], x)


def composites(xs: Array) -> Iterator[Line]:
    """Activations by their formulas, each also a thousandth off and computed in float16."""
    numbers = elements(xs)
    for operator in COMPOSITES:
        results = run(operator, xs)
        items = [composite_item(operator, x) for x in numbers]
        with np.errstate(all="ignore"):
            off = (results["reference"] * 1.001).astype(np.float32)
            half = run(operator, xs.astype(np.float16))["reference"].astype(np.float32)
        bad = {"a thousandth off": off, "in float16": half}
        yield from judged(operator, items, {**results, **bad})


# --- rows ------------------------------------------------------------------------------------


def softmax_formula(row: Sequence[Real], s: Steps) -> list[Interval]:
    """The page's formula, with the maximum subtracted."""
    given = [s.exactly(x) for x in row]
    greatest = reduce(s.max, given)
    powers = [s.exp(s.sub(x, greatest)) for x in given]
    total = s.sum(powers)
    return [s.div(power, total) for power in powers]


def softmaxes(*, quick: bool = False) -> Iterator[Line]:
    """Softmax of short and long rows, in two types."""
    random = np.random.default_rng(3)
    for name in ("float32", "float16"):
        for length, scale in ((8, 1), (8, 100), (100, 3), (20 if quick else 1000, 10)):
            x = (random.standard_normal((2, length)) * scale).astype(name)
            items = [
                item
                for row in x
                for item in enclosed_all(name, partial(softmax_formula, elements(row)))
            ]
            results = run("Softmax", x, axis=-1)
            off = (results["reference"] * 1.01).astype(name)
            subject = f"Softmax of {length} x {scale}, {name}"
            yield from judged(subject, items, {**results, "a hundredth off": off})


def normalized(
    one_pass: bool,  # noqa: FBT001  bound by partial
    row: Sequence[Real],
    scale: Sequence[Real],
    bias: Sequence[Real],
    s: Steps,
) -> list[Interval]:
    """The page's formula of LayerNormalization, its variance in two passes or in one."""
    given = [s.exactly(x) for x in row]
    mean = s.mean(given)
    off = [s.sub(x, mean) for x in given]
    if one_pass:
        variance = s.sub(s.mean([s.square(x) for x in given]), s.square(mean))
    else:
        variance = s.mean([s.square(x) for x in off])
    deviation = s.sqrt(s.add(variance, exactly(1e-5)))
    return [
        s.add(s.mul(s.div(x, deviation), s.exactly(a)), s.exactly(b))
        for x, a, b in zip(off, scale, bias, strict=True)
    ]


def layer_normalizations(*, quick: bool = False) -> Iterator[Line]:
    """LayerNormalization around means of 0 to 1000, and with its moments summed in float16."""
    random = np.random.default_rng(4)
    for length, mean in ((8, 0), (64, 0), (64, 10), (64, 1000), (32 if quick else 768, 1)):
        x = (random.standard_normal((2, length)) + mean).astype(np.float32)
        scale, bias = random.standard_normal((2, length)).astype(np.float32)
        items = []
        for row in x:
            given = elements(row), elements(scale), elements(bias)
            two, one = (partial(normalized, one_pass, *given) for one_pass in (False, True))
            items += enclosed_all("float32", two, alternatives=[one])
        results = run("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-5)
        if mean < 1000:  # there even float32 knows three digits only
            results["sums in float16"] = _normalized_in_half(x, scale, bias)
        yield from judged(f"LayerNormalization of {length} around {mean}", items, results)


def _normalized_in_half(x: Array, scale: Array, bias: Array) -> Array:
    half = x.astype(np.float16)
    mean = loop(half, np.ones((x.shape[1], 1)), np.float16) / np.float16(x.shape[1])
    off = (half - mean).astype(np.float16)
    squares = loop((off * off).astype(np.float16), np.ones((x.shape[1], 1)), np.float16)
    variance = (squares / np.float16(x.shape[1])).astype(np.float32)
    result: Array = off.astype(np.float32) / np.sqrt(variance + 1e-5) * scale + bias
    return result.astype(np.float32)


# --- the command -----------------------------------------------------------------------------


def subjects(*, quick: bool) -> dict[str, Callable[[], Iterator[Line]]]:
    """What is measured, by name."""
    xs = lattice(quick=quick)
    return {
        "functions": lambda: single_functions(xs),
        "doubles": lambda: double_functions(quick=quick),
        "composites": lambda: composites(xs[::3]),
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
