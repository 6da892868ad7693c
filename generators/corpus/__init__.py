"""From situations to the files of the corpus.

May come in: building vectors, writing and packing them, comparing them with digests, and what
covers what.
May not: anything about one operator or one form.
"""
