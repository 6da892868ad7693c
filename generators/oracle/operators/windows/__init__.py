"""Operators whose windows slide over the spatial axes of a tensor."""
