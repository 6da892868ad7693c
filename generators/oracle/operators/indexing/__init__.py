"""Operators that name places by indices."""
