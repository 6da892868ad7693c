"""Kernels of support vectors: how near a row is to each of them.

The pages of SVMClassifier and SVMRegressor name the kernels and their parameters (gamma, coef0,
degree) and give no formula. The names are those of LIBSVM, whose documentation has these: C.-C.
Chang and C.-J. Lin, LIBSVM: a library for support vector machines, README, section svm_parameter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...accuracy.steps import Steps
from ...arith.intervals import Interval, point
from ...arith.numbers import NAN, ONE, ZERO, Real, from_float
from ...attributes import word
from ...errors import InvalidCallError
from ...registry import Call, refuse_if_chosen

KERNELS = ("LINEAR", "POLY", "RBF", "SIGMOID")
_PARAMETERS = 3


@dataclass(frozen=True)
class Kernel:
    """A kernel with its parameters.

    Attributes:
        name: one of KERNELS.
        gamma, coef0, degree: the parameters; zero where the kernel has no use for one.
    """

    name: str
    gamma: Real
    coef0: Real
    degree: Real

    def __call__(self, steps: Steps, x: Sequence[Interval], vector: Sequence[Real]) -> Interval:
        """How near a row is to a support vector."""
        y = [steps.exactly(item) for item in vector]
        gamma, coef0 = steps.exactly(self.gamma), steps.exactly(self.coef0)
        if self.name == "RBF":
            differences = [steps.sub(a, b) for a, b in zip(x, y, strict=True)]
            distance = steps.sum([steps.square(item) for item in differences])
            return steps.exp(steps.neg(steps.mul(gamma, distance)))
        dot = steps.dot(x, y)
        if self.name == "LINEAR":
            return dot
        inner = steps.add(steps.mul(gamma, dot), coef0)
        if self.name == "SIGMOID":
            return steps.tanh(inner)
        if self.degree == ZERO and inner.low is NAN:
            return point(ONE)  # LIBSVM multiplies as often as the degree says, whatever the number
        return steps.pow(inner, steps.exactly(self.degree))


def kernel_of(call: Call) -> Kernel:
    """The kernel that the attributes name.

    InvalidCallError for one that is none of KERNELS, and for another number of parameters than
    three; that there are none is asked.
    """
    name = word(call, "kernel_type", KERNELS)
    given = [from_float(item) for item in call.floats_attribute("kernel_params", ())]
    if not given:
        refuse_if_chosen(call, "without-kernel-params", "zeros")
        given = [ZERO] * _PARAMETERS
    if len(given) != _PARAMETERS:
        raise InvalidCallError(f"kernel_params has {len(given)} numbers, not {_PARAMETERS}")
    return Kernel(name, *given)


def shifted(steps: Steps, total: Interval, rho: Real, sign: str) -> Interval:
    """A sum of kernels with rho, which is `added` or `subtracted`."""
    shift = steps.exactly(rho)
    return steps.add(total, shift) if sign == "added" else steps.sub(total, shift)


def cut(numbers: Sequence[Real], width: int) -> list[Sequence[Real]]:
    """A list cut into rows; InvalidCallError where it has no whole number of them."""
    if width < 1 or len(numbers) % width:
        raise InvalidCallError(f"{len(numbers)} numbers make no rows of {width}")
    return [numbers[start : start + width] for start in range(0, len(numbers), width)]
