"""The families, a module for each kind of operator: the functions and helpers for their cases.

A family is registered by `@family` (families/registry.py, which lists these modules).

May come in: cases that follow from a few parameters, for every operator of a kind.
May not: real values of elements (`situations`), and what an oracle answers.
"""
