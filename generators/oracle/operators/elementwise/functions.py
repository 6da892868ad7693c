"""Functions of one real number: Exp, Log, Sqrt, Reciprocal, Sin and their like, all versions.

Sources: their pages, Summary, which only name a mathematical function. Its values at infinities,
NaN and signed zeros and outside its domain: IEEE 754-2019, 9.2.1, and C's Annex F. The permitted
errors: bounds.py.
"""

from __future__ import annotations

from ...accuracy.bounds import function_value, rounded, rounded_sqrt
from ...arith.elementary import exact_value
from ...arith.grid import AnyOf, Item
from ...arith.numbers import NEG_ZERO, ONE, ZERO, Real, div
from ...arith.rounding import is_float
from ...registry import Call, Result, oracle


@oracle("Acos")
@oracle("Acosh")
@oracle("Asin")
@oracle("Asinh")
@oracle("Atan")
@oracle("Atanh")
@oracle("Cos")
@oracle("Cosh")
@oracle("Erf")
@oracle("Exp")
@oracle("Log")
@oracle("Sin")
@oracle("Sinh")
@oracle("Tan")
@oracle("Tanh")
def elementary_function(call: Call) -> Result:
    """The function that gives the operator its name, for each element."""
    grid = call.grid("input")
    name = call.operator.lower()
    if not is_float(grid.type):
        return (grid.map(lambda item: _error_function(call, item)),)
    if name == "erf":
        return (grid.map(lambda item: _erf(grid.type, item)),)
    return (grid.map(lambda item: function_value(name, grid.type, item)),)


def _erf(name: str, x: Real) -> Item:
    """Erf has no place in IEEE 754, and its page does not say which zero that of -0 is."""
    return AnyOf((NEG_ZERO, ZERO)) if x is NEG_ZERO else function_value("erf", name, x)


def _error_function(call: Call, x: int) -> int:
    """Erf-9 of an integer: between -1 and 1, so that 0 has the only result that is an integer."""
    if exact_value("erf", ZERO if x == 0 else ONE) == ZERO:
        return 0
    reading = call.choose("erf-of-integers", "truncates", "rounds")
    sign = 1 if x > 0 else -1
    return 0 if reading == "truncates" else sign


@oracle("Sqrt")
def square_root(call: Call) -> Result:
    """The square root; NaN of negative numbers. Of -0 it is -0; as a power of 0.5 it is +0."""
    grid = call.grid("X")
    return (grid.map(lambda item: _root(grid.type, item)),)


def _root(name: str, x: Real) -> Item:
    return AnyOf((NEG_ZERO, ZERO)) if x is NEG_ZERO else rounded_sqrt(name, x)


@oracle("Reciprocal")
def reciprocal(call: Call) -> Result:
    """One divided by each element; infinite, with its sign, for a zero."""
    grid = call.grid("X")
    return (grid.map(lambda item: rounded(grid.type, div, ONE, item, step="div")),)
