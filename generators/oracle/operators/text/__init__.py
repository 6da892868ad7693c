"""Operators of strings: joining, splitting, matching, normalizing, counting."""
