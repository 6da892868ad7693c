"""ONNX's own node tests as files.

From version 1.23 on the onnx package holds its node tests only as Python code that builds them in
memory. Here that code is run (`collecting`), its values are used as they are (`converting`), and
each case becomes one directory in the layout that ONNX used to ship (`cases`, `writing`). What was
written can be compared with a digest list of what others got, or with another folder
(`verifying`, `kept`).
"""
