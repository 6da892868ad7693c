"""Operators that look at each element by itself, or with those at its place."""
