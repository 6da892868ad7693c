"""Vectors in archives: one file for each operator version, which is read as it is.

May come in: writing an archive the same everywhere, reading one with suspicion, and opening a
corpus of them.
May not: how vectors are made, and anything that unpacks an archive to disk.
"""
