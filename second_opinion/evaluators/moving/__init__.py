"""Operators that move or select elements.

May come in: evaluators of that family.
May not: those of another, or what several families need (`shared`).
"""
