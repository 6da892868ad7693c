"""Exact rational numbers for all arithmetic here: GMP's, which gmpy2 makes callable.

`Fraction(numerator, denominator)` is used as that of Python's fractions, with the same values,
order, hash and words, and is about twenty times as fast; why that matters:
docs/decisions/2026-11-23-rational-numbers-are-gmps.md. Three things differ:

- what `numerator`, `math.floor`, `round` and `//` give is an integer of GMP. It counts, shifts and
  indexes as an `int`, but to `isinstance` it is none: ask for `Whole`, which is both;
- a Fraction of Python's own is none here: `numbers.fraction` makes one of it;
- no `limit_denominator`: that of gmpy2 2.3.2 gives memory free that is still in use, and Python
  crashes later. tests/generators/oracle/arith/test_rationals.py holds that nothing here calls it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # The same methods; by gmpy2's own declarations no integer of it could be used as an `int`.
    from fractions import Fraction

    Whole = int
else:
    import gmpy2

    Fraction = gmpy2.mpq
    Whole = (int, gmpy2.mpz)

__all__ = ["Fraction", "Whole"]
