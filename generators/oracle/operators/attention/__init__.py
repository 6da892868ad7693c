"""Queries, keys and values: attention, its positions and recurrent relatives."""
