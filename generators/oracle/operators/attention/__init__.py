"""Queries, keys and values: attention, its positions and its recurrent kin."""
