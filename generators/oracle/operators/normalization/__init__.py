"""Operators that make rows, channels or regions alike in size: by mean and deviation, or a norm."""
