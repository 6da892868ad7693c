"""The elements of inputs: values at which runtimes go wrong, profiles of them, literals.

May come in: bit patterns of element types, and elements derived from a seed.
May not: operators and cases.
"""
