"""The fraction with a small denominator that a number is near to."""

from __future__ import annotations

import fractions
from typing import TYPE_CHECKING

from onnx_conformance.generators.oracle.arith.rationals import Fraction

if TYPE_CHECKING:
    from onnx_conformance.generators.oracle.arith.numbers import Real


def near(number: Real, denominator: int) -> Fraction:
    """The nearest fraction with at most this denominator, by Python's own fractions."""
    exact = Fraction(number)  # type: ignore[arg-type]  # a finite number
    ours = fractions.Fraction(int(exact.numerator), int(exact.denominator))
    return Fraction(ours.limit_denominator(denominator))
