"""Operators that run subgraphs."""
