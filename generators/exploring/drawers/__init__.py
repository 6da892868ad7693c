"""Calls drawn from signatures: a few lines for a family of operators, values drawn independently.

May come in: what ranks, shapes, attributes and integers of an operator fit each other. May not:
what a result is, which the oracles know; nor edits of the corpus's vectors, which are beside this.
"""
