"""Whether the oracle's bounds part good implementations from bad ones.

    python -m tools.accuracy.bounds [--quick] [--only NAME]

Good ones are onnxruntime and onnx.reference (NumPy), and for sums a plain loop from either end and
a tree. None may have an element outside, or the bound is wrong. Bad ones keep sums in float16,
compute in float16, leave a term out, or are a thousandth off: each must have elements
outside.

One line for each subject and implementation: the elements, how many of them profile ieee does not
accept, and the greatest part of its limit that an accepted element uses. Exit code 1 where one
stands on the wrong side.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.oracle.accuracy.bounds import (
    dot_bound,
    enclosed,
    enclosed_all,
    function_value,
)
from onnx_conformance.generators.oracle.accuracy.limits import misfits
from onnx_conformance.generators.oracle.accuracy.sums import scaled, sum_value
from onnx_conformance.generators.oracle.arith.elementary import FUNCTIONS
from onnx_conformance.generators.oracle.arith.grid import Enclosed, Grid, grid_of
from onnx_conformance.generators.oracle.arith.numbers import (
    NAN,
    fraction,
    is_finite,
    is_negative,
)
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.situations.data.dots import DOT_SETS
from onnx_conformance.generators.situations.data.profiles import profile_tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from onnx_conformance.generators.oracle.accuracy.steps import Steps
    from onnx_conformance.generators.oracle.arith.grid import Item
    from onnx_conformance.generators.oracle.arith.intervals import Interval
    from onnx_conformance.generators.oracle.arith.numbers import Real

    Array = np.ndarray[Any, Any]

GOOD = ("onnxruntime", "reference", "forwards", "backwards", "tree")
OPSET = 22
HALF = Fraction(1, 2)
TENTHS = 1_000_000
# Where good implementations of float32 are furthest off: onnxruntime's Softsign, Log, Acos, Asin
# and Tanh, NumPy's log and exp; found by trying all float32 numbers in the binades around 1.
WORST = (
    *(45.325439453125, 1.1330702304840088, 0.5710548758506775, 0.5004398226737976),
    *(5.126039028167725, 0.782856285572052, 0.35373955965042114),
)
# The same for onnxruntime's Sin, Cos and Tanh of float64.
WORST_OF_DOUBLE = (3.1415246237831367, 9.424583155499661, 14.137181234856047, 17.714403100909713)


@dataclass(frozen=True)
class Line:
    """What one implementation makes of one subject.

    Attributes:
        subject, implementation: their names.
        elements: how many were judged.
        outside: how many profile ieee does not accept.
        used: the greatest part of its limit that an accepted element uses.
    """

    subject: str
    implementation: str
    elements: int
    outside: int
    used: float

    @property
    def is_right(self) -> bool:
        """Whether a good implementation is inside, and a bad one is not."""
        return (self.outside == 0) == (self.implementation in GOOD)


# --- running ---------------------------------------------------------------------------------


def run(operator: str, *inputs: Array, **attributes: Any) -> dict[str, Array]:  # noqa: ANN401  as ONNX has it
    """What onnxruntime and onnx.reference return; one that cannot is not in it."""
    import onnxruntime
    from onnx import helper
    from onnx.reference import ReferenceEvaluator

    code = helper.np_dtype_to_tensor_dtype(inputs[0].dtype)
    names = [f"x{place}" for place in range(len(inputs))]
    graph = helper.make_graph(
        [helper.make_node(operator, names, ["y"], **attributes)],
        "accuracy",
        [helper.make_tensor_value_info(name, code, None) for name in names],
        [helper.make_tensor_value_info("y", code, None)],
    )
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    feeds = dict(zip(names, inputs, strict=True))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    found = {}
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        found["onnxruntime"] = session.run(None, feeds)[0]
    except Exception as error:
        print(f"{operator}: onnxruntime cannot: {str(error)[:90]!r}", file=sys.stderr)
    with np.errstate(all="ignore"):
        (referred,) = ReferenceEvaluator(model).run(None, feeds)
        found["reference"] = np.asarray(referred)
    return {name: value for name, value in found.items() if value.dtype == inputs[0].dtype}


def elements(array: Array) -> Sequence[Any]:
    """The elements of an array as exact numbers."""
    return grid_of(Tensor(str(array.dtype), array.shape, array.tobytes())).items


def judged(subject: str, items: Sequence[Item], results: dict[str, Array]) -> Iterator[Line]:
    """One line for each implementation."""
    for implementation, array in results.items():
        name = str(array.dtype)
        tensor = Tensor(name, (array.size,), np.ascontiguousarray(array).tobytes())
        outside = set(misfits(Grid(name, (array.size,), items), tensor))
        got = elements(array.ravel())
        used = [
            used_part(item, got[place]) for place, item in enumerate(items) if place not in outside
        ]
        yield Line(subject, implementation, len(items), len(outside), max(used, default=0.0))


def used_part(item: Item, got: Real) -> float:
    """The part of its limit that an accepted element uses; 0 where there is none."""
    if not isinstance(item, Enclosed) or not is_finite(got) or not is_finite(item.value):
        return 0.0
    value, number = fraction(_real(item.value)), fraction(got)
    end = _real(item.high if number > value else item.low)
    if not is_finite(end) or fraction(end) == value:
        return 0.0
    return min(1.0, float((number - value) / (fraction(end) - value)))


def _real(x: Any) -> Real:  # noqa: ANN401  an element of a float type
    return cast("Real", x)


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


# --- sums ------------------------------------------------------------------------------------


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
                rows = [scaled(elements(row)) for row in a]
                columns = [scaled(elements(np.ascontiguousarray(column))) for column in b.T]
                items = [
                    dot_bound(name, *row.dot(column), length) for row in rows for column in columns
                ]
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
                yield from judged(f"MatMul of {length} {label}, {name}", items, results)


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
    item = sum_value("float32", elements(x))
    results = {name: np.reshape(got, 1) for name, got in run("ReduceSum", x, keepdims=0).items()}
    for implementation, order in (("forwards", x), ("sums in float16", x.astype(np.float16))):
        # cumsum keeps each partial sum in the type: it is a plain loop.
        with np.errstate(over="ignore"):
            results[implementation] = np.cumsum(order)[-1:].astype(np.float32)
    yield from judged("ReduceSum of a million times 0.1", [item], results)


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
    """Print the lines; 1 where an implementation stands on the wrong side."""
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
