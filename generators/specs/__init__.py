"""Specs: their content (`model`), reading them, and checking them against ONNX's schemas.

May come in: keys of a spec and their checks.
May not: anything that is made from a spec.

Its modules read one group of keys each, and `reading` puts together what they read.
"""
