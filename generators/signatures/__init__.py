"""Signatures of all versions of all operators, from a committed snapshot of ONNX's schemas.

`model` says what a signature is, `reading` reads the snapshot (specs/schemas.json), `snapshot`
makes it from the installed onnx, and `comparing` says in words how two snapshots differ.
"""
