"""Operators whose output has the elements of the inputs, elsewhere."""
