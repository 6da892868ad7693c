"""When a child may be started, how often that may fail, and how long its first vector may take."""

from __future__ import annotations

# Seconds to wait before the next child is started after failed starts: a program that is being
# replaced, or a machine without free descriptors, needs seconds. After one more failure the backend
# is given up.
PAUSES = (0.5, 3.0)
# A first vector that takes even longer than the extra time is not just slow because of a warm-up.
_PATIENT_TIMES = 2


class Starts:
    """The history of starting this backend's children.

    Attributes:
        failed: number of failed starts in a row.
        warm_up: extra seconds, beyond its timeout, for the first vector of a child.
    """

    def __init__(self, warm_up: float) -> None:
        """Begin without a history; `warm_up` is the extra time in seconds for a first vector."""
        self.failed = 0
        self._not_before = 0.0
        self.warm_up = warm_up
        self._too_slow = 0

    def pause(self, now: float) -> float:
        """Seconds until the next child may be started; 0 if it may start now."""
        return max(0.0, self._not_before - now)

    def fail(self, now: float) -> bool:
        """Count a failed start; return whether it was one too many."""
        self.failed += 1
        if self.failed > len(PAUSES):
            return True
        self._not_before = now + PAUSES[self.failed - 1]
        return False

    def succeed(self, *, in_time: bool) -> None:
        """Note that a child answered its first vector, within its plain timeout or after it."""
        self.failed = 0
        if in_time:
            self.warm_up = 0.0

    def too_slow(self) -> None:
        """Note that the first vector of a child was not answered, even with the extra time."""
        self._too_slow += 1
        if self._too_slow >= _PATIENT_TIMES:
            self.warm_up = 0.0
