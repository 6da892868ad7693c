"""The content of reports, before any format: counts, gaps, failing cases, accuracy, words.

May come in: content that more than one format shows.
May not: a format.
"""
