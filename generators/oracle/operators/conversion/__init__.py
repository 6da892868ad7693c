"""Operators whose output has the elements of the input in another type: by value, or by bits."""
