"""Operators that join the elements along axes, or hold them against each other."""
