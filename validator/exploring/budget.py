"""How the time of an exploration is shared: drawing, simplifying, asking an optimizer."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

# Seconds that making one failure simpler is expected to take.
_EACH = 3.0
# Of a budget, this much at most is kept for making failures simpler.
_SIMPLER = 0.4
# And this much, and no more seconds, for asking which part of an optimizer is to blame.
_BLAMING, _BLAMING_MOST = 0.15, 300.0


@dataclass
class Budget:
    """The seconds of an exploration, from when it is made.

    Attributes:
        seconds: all of them; None where calls are counted instead.
        asks_optimizer: whether some are kept for asking an optimizer.
    """

    seconds: float | None
    asks_optimizer: bool
    _began: float = field(default_factory=time.monotonic)

    @property
    def spent(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self._began

    @property
    def _for_blaming(self) -> float:
        if self.seconds is None or not self.asks_optimizer:
            return 0.0
        return min(self.seconds * _BLAMING, _BLAMING_MOST)

    def ends_drawing(self, failures: int) -> bool:
        """Whether the rest is wanted for so many failures; never where calls are counted."""
        if self.seconds is None:
            return False
        wanted = min(self.seconds * _SIMPLER, _EACH * failures)
        return self.seconds - self.spent <= wanted + self._for_blaming

    @property
    def may_end_drawing(self) -> bool:
        """Whether drawing ends with enough failures: before that nobody need count them."""
        return self.ends_drawing(math.ceil((self.seconds or 0.0) * _SIMPLER / _EACH))

    @property
    def ends_simplifying(self) -> bool:
        """Whether no more failures are made simpler."""
        return self.seconds is not None and self.spent >= self.seconds - self._for_blaming

    def blaming_until(self) -> float:
        """The time, of `time.monotonic`, at which an optimizer is asked no more."""
        if self.seconds is None:
            return time.monotonic() + _BLAMING_MOST
        return self._began + self.seconds
