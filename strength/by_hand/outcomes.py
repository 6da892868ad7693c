"""The ways in which a backend can end other than by returning values."""

from __future__ import annotations


class RefusedError(Exception):
    """The backend refuses the model or the run, at `phase`: decode, load or run."""

    def __init__(self, message: str, phase: str = "run") -> None:
        """Keep the phase beside the message."""
        super().__init__(message)
        self.phase = phase


class NotImplementedHereError(Exception):
    """The backend says that it does not implement this."""


class CrashError(Exception):
    """The process of the backend dies here."""


class HangError(Exception):
    """The backend never returns from here."""
