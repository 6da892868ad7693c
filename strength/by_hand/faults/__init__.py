"""The bugs, one class each, by the part of a runtime in which they live.

The docstring of a class says what it does wrong; everything else is as its base class does it,
which is correct.
"""
