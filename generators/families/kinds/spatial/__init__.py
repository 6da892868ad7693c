"""Families of operators over spatial axes: windows that slide and spread, resampling, images.

They solve for the sizes at which something just fits. A family is registered by `@family`
(families/registry.py lists these modules).
"""
