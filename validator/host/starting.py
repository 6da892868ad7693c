"""When a child may be started, how often that may fail, and how long its first vector may take."""

from __future__ import annotations

# Pauses before the next child is started, after a start that failed, in seconds: a program that is
# being replaced or a machine out of descriptors is a matter of seconds. One more failure, and the
# backend is given up.
PAUSES = (0.5, 3.0)
# A first vector that takes even longer than the allowance for it is not warming up.
_PATIENT_TIMES = 2


class Starts:
    """What is known of starting this backend's children.

    Attributes:
        failed: starts that failed one after the other.
        warm_up: seconds that the first vector of a child may take beside its timeout.
    """

    def __init__(self, warm_up: float) -> None:
        """Know nothing yet; `warm_up` are the seconds that a first vector may take longer."""
        self.failed = 0
        self._not_before = 0.0
        self.warm_up = warm_up
        self._too_slow = 0

    def pause(self, now: float) -> float:
        """Seconds until the next child may be started; 0 where it may be now."""
        return max(0.0, self._not_before - now)

    def fail(self, now: float) -> bool:
        """Count a start that failed; whether it was one too many."""
        self.failed += 1
        if self.failed > len(PAUSES):
            return True
        self._not_before = now + PAUSES[self.failed - 1]
        return False

    def succeed(self, *, in_time: bool) -> None:
        """A child has answered its first vector, within its plain timeout or only beyond it."""
        self.failed = 0
        if in_time:
            self.warm_up = 0.0

    def too_slow(self) -> None:
        """The first vector of a child was not answered, in spite of the allowance."""
        self._too_slow += 1
        if self._too_slow >= _PATIENT_TIMES:
            self.warm_up = 0.0
