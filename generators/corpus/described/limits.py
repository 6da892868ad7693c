"""The limits of a vector's outputs as numbers, and how wide they are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from onnx_conformance.core.corpus.vectors import DataSet
from onnx_conformance.core.values.describing import bit_patterns, elements, part_type
from onnx_conformance.core.values.floats import FLOAT_FORMATS, Numbers, numbers
from onnx_conformance.core.values.limits import limits_for, profiles_of
from onnx_conformance.core.values.tensors import Bounded, Tensor


@dataclass(frozen=True)
class Limits:
    """What may be accepted in place of one output's elements.

    Attributes:
        data_set: its number.
        output: name of the output.
        profile: `ieee` or `gpu`.
        expected: the nearest representable values to the exact results.
        low, high: the least and the greatest that are accepted.
    """

    data_set: int
    output: str
    profile: str
    expected: Tensor
    low: Tensor
    high: Tensor

    @property
    def width(self) -> float:
        """The widest range, as a share of the largest finite value that is expected.

        Where all of them are 0 it is the range itself. Infinite where an element may be infinite
        beside a finite expectation. 0 if all are exact.
        """
        import numpy as np

        values, low, high = map(_numbers, (self.expected, self.low, self.high))
        finite = np.isfinite(values)
        if not finite.any():
            return 0.0
        widest = float((high[finite] - low[finite]).max())
        largest = float(np.abs(values[finite]).max())
        return widest / largest if largest else widest

    def document(self) -> dict[str, Any]:
        """As JSON: each element, in row-major order; what JSON has no number for is a text."""
        count = max(1, math.prod(self.expected.shape))
        return {
            "data_set": self.data_set,
            "output": self.output,
            "profile": self.profile,
            "type": self.expected.type,
            "shape": list(self.expected.shape),
            "expected": elements(self.expected, count),
            "low": elements(self.low, count),
            "high": elements(self.high, count),
        }


def _numbers(tensor: Tensor) -> Numbers:
    """The elements as float64, each part of a complex number by itself."""
    import numpy as np

    form = FLOAT_FORMATS.get(part_type(tensor.type))
    if form is not None:
        return numbers(bit_patterns(tensor), form).reshape(-1)
    listed = elements(tensor, max(1, math.prod(tensor.shape)))
    return np.array([float(item) for item in listed], np.float64)


def limits_of(data_sets: Iterable[DataSet]) -> Iterator[Limits]:
    """The limits of every output that has some."""
    for number, data_set in enumerate(data_sets):
        for named in data_set.outputs:
            value = named.value
            if not isinstance(value, Bounded):
                continue
            for profile in profiles_of(value):
                low, high = limits_for(value, profile)
                yield Limits(number, named.name, profile, value, low, high)
