"""Nodes and models checked against signatures and IR.md: counts, types, attributes, names.

May come in: rules that can be checked without a result, and what a node's call is by its signature.
May not: running anything.
"""
