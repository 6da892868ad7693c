"""ONNX's own node tests and its runner, beside ours: docs/upstream.md.

May come in: running both on the same cases, and comparing what they say.
May not: importing the cases (`generators/importing`), and what takes time (`benchmarks/`).
"""
