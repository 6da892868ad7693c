"""Child processes for what may eat all memory or end its process: what it was at is known then.

A mutant may count without end in GMP, which ends the process where no memory is left. So mutants
are tried in forked children with a limit of their own; one that dies is replaced by another, which
goes on with the next task.
"""

from __future__ import annotations

import contextlib
import faulthandler
import mmap
import os
import resource
import struct
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

Place = tuple[int, int]

Task = TypeVar("Task")
Result = TypeVar("Result")

#: Bytes that a child may have: several times what the largest oracle takes.
MEMORY = 4 << 30
# Tasks that a child is given at a time: they are short and many.
_CHUNK = 8
_PLACE = struct.Struct("<qq")


class Progress:
    """Where a child is: two numbers that its parent can read when it is gone."""

    def __init__(self) -> None:
        """Nowhere yet."""
        self._memory = mmap.mmap(-1, _PLACE.size)

    def note(self, stage: int, number: int) -> None:
        """Say what begins now."""
        _PLACE.pack_into(self._memory, 0, stage, number)

    def read(self) -> Place:
        """What began last; zeros where nothing did."""
        stage, number = _PLACE.unpack_from(self._memory, 0)
        return stage, number


@dataclass
class _Child(Generic[Task, Result]):
    """A forked process and the numbers of the tasks that it has not answered yet."""

    work: Callable[[Task, Progress], Result]
    tasks: Sequence[Task]
    memory: int
    progress: Progress = field(default_factory=Progress)
    waiting: deque[int] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.pipe, theirs = Pipe()
        self.process = os.fork()
        if self.process == 0:
            self._serve(theirs)
        theirs.close()

    def _serve(self, pipe: Connection) -> None:
        """Answer until the parent is done; never returns."""
        code = 1
        try:
            self.pipe.close()
            faulthandler.disable()  # that it may end is known
            hard = resource.getrlimit(resource.RLIMIT_AS)[1]
            resource.setrlimit(resource.RLIMIT_AS, (self.memory, hard))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            while True:
                number = pipe.recv()
                self.progress.note(0, 0)
                pipe.send(_answer(self.work, self.tasks[number], self.progress))
        except (EOFError, BrokenPipeError, KeyboardInterrupt):
            code = 0
        finally:
            os._exit(code)

    def give(self, numbers: Sequence[int]) -> None:
        """Tasks to go on with."""
        self.waiting.extend(numbers)
        with contextlib.suppress(BrokenPipeError):
            for number in numbers:
                self.pipe.send(number)

    def end(self) -> None:
        """Wait until it is gone."""
        self.pipe.close()
        os.waitpid(self.process, 0)


def _answer(
    work: Callable[[Task, Progress], Result], task: Task, progress: Progress
) -> tuple[bool, Any]:
    try:
        return True, work(task, progress)
    except Exception as error:
        return False, error


def guarded(
    work: Callable[[Task, Progress], Result],
    tasks: Sequence[Task],
    jobs: int,
    died: Callable[[Task, Place], Result],
    memory: int = MEMORY,
) -> list[Result]:
    """The results of tasks in their order, each worked out in a forked child.

    Args:
        work: what is done; whatever it refers to is inherited, and its results must be picklable.
        tasks: what it is done with.
        jobs: how many children at a time.
        died: the result of a task whose child ended, and what the child noted last.
        memory: bytes that each child may have.

    What `work` raises is raised here.
    """
    found = dict(guarded_each(work, tasks, jobs, died, memory))
    return [found[number] for number in range(len(tasks))]


def guarded_each(
    work: Callable[[Task, Progress], Result],
    tasks: Sequence[Task],
    jobs: int,
    died: Callable[[Task, Place], Result],
    memory: int = MEMORY,
) -> Iterator[tuple[int, Result]]:
    """The same, each result with the number of its task as soon as it is there."""
    left = deque(range(len(tasks)))
    children: list[_Child[Task, Result]] = []
    open_tasks = len(tasks)
    try:
        while open_tasks:
            while left and len(children) < max(1, min(jobs, len(tasks))):
                children.append(_Child(work, tasks, memory))
                _feed(children[-1], left, len(tasks), jobs)
            ready = wait([child.pipe for child in children])
            for child in [item for item in children if item.pipe in ready]:
                try:
                    is_good, result = child.pipe.recv()
                except (EOFError, ConnectionResetError):
                    children.remove(child)
                    for buried in _bury(child, left, died):
                        open_tasks -= 1
                        yield buried
                    continue
                if not is_good:
                    raise result
                number = child.waiting.popleft()
                if not child.waiting:
                    _feed(child, left, len(tasks), jobs)
                open_tasks -= 1
                yield number, result
    finally:
        # A child has copies of the pipes of those before it: all are closed, then waited for.
        for child in children:
            child.pipe.close()
        for child in children:
            child.end()


def _feed(child: _Child[Task, Result], left: deque[int], every: int, jobs: int) -> None:
    size = max(1, min(_CHUNK, every // (4 * max(1, jobs))))
    child.give([left.popleft() for _ in range(min(size, len(left)))])


def _bury(
    child: _Child[Task, Result],
    left: deque[int],
    died: Callable[[Task, Place], Result],
) -> Iterator[tuple[int, Result]]:
    """The first task that a child has not answered ended it; the others are still to be done."""
    child.end()
    number = child.waiting.popleft() if child.waiting else None
    left.extendleft(reversed(child.waiting))
    if number is not None:
        yield number, died(child.tasks[number], child.progress.read())


def guarded_once(work: Callable[[], Result], memory: int = MEMORY) -> Result | None:
    """What something comes to in a forked child; None where the child ends."""
    (result,) = guarded(
        lambda _task, _progress: work(), (None,), 1, lambda _task, _place: None, memory
    )
    return result
