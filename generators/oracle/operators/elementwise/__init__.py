"""Operators on each element alone, or on the elements at the same place."""
