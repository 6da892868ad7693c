"""The errors that end a command, and the exit code by which a script recognizes each.

Every error that a person can cause is raised as one of these; a command prints the message
on one line and returns `exit_code`. If several apply to one run, the highest code is returned.

| code | meaning                                                             |
|------|---------------------------------------------------------------------|
| 0    | all as expected                                                     |
| 1    | unexpected or stale verdicts                                        |
| 2    | usage                                                               |
| 3    | bad input: spec, baseline, a vector that is not what was published  |
| 4    | backend unusable: cannot start, bad handshake, every vector errored |
| 5    | incomplete: nothing selected, too few, a vector without a verdict   |
| 6    | results, a report or what is printed cannot be written: a full disk |
| 7    | a fault of this program: no statement about backend or vectors      |
"""

from __future__ import annotations

import errno
from enum import IntEnum

from .systems import too_long


class ExitCode(IntEnum):
    """The exit code of a command."""

    OK = 0
    UNEXPECTED = 1
    USAGE = 2
    BAD_INPUT = 3
    BACKEND_UNUSABLE = 4
    INCOMPLETE = 5
    CANNOT_WRITE = 6
    FAULT = 7


class ConformanceError(Exception):
    """An error whose message is for a person; it is never shown as a traceback."""

    exit_code = ExitCode.BAD_INPUT


class StoppedBySignalError(KeyboardInterrupt):
    """A signal that asks a program to end came before there was anything to keep.

    Attributes:
        number: of the signal; the exit code is 128 and this, as a shell would say.
    """

    def __init__(self, number: int) -> None:
        """For the signal that came."""
        super().__init__(number)
        self.number = number


class UsageError(ConformanceError):
    """The command line asks for something that does not exist, or its options contradict."""

    exit_code = ExitCode.USAGE


class BadInputError(ConformanceError):
    """A file has content that cannot be used: a spec, a baseline, a vector, a results file."""

    exit_code = ExitCode.BAD_INPUT


class BackendUnusableError(ConformanceError):
    """The backend cannot be started, or does not complete the handshake."""

    exit_code = ExitCode.BACKEND_UNUSABLE


class ClusterError(ConformanceError):
    """There is no cluster, or none of its workers can take part."""

    exit_code = ExitCode.BACKEND_UNUSABLE


class IncompleteError(ConformanceError):
    """There is nothing to judge, or less than the user asked for."""

    exit_code = ExitCode.INCOMPLETE


class CannotWriteError(ConformanceError):
    """The disk is full, or fails; everything written before is kept."""

    exit_code = ExitCode.CANNOT_WRITE


# The disk has no room or fails. A folder that is missing or forbidden is bad input instead.
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def cannot_write(what: object, error: OSError) -> ConformanceError:
    """The error to raise if writing to `what` failed."""
    kind = CannotWriteError if error.errno in _FULL else BadInputError
    reason = error.strerror or error
    return kind(f"{what}: cannot be written: {reason}{too_long(what)}")
