"""The commands of `python -m strength`, a module for each.

May come in: options, and the order of what is called. May not: measuring and judging.
"""
