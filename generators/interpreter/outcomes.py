"""How a model can be refused."""

from __future__ import annotations

LOAD = "load"
RUN = "run"


class RefusedError(Exception):
    """The model, or a value fed to it, breaks a rule of IR.md or of an operator's document.

    Attributes:
        phase: `load` if no value is needed to know, else `run`.
    """

    def __init__(self, message: str, phase: str = LOAD) -> None:
        """Keep the phase beside the reason."""
        super().__init__(message)
        self.phase = phase


class NoOracleError(Exception):
    """The result is not known.

    An operator version has neither an oracle here nor a function body in the standard, or a loop
    runs longer than the interpreter waits.
    """
