"""From situations to the files of the corpus.

May come in: building vectors, holding them against witnesses, writing and packing them,
what covers what.
May not: anything about one operator or one form.
"""
