"""Processes that draw calls and ask the oracle, beside the backend's children."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import ConformanceError
from onnx_conformance.core.exploring.explorer import Explored, Explorer, Refusal, find_explorer
from onnx_conformance.core.text import one_line

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess


#: What is asked for: a call by its id, a vector of the corpus, or one that is drawn anew.
DRAW, BASE, FRESH = "draw", "base", "fresh"
# Bytes of address space: an oracle that wants more has been asked for too much.
_MEMORY = 6 << 30
# Tasks that a process has at once: it never waits for us.
_DEPTH = 3
# Seconds after which a process is ended: its oracle is stuck where no alarm reaches it.
_STUCK = 60.0


@dataclass(frozen=True)
class Task:
    """Something to draw.

    Attributes:
        name: the id of a call, or of a vector of the corpus.
        is_base: whether it is a vector of the corpus.
        avoid: traits that the backend lacks.
        fresh: the seed of a vector that is drawn anew; empty for a call.
        key: tasks with the same key are best drawn by the same process; it reads one spec then.
    """

    name: str
    is_base: bool = False
    avoid: frozenset[str] = frozenset()
    fresh: str = ""
    key: str = ""


@dataclass
class _Maker:
    process: SpawnProcess
    connection: Connection
    tasks: deque[tuple[Task, float]] = field(default_factory=deque)


class Makers:
    """Draws calls in processes of its own; `close` ends them.

    Attributes:
        failed: how many processes died or were ended.
    """

    def __init__(self, jobs: int, model: Path | None = None) -> None:
        """Start `jobs` processes when they are needed; they draw from a model, if there is one."""
        self._model = model
        self._jobs = max(1, jobs)
        self._context = multiprocessing.get_context("spawn")
        self._makers: list[_Maker | None] = [None] * self._jobs
        self._waiting: list[deque[Task]] = [deque() for _ in range(self._jobs)]
        self._keys: dict[str, int] = {}
        self.failed = 0

    @property
    def most(self) -> int:
        """How many tasks keep all processes at work."""
        return self._jobs * _DEPTH

    @property
    def open(self) -> int:
        """How many tasks have no result yet."""
        sent = sum(len(maker.tasks) for maker in self._makers if maker is not None)
        return sent + sum(map(len, self._waiting))

    def submit(self, task: Task) -> None:
        """Have something drawn; the result comes with `results`."""
        place = self._place(task.key) if task.key else self._least()
        self._waiting[place].append(task)

    def _place(self, key: str) -> int:
        if key not in self._keys:
            self._keys[key] = len(self._keys) % self._jobs
        return self._keys[key]

    def _least(self) -> int:
        return min(range(self._jobs), key=self._load)

    def _load(self, place: int) -> int:
        maker = self._makers[place]
        return len(self._waiting[place]) + (0 if maker is None else len(maker.tasks))

    def results(self, seconds: float = 0.0) -> Iterator[Explored]:
        """What was drawn since the last time; waits so long where there is nothing."""
        self._send()
        connections = {
            maker.connection: place
            for place, maker in enumerate(self._makers)
            if maker is not None and maker.tasks
        }
        for ready in wait(list(connections), seconds) if connections else ():
            yield from self._received(connections[ready])  # type: ignore[index]
        self._send()
        yield from self._stuck()

    def all_of(self, tasks: list[Task]) -> dict[str, Explored]:
        """The results of some tasks by name, once all are there; what came of others is dropped."""
        for task in tasks:
            self.submit(task)
        wanted = {task.name for task in tasks}
        found: dict[str, Explored] = {}
        while len(found) < len(wanted):
            found.update({item.id: item for item in self.results(0.1) if item.id in wanted})
        return found

    def _received(self, place: int) -> Iterator[Explored]:
        maker = self._makers[place]
        while maker is not None and maker.tasks and maker.connection.poll():
            try:
                found: Explored = maker.connection.recv()
            except (EOFError, OSError):
                yield self._died(place, "the process that draws it died", Refusal.FAULT)
                return
            maker.tasks.popleft()
            yield found

    def _stuck(self) -> Iterator[Explored]:
        now = time.monotonic()
        for place, maker in enumerate(self._makers):
            if maker is not None and maker.tasks and now - maker.tasks[0][1] > _STUCK * _DEPTH:
                yield self._died(place, f"no answer within {_STUCK:g} s", Refusal.OUT_OF_TIME)

    def _died(self, place: int, message: str, refusal: Refusal) -> Explored:
        """The end of a process: the task that it was at is lost, the others are sent again."""
        maker = self._makers[place]
        if maker is None:
            raise ValueError("no process to end")
        self.failed += 1
        self._end(maker)
        how = maker.process.exitcode
        self._makers[place] = None
        (task, _), *others = maker.tasks
        self._waiting[place].extendleft(item for item, _ in reversed(others))
        return Explored(task.name, refusal=refusal, message=f"{message} (exit {how})")

    def _send(self) -> None:
        for place, waiting in enumerate(self._waiting):
            while waiting:
                maker = self._makers[place] or self._start(place)
                if len(maker.tasks) >= _DEPTH:
                    break
                task = waiting.popleft()
                maker.tasks.append((task, time.monotonic()))
                what = BASE if task.is_base else FRESH if task.fresh else DRAW
                try:
                    maker.connection.send((what, task.name, task.fresh or task.avoid))
                except OSError:
                    break  # it has died, and is found so when its results are read

    def _start(self, place: int) -> _Maker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=serve, args=(theirs, self._model), daemon=True)
        process.start()
        theirs.close()
        maker = _Maker(process, ours)
        self._makers[place] = maker
        return maker

    def forget(self) -> None:
        """Drop the tasks that no process has been sent."""
        for waiting in self._waiting:
            waiting.clear()

    def close(self) -> None:
        """End all processes."""
        for place, maker in enumerate(self._makers):
            if maker is not None:
                self._end(maker)
                self._makers[place] = None

    @staticmethod
    def _end(maker: _Maker) -> None:
        maker.connection.close()
        maker.process.kill()
        maker.process.join(5)


def serve(connection: Connection, model: Path | None = None) -> None:
    """Answer tasks until the connection ends: (what, id, traits or seed) -> Explored."""
    # Ctrl-C is for the parent, which then ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory()
    # Specs are many objects that stay: looking through them takes a fifth of the time of reading.
    gc.set_threshold(100_000, 20, 100)
    explorer = find_explorer()
    if model is not None:
        explorer.of_model(model)
    while True:
        try:
            what, name, more = connection.recv()
        except (EOFError, OSError):
            os._exit(0)
        try:
            found = _made(explorer, what, name, more)
        except ConformanceError as error:
            found = Explored(name, refusal=Refusal.NOTHING, message=one_line(str(error), 300))
        except (Exception, MemoryError) as error:
            text = one_line(f"{type(error).__name__}: {error}", 300)
            found = Explored(name, refusal=Refusal.FAULT, message=text)
        _send(connection, found)


def _made(explorer: Explorer, what: str, name: str, more: Any) -> Explored:  # noqa: ANN401
    """What a task asks for; `more` are the traits to avoid, or the seed of what is drawn anew."""
    if what == BASE:
        return explorer.base(name)
    return explorer.fresh(name, more) if what == FRESH else explorer.draw(name, more)


def _send(connection: Connection, found: Any) -> None:  # noqa: ANN401  what can be pickled
    try:
        connection.send(found)
    except OSError:
        os._exit(0)  # nobody wants it any more


def _limit_memory() -> None:
    """Take no more than so much memory, where the system can hold a process to that."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
