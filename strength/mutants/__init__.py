"""Mutants of an oracle: in its code, and in what it makes of its signature.

May come in: what changes an oracle's code, and what says where a change can matter. May not: what
becomes of a mutant.
"""
