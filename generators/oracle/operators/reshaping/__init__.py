"""Operators whose output has the elements of the input in the same order, in another shape."""
