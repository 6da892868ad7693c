"""Families: registered functions that yield the cases of an operator from a few parameters.

A spec names a family with its parameters under `families:`; the function yields cases whose ids
are made of what they vary, never of their place. The docstring of a family is its manual, which
`onnx-vectors families` prints. What lives here knows specs and signatures; it builds no model and
asks no backend. The families themselves are in `kinds`, a module for each kind of operator; here is
what finds them, reads what a spec gives them, and checks what they make.
"""
