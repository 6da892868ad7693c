"""Operators that pool regions of images.

RoiAlign and MaxRoiPool.
"""
