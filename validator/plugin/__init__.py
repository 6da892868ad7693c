"""The pytest plugin: vectors as tests of somebody else's suite.

May come in: what pytest must be told.
May not: another way of running or judging than that of `running` and `judging`.
"""
