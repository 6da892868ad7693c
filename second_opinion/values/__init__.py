"""Numbers as this package computes with them, and how they become bytes of the corpus.

May come in: representing and rounding values.
May not: what an operator does with them.
"""
