"""From a variant of a case (version, opset, types) to a situation: real values and results.

May come in: what a case means at one version, and the values that it uses.
May not: which variants and forms there are, models and files.
"""
