"""Mutants that arrange: axes, inputs, elements and steps of formulas in another order.

May come in: such mutants, which vectors they are asked of, what becomes of them, the record of it,
and what data cannot tell. May not: what is wrong in one place of an oracle's code (`mutants`).

More than a dozen modules: `data`, `plain_reasons` and `redrawing` are about vectors and not about
mutants, and stand here as what data hide is what the record of these says that others tell.
"""
