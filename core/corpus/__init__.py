"""Vectors as files: their metadata, the manifest, ids and patterns of ids.

May come in: reading what is on disk, and the names that people give to vectors.
May not: how vectors are made (`generators`) and how they are judged (`validator`).
It has more than a dozen modules, because what a vector's files say, and whether they ask anything,
is one subject for whoever reads them.
"""
