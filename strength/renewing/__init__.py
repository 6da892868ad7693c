"""Renewing the record: measuring what changed, mostly by what the history says, and checking it.

May come in: what is measured when, and by what. May not: what becomes of a mutant.
"""
