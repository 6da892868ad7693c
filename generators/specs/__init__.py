"""Specs: what they say (`model`), how they are read, and that they agree with ONNX's schemas.

May come in: keys of a spec and their checks.
May not: what is made of a spec.
"""
