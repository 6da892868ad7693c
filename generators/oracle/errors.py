"""Errors that an oracle raises instead of a result."""

from __future__ import annotations

from onnx_conformance.core.errors import BadInputError


class InvalidCallError(Exception):
    """The operator document does not permit these inputs with these attributes."""


class OpenError(Exception):
    """The document leaves the result open, and the call does not say which reading to use.

    Attributes:
        question: a slug of what is open: `max-of-nan`.
        readings: the answers that the document permits.
    """

    def __init__(self, question: str, readings: tuple[str, ...]) -> None:
        """An error for a question without a reading."""
        super().__init__(f"{question}: {' or '.join(readings)}")
        self.question = question
        self.readings = readings


class UnansweredError(BadInputError):
    """No oracle knows the result of this call, which is nobody's mistake."""


class EndlessError(BadInputError):
    """A loop runs longer than any honest case needs: its result is not known."""
