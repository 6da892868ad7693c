"""Operators that make tensors from attributes and shapes alone."""
