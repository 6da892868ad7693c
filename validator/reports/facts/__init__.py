"""What reports say, before it has a form: counts, gaps, failing cases, accuracy, words.

May come in: what more than one format shows.
May not: a format.
"""
