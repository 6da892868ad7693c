"""Families: registered functions that yield the cases of an operator from a few parameters.

A spec names a family with its parameters under `families:`; the function yields cases with ids made
of what they vary, never of their place. The docstring of a family is its manual, which
`onnx-vectors families` prints. Modules here know specs and signatures; they build no models and run
no backends. The families themselves are in `kinds`, a module for each kind of operator; the modules
here find them, read their parameters in a spec, and check the cases that they make.

May come in: functions from a few parameters to cases, and what they share.
May not: real values, models and results: a family writes the case that a person would write.
"""
