"""From situations to the files of the corpus.

May come in: building vectors, writing and packing them, holding them against digests,
what covers what.
May not: anything about one operator or one form.
"""
