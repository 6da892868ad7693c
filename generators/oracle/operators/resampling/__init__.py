"""Operators that take values at places between elements.

Resize, Upsample, GridSample, AffineGrid, RoiAlign, MaxRoiPool and NonMaxSuppression.
"""
