"""Nodes and models checked against signatures and IR.md: counts, types, attributes, names.

May come in: rules that need no result to check, and how a signature interprets a node's call.
May not: running anything.
"""
