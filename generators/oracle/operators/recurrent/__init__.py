"""Operators that carry a state along a sequence."""
