"""Batches of work on many machines, whoever brings them there.

May come in: connecting to a cluster, which of its workers take part, what became of a batch.
May not: what a batch is, and deciding which worker gets it: that is the engine's (Dask).
"""
