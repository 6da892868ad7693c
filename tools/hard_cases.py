"""Find arguments whose results are hard to round, and write them as a module.

    python -m tools.hard_cases [--tried N]

The result of a function at such an argument lies almost halfway between two numbers of the type:
an approximation rounds to the wrong one, however small its error. For each function and type N
arguments are tried, and those nearest to halfway are kept. The arguments follow from N alone.
Activations are as their pages have them, with the attributes at their defaults.

Writes src/onnx_conformance/generators/situations/data/hard_cases.py. With N = 524,288 it takes five
minutes.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import gmpy2

KEPT = 12
PRECISION = 160  # bits; arguments have 53 at most, and none is nearer to halfway than 2^-64
# Arguments are taken from here, evenly; those of log have any power of two.
RANGES = {
    "acos": (-1.0, 1.0),
    "acosh": (1.0, 1000.0),
    "asin": (-1.0, 1.0),
    "asinh": (-1000.0, 1000.0),
    "atan": (-20.0, 20.0),
    "atanh": (-1.0, 1.0),
    "cos": (-50.0, 50.0),
    "cosh": (-80.0, 80.0),
    "elu": (-16.0, 0.0),
    "erf": (-3.5, 3.5),
    "exp": (-80.0, 80.0),
    "gelu": (-5.0, 5.0),
    "gelu_by_tanh": (-5.0, 5.0),
    "log": (1.0, 2.0),
    "mish": (-20.0, 8.0),
    "reciprocal": (1.0, 2.0),
    "selu": (-16.0, 0.0),
    "sigmoid": (-20.0, 16.0),
    "sin": (-50.0, 50.0),
    "sinh": (-80.0, 80.0),
    "softplus": (-20.0, 16.0),
    "sqrt": (1.0, 4.0),
    "swish": (-20.0, 16.0),
    "tan": (-50.0, 50.0),
    "tanh": (-8.0, 8.0),
}
# The defaults of Selu: numbers of float32.
ALPHA, GAMMA = "1.67326319217681884765625", "1.05070102214813232421875"
# Significand bits, and how struct writes and reads a number and its code.
TYPES = {"float32": (24, "<f", "<I"), "float64": (53, "<d", "<Q")}
TARGET = Path("src/onnx_conformance/generators/situations/data/hard_cases.py")
HEAD = '''"""Arguments whose results are hard to round, as tools/hard_cases.py writes them.

Of {tried:,} arguments of each function and type those whose results are nearest to halfway between
two numbers of the type, as codes in hexadecimal.
"""

from __future__ import annotations

HARD_CASES: dict[str, dict[str, str]] = {{
'''


def function_of(name: str) -> Callable[[gmpy2.mpfr], gmpy2.mpfr]:
    """The function, correctly rounded to PRECISION bits."""
    if name in _FORMULAS:
        return _FORMULAS[name]
    found: Callable[[gmpy2.mpfr], gmpy2.mpfr] = getattr(gmpy2, name)
    return found


def _gelu_by_tanh(x: gmpy2.mpfr) -> gmpy2.mpfr:
    inside = gmpy2.sqrt(2 / gmpy2.const_pi()) * (x + gmpy2.mpfr("0.044715") * x**3)
    return x / 2 * (1 + gmpy2.tanh(inside))


# Evaluated with far more bits than two roundings of a few more would need.
_FORMULAS: dict[str, Callable[[gmpy2.mpfr], gmpy2.mpfr]] = {
    "elu": gmpy2.expm1,
    "gelu": lambda x: x / 2 * gmpy2.erfc(-x / gmpy2.sqrt(gmpy2.mpfr(2))),
    "gelu_by_tanh": _gelu_by_tanh,
    "mish": lambda x: x * gmpy2.tanh(gmpy2.log1p(gmpy2.exp(x))),
    "reciprocal": lambda x: 1 / x,
    "selu": lambda x: gmpy2.mpfr(GAMMA) * gmpy2.mpfr(ALPHA) * gmpy2.expm1(x),
    "sigmoid": lambda x: 1 / (1 + gmpy2.exp(-x)),
    "softplus": lambda x: gmpy2.log1p(gmpy2.exp(x)),
    "swish": lambda x: x / (1 + gmpy2.exp(-x)),
}


def arguments(name: str, type_name: str, tried: int) -> Iterator[tuple[float, int]]:
    """Numbers of the type in the range of the function, each with its code."""
    _, of_float, of_code = TYPES[type_name]
    low, high = RANGES[name]
    source = random.Random(f"{name} {type_name}")  # noqa: S311  the same numbers each time
    for _ in range(tried):
        x = source.uniform(low, high)
        if name == "log":
            x = math.ldexp(x, source.randint(-100, 100))
        packed = struct.pack(of_float, x)
        (x,) = struct.unpack(of_float, packed)
        if low < x < high or name == "log":
            yield x, struct.unpack(of_code, packed)[0]


def from_halfway(value: gmpy2.mpfr, bits: int) -> float:
    """How far a value lies from halfway between two numbers of so many bits, in ulps."""
    moved = bits - gmpy2.get_exp(value)
    scaled = gmpy2.mul_2exp(value, moved) if moved >= 0 else gmpy2.div_2exp(value, -moved)
    return abs(float(scaled - gmpy2.floor(scaled) - 0.5))


def hardest(name: str, type_name: str, tried: int) -> list[int]:
    """The codes of the KEPT arguments whose results are nearest to halfway."""
    function, bits = function_of(name), TYPES[type_name][0]
    found = {
        (from_halfway(abs(function(gmpy2.mpfr(x))), bits), code)
        for x, code in arguments(name, type_name, tried)
        if x
    }
    return [code for _, code in heapq.nsmallest(KEPT, found)]


def lines(name: str, tried: int) -> Iterator[str]:
    """The lines of a function in the module."""
    yield f'    "{name}": {{\n'
    for type_name in TYPES:
        width = 8 if type_name == "float32" else 16
        codes = [f"{code:0{width}x}" for code in hardest(name, type_name, tried)]
        each = 8 if width == 8 else 4
        rows = [" ".join(codes[at : at + each]) for at in range(0, len(codes), each)]
        yield f'        "{type_name}": (\n'
        yield from (f'            "{row} "\n' for row in rows)
        yield "        ),\n"
    yield "    },\n"


def main() -> int:
    """Write the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tried", type=int, default=1 << 19, metavar="N")
    tried = parser.parse_args().tried
    gmpy2.get_context().precision = PRECISION
    text = HEAD.format(tried=tried)
    for name in RANGES:
        text += "".join(lines(name, tried))
    TARGET.write_text(text + "}\n", "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
