"""The gate: what a project knows of its failures, and whether a run was as expected.

May come in: reading, writing and renewing baselines, and their verdict on a run.
May not: starting backends.
"""
