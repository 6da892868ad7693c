"""The gate: the list of a project's known failures, and whether a run agrees with it.

May come in: reading, writing and updating baselines, and comparing a run with them.
May not: starting backends.
It has more than a dozen modules, because reading, writing and changing a file that people edit, and
the answer of the gate in words, are one subject each.
"""
