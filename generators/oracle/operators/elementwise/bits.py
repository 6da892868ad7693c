"""BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseNot and BitShift. Sources: their pages, Summary."""

from __future__ import annotations

import operator

from onnx_conformance.core.values.elements import element_type

from ...arith.grid import combine
from ...arith.rounding import wrap
from ...attributes import word
from ...registry import Call, Result, oracle

_SIGNED_SHIFTS = 28  # the version that says what shifts beyond the width give


_FUNCTIONS = {"BitwiseAnd": operator.and_, "BitwiseOr": operator.or_, "BitwiseXor": operator.xor}


@oracle("BitwiseAnd")
@oracle("BitwiseOr")
@oracle("BitwiseXor")
def bitwise(call: Call) -> Result:
    """The bits that both elements have, that one of them has or both, or that exactly one has."""
    one, other = call.grid("A"), call.grid("B")
    return (combine(one.type, _FUNCTIONS[call.operator], one, other),)


@oracle("BitwiseNot")
def bitwise_not(call: Call) -> Result:
    """Every bit inverted."""
    grid = call.grid("X")
    return (grid.map(lambda item: wrap(grid.type, ~item)),)


@oracle("BitShift")
def bit_shift(call: Call) -> Result:
    """X shifted by Y bits; bits shifted out are lost, and a right shift keeps the sign."""
    direction = word(call, "direction", ("LEFT", "RIGHT"))
    one, other = call.grid("X"), call.grid("Y")
    bits = element_type(one.type).bits

    def shifted(x: int, count: int) -> int:
        if not 0 <= count < bits:
            if call.since_version < _SIGNED_SHIFTS:
                reading = call.choose("shift-beyond-width", "all-bits-out", "count-modulo-width")
                return _shifted(x, count % bits if reading == "count-modulo-width" else bits)
            return -1 if direction == "RIGHT" and x < 0 else 0
        return _shifted(x, count)

    def _shifted(x: int, count: int) -> int:
        return x >> count if direction == "RIGHT" else wrap(one.type, x << count)

    return (combine(one.type, shifted, one, other),)
