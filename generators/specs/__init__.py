"""Specs: their content (`model`), reading them, and checking them against ONNX's schemas.

May come in: keys of a spec and their checks.
May not: anything that is made from a spec.
The folder has 13 modules: a part of a spec has its own, with its keys and their checks.
"""
