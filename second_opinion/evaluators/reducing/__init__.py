"""Reductions, and normalizations that are made of them.

May come in: evaluators of that family.
May not: those of another, or what several families need (`shared`).
"""
