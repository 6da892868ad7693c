"""Signatures of all versions of all operators, from a committed snapshot of ONNX's schemas.

`model` defines signatures, `reading` reads the snapshot (specs/schemas.json), `snapshot` makes it
from the installed onnx, and `comparing` describes how two snapshots differ.

May come in: what a schema says of an operator.
May not: what our specs add to it.
"""
