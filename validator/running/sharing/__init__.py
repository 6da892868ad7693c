"""Sharing vectors out: among the machines of a CI matrix, or among the workers of a cluster.

May come in: how long vectors took, what must stay together, and parts that take equally long.
May not: running anything.
"""
