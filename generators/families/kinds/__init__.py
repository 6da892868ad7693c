"""The families, a module for each kind of operator: the functions and what their cases need.

A family is registered by `@family` (families/registry.py), which has the list of these modules.
"""
