"""From a variant of a case (version, opset, types) to a situation: real values and results.

May come in: what a case stands for at one version, and the values that it is about.
May not: which variants and forms there are, models and files.
"""
