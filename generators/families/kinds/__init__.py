"""The families, a module for each kind of operator: the functions and helpers for their cases.

A family is registered by `@family` (families/registry.py, which lists these modules).
"""
