"""What a worker keeps between batches: children, which take long to start.

They are kept for one run, until it says good-bye or nothing came for a while: the machine that
records may have died.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

# What got nothing for so many seconds is ended; the next batch starts another.
IDLE = 120.0


class Keepable(Protocol):
    """Something that is kept.

    Attributes:
        broken: whether it is of no use any more.
    """

    broken: bool

    def stop(self) -> None:
        """End what is under way; may be called from another thread."""
        ...

    def close(self) -> None:
        """End it."""
        ...


K = TypeVar("K", bound=Keepable)


@dataclass
class Warm(Generic[K]):
    """What one worker keeps, each for one thread at a time.

    Attributes:
        idle: those that wait for a batch, by run and session, with the time of the last.
        busy: those that have one, and their runs.
        over: the runs that have said good-bye.
    """

    idle: dict[tuple[str, Hashable], list[tuple[float, K]]] = field(default_factory=dict)
    busy: dict[int, tuple[str, K]] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, run: str, session: Hashable, make: Callable[[], K]) -> K:
        """One for a batch: a warm one if there is any, else a new one."""
        with self.lock:
            waiting = self.idle.get((run, session))
            found = waiting.pop()[1] if waiting else None
            if found is not None:
                self.busy[id(found)] = run, found
                return found
        found = make()
        with self.lock:
            self.busy[id(found)] = run, found
        return found

    def give_back(self, kept: K, run: str, session: Hashable) -> None:
        """Keep one for the next batch, unless it is of no use any more."""
        with self.lock:
            del self.busy[id(kept)]
            if not kept.broken and run not in self.over:
                self.idle.setdefault((run, session), []).append((time.monotonic(), kept))
                self._watch()
                return
        kept.close()

    @contextlib.contextmanager
    def lent(self, run: str, session: Hashable, make: Callable[[], K]) -> Iterator[K]:
        """One for as long as it is needed; what raises an error is kept no longer."""
        kept = self.take(run, session, make)
        try:
            yield kept
        except BaseException:
            kept.broken = True
            raise
        finally:
            self.give_back(kept, run, session)

    def _watch(self) -> None:
        timer = threading.Timer(IDLE, self.end_idle)
        timer.daemon = True
        timer.start()

    def end_idle(self, older: float = IDLE) -> None:
        """End those that got nothing for so many seconds."""
        now = time.monotonic()
        old: list[K] = []
        with self.lock:
            for waiting in self.idle.values():
                old += [item for since, item in waiting if now >= since + older]
                waiting[:] = [pair for pair in waiting if now < pair[0] + older]
        for item in old:
            item.close()

    def leave(self, run: str) -> None:
        """End all of a run."""
        with self.lock:
            keys = [key for key in self.idle if key[0] == run]
            old = [item for key in keys for _, item in self.idle.pop(key)]
            self.over.add(run)
            for of, item in self.busy.values():
                if of == run:
                    item.stop()
        for item in old:
            item.close()


def kept_at(worker: Any, name: str, make: Callable[[], Any]) -> Any:  # noqa: ANN401  Dask's worker
    """What is kept at a worker by a name; it is made when it is asked for first."""
    return vars(worker).setdefault(name, make())
