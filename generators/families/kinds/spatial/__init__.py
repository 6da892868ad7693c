"""Families of operators over spatial axes: windows that slide and spread, resampling, images.

They solve for the sizes at which something just fits. A family is registered by `@family`
(families/registry.py lists these modules).

May come in: cases of operators that have spatial axes.
May not: what `families.kinds` excludes.
"""
