"""The cases of a spec: what groups and `let` share among them, and reading each of them.

May come in: keys of a case and their checks.
May not: what functions make from parameters, which is `families`.
"""
