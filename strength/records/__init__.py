"""What is committed: the record of each operator, the history of its mutants, and exceptions.

May come in: reading and writing these files, their digests, and docs/strength.md. May not: trying
mutants.
"""
