"""From a spec to situations: a version, element types, attributes and tensors for each case.

May come in: which situations a spec declares, and the values that they are about.
May not: models and files.
"""
