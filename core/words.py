"""Enums whose members are texts."""

from __future__ import annotations

from enum import Enum


class Word(str, Enum):
    """An enum whose members are texts wherever a text is written, compared or looked up.

    Files, messages and dictionaries contain the text itself: a member equals its text, has the hash
    of its text, and is formatted as its text in every version of Python.
    """

    def __str__(self) -> str:
        """The text."""
        return str(self.value)

    def __format__(self, format_spec: str) -> str:
        """The text, formatted as texts are."""
        return format(str(self.value), format_spec)

    __hash__ = str.__hash__
