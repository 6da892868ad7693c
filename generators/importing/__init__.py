"""ONNX's own node tests as files.

From version 1.23 on the onnx package holds its node tests only as Python code that builds them in
memory. Modules here run that code (`collecting`), use its values unchanged (`converting`), and
write each case as one directory in the layout that ONNX used to ship (`cases`, `writing`). The
result can be compared with a digest list of earlier results, or with another folder (`verifying`,
`kept`).

May come in: what concerns ONNX's own cases.
May not: specs and oracles.
"""
