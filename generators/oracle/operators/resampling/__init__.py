"""Operators that take values at places between elements, and NonMaxSuppression.

Resize, Upsample, GridSample, AffineGrid; the boxes of NonMaxSuppression have real coordinates, too.
"""
