"""What a test shares with those that the same process runs after it."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

try:
    import resource
except ImportError:  # Windows
    LIMITS: tuple[int, ...] = ()
else:
    LIMITS = (
        resource.RLIMIT_AS,
        resource.RLIMIT_CORE,
        resource.RLIMIT_FSIZE,
        resource.RLIMIT_NOFILE,
        resource.RLIMIT_STACK,
    )
# Not SIGVTALRM: strength keeps its handler, which nothing calls without a timer.
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGPIPE")


@dataclass(frozen=True)
class ProcessState:
    """Limits that children inherit, handlers of signals, and the current folder."""

    limits: tuple[tuple[int, int], ...]
    handlers: tuple[Any, ...]
    folder: Path


def process_state() -> ProcessState:
    """As it is now."""
    names = [name for name in _SIGNALS if hasattr(signal, name)]
    return ProcessState(
        tuple(resource.getrlimit(limit) for limit in LIMITS),
        tuple(signal.getsignal(getattr(signal, name)) for name in names),
        Path.cwd(),
    )
