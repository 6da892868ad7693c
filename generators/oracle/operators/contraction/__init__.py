"""Operators that sum products."""
