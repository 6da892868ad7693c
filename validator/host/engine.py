"""Sends vectors to workers, and makes exactly one observation of whatever happens to each.

One thread, one selector, N workers. A worker is sent a few requests in advance, so that it never
waits for us; it answers them in order, so it works on the first unanswered one. The rules:

* The deadline of a vector counts from the moment when the child can have started it: its request is
  written and the reply before it has been read.
* When a child dies, hangs or breaks the protocol it is killed. The vector that it worked on is
  run again, alone in a fresh child, before it is blamed: a crash can be a late effect of a vector
  that ran before. The requests behind it are simply sent again.
* If a vector ends a child that runs it alone, that is the vector's observation; the run goes on.
* A vector can be run again alone for any other reason, see `run_alone`: a wrong answer can also be
  a late effect of a vector that ran before.
* A child that ends before it was sent a vector counts as a failed start (see `starting`).
* Vectors may still be made while others run: the next one is waited for, so that their order stays.
* A backend that answers none of its first vectors is not a backend: the run ends early.
* So it does when a child describes itself otherwise than the first: whose verdicts would they be?

This module has more than 400 lines because its rules share one state, the loop: which vectors
wait, which worker has which request, which vector is suspected. Two modules would each have to know
the other's half.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import time
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Generic

from onnx_conformance.core.errors import BackendUnusableError
from onnx_conformance.core.text import first_and_last

from ..judging.verdicts import Crashed, HarnessError, Observation, ProtocolBroken, TimedOut
from .protocol import Description, difference, stop_request
from .requests import Attempt, C, Finished, Prepare, Request
from .starting import Starts
from .tally import Tally
from .worker import DEPTH, Described, Over, Settings, Worker

# Vectors that may be lost before any was answered; then the backend is called unusable.
PATIENCE = 10
# The death of a child is noticed when its output ends. If a process that it started keeps the pipe
# open, it is noticed by looking, this often (seconds).
_TICK = 0.25
_STOP_GRACE = 2.0
# Where the next vector is still being made, it is asked for again this often (seconds).
_HUNGRY = 0.02

_LOST = (Crashed, TimedOut, ProtocolBroken, HarnessError)


class Engine(Generic[C]):
    """Runs vectors through workers: `start` once, then iterate over `run` once, or call `one`.

    Attributes:
        unusable: why the run ended early, or an empty text.
        stopped: True if `stop` ended the run.
        tally: what is counted beside the outcomes.
    """

    def __init__(
        self,
        command: Sequence[str],
        prepare: Prepare[C],
        settings: Settings,
        planned: Iterable[str],
        expected_losses: Collection[str] = (),
    ) -> None:
        """Plan to run the vectors `planned`; `prepare` makes each ready when its turn comes.

        The loss of one of `expected_losses` does not count as a sign that the backend is unusable.
        """
        self._command = command
        self._prepare = prepare
        self._settings = settings
        self._jobs = settings.jobs
        self._expected_losses = expected_losses
        self._unexpected_losses = 0
        self._pending = deque(planned)
        self._again: deque[Attempt[C]] = deque()
        self._suspects: deque[Attempt[C]] = deque()
        self._finished: list[Finished[C]] = []
        self._workers: list[Worker[C]] = []
        self._starts = Starts(settings.warm_up)
        self._looked = 0.0
        self._hungry = False  # the next vector is not there yet
        self._described: Description | None = None
        self._leaving: Worker[C] | None = None  # gets no more requests: a fresh child is needed
        self._selector = selectors.DefaultSelector()
        self._wake_in, self._wake_out = socket.socketpair()
        for end in (self._wake_in, self._wake_out):
            end.settimeout(0)
        self._selector.register(self._wake_in, selectors.EVENT_READ)
        self.unusable = ""
        self.stopped = False
        self.tally = Tally()

    # --- for the caller --------------------------------------------------------------------

    def start(self) -> Description:
        """Start the children and wait until the first has described itself.

        Raises BackendUnusableError if a child cannot be started, ends, stays silent or answers
        something else; no child is left running then.
        """
        try:
            while self._described is None and not (self.unusable or self.stopped):
                self._staff()
                self._wait()
        except BaseException:
            self.close()
            raise
        if self._described is None:
            self.close()
            if self.stopped:
                raise KeyboardInterrupt
            raise BackendUnusableError(self.unusable)
        return self._described

    def run(self) -> Iterator[Finished[C]]:
        """The outcome of each planned vector, in the order in which they finish.

        Ends early if `stop` is called or the backend proves unusable. No child is left running when
        it ends, for whatever reason.
        """
        try:
            yield from self.batch(())
            if not (self.unusable or self.stopped):
                self._stop_workers()
        finally:
            self.close()

    def batch(self, planned: Iterable[str]) -> Iterator[Finished[C]]:
        """The outcome of each of these further vectors; the children stay for the next batch.

        Ends early as `run` does. Whoever calls it closes the engine in the end.
        """
        self._pending.extend(planned)
        while True:
            self._keep_busy()
            yield from self._take_finished()
            if self.stopped or self.unusable or not self._work_left():
                break
            self._wait()
        yield from self._take_finished()
        if self.unusable:
            yield from self._unconfirmed()

    def one(self, vector_id: str) -> Finished[C]:
        """Run one more vector now; its child stays for the next one, until `close`.

        Raises BackendUnusableError if the backend cannot be started or proves unusable.
        """
        for finished in self.batch([vector_id]):
            return finished
        raise self.given_up()

    def given_up(self) -> BackendUnusableError:
        """The error that a vector has no outcome."""
        return BackendUnusableError(self.unusable or "the run was stopped")

    def plan(self, vector_ids: Iterable[str]) -> None:
        """Plan to run more vectors, for a caller that learns as it goes what comes next."""
        self._pending.extend(vector_ids)

    def step(self) -> list[Finished[C]]:
        """What has finished by now; waits a moment where nothing has.

        For a caller that plans as it goes, in place of `run`: it closes the engine itself.
        """
        self._keep_busy()
        if not self._finished and not (self.unusable or self.stopped):
            self._hungry = True  # more may be planned at any time
            self._wait()
        return self._take_finished()

    def run_alone(self, finished: Finished[C], incident: str) -> None:
        """Run a finished vector again, alone in a fresh child.

        It finishes a second time, with `incident` among its incidents. To be called while `run` is
        iterated, and only if `can_run_alone` permits it.
        """
        if finished.attempt is None:
            raise ValueError(f"'{finished.id}' was never sent")
        if isinstance(finished.observation, _LOST):
            self.tally.lost -= 1  # it is counted again when it finishes again
        incidents = (*finished.attempt.incidents, incident)
        self._suspects.append(Attempt(finished.attempt.request, incidents, finished))

    def can_run_alone(self, finished: Finished[C]) -> bool:
        """Whether running a vector alone can give any new information.

        It cannot if the vector was the first of its child, or while it is not known that the
        backend works at all.
        """
        there = finished.attempt is not None and not (self.unusable or self.stopped)
        return there and bool(finished.after) and self.tally.answered > 0

    def _unconfirmed(self) -> Iterator[Finished[C]]:
        """Vectors that can no longer be run alone, with the outcome that they had among others."""
        attempts_left = [attempt for worker in self._workers for attempt in worker.attempts]
        for attempt in (*attempts_left, *self._suspects):
            if attempt.doubted is not None:
                yield replace(attempt.doubted, after="")
        self._suspects.clear()

    def stop(self) -> None:
        """End the run soon; may be called from a signal handler."""
        self.stopped = True
        with contextlib.suppress(OSError):  # full: it is awake already; closed: the run has ended
            self._wake_out.send(b"!")

    def close(self) -> None:
        """Kill every child that is left and release all resources."""
        for worker in self._workers:
            worker.kill()
        self._workers = []
        self._selector.close()
        self._wake_in.close()
        self._wake_out.close()

    def compare(self, description: Description) -> None:
        """Give the backend up if a child is not what the first one said that it is."""
        if self._described is None:
            self._described = description
        self.unusable = self.unusable or difference(self._described, description)

    # --- the loop --------------------------------------------------------------------------

    def _take_finished(self) -> list[Finished[C]]:
        finished, self._finished = self._finished, []
        return finished

    def _keep_busy(self) -> None:
        """Start children, and send each as many requests as it may hold."""
        self._staff()
        for worker in list(self._workers):
            self._fill(worker)

    @property
    def ahead(self) -> int:
        """Number of vectors that no child has been sent yet."""
        return len(self._pending) + len(self._again) + len(self._suspects)

    def _work_left(self) -> bool:
        return self.ahead > 0 or any(worker.in_flight for worker in self._workers)

    def _staff(self) -> None:
        """Start as many children as there is work for; at least one, for the description."""
        needed = max(self.ahead, self._described is None)
        idle = sum(1 for worker in self._workers if not worker.in_flight)
        while len(self._workers) < self._jobs and idle < needed and not self.unusable:
            if self._starts.pause(time.monotonic()):
                return
            try:
                worker: Worker[C] = Worker(self._command, self._settings)
            except BackendUnusableError as error:
                self._start_failed(str(error))
                return
            idle += 1
            self._workers.append(worker)
            for stream, name in ((worker.child.stdout, "out"), (worker.child.stderr_stream, "err")):
                self._selector.register(stream, selectors.EVENT_READ, (worker, name))
            self._watch_input(worker)

    def _wait(self) -> None:
        """Wait for the children or the next deadline, and handle what happened."""
        # Taken before the wait: a reply that arrived in time is read before its deadline is
        # checked, however long this thread was busy elsewhere.
        now = time.monotonic()
        deadlines = [worker.deadline for worker in self._workers]
        timeout = min([_TICK, *(item - now for item in deadlines if item is not None)])
        timeout = min(timeout, self._starts.pause(now) or timeout)
        behind = [worker for worker in self._workers if worker.backlog]
        if behind:
            timeout = 0.0
        elif self._hungry:
            timeout = min(timeout, _HUNGRY)
        self._hungry = False
        events = self._selector.select(max(0.0, timeout))
        looking = now >= self._looked + _TICK
        if looking:
            self._looked = now
        self._serve(events, behind)
        for worker in list(self._workers):
            if looking and not worker.over:
                worker.look()
            worker.check(now)
            self._take_events(worker)

    def _serve(
        self, events: Sequence[tuple[selectors.SelectorKey, int]], behind: Sequence[Worker[C]]
    ) -> None:
        """Read and write the pipes that are ready, and handle lines that were read before."""
        for key, _ in events:
            # Standard error first: text written before a reply belongs to its vector.
            if key.data is not None and key.data[1] == "err":
                self._read_stderr(key.data[0])
        for key, _ in events:
            if key.data is None:
                self._awake()
                continue
            worker, stream = key.data
            if stream == "out" and not worker.over:
                worker.readable()
            elif stream == "in" and not worker.over:
                worker.writable()
            self._watch_input(worker)
        for worker in behind:
            if worker.backlog and not worker.over:
                worker.readable()

    def _awake(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._wake_in.recv(64)

    def _read_stderr(self, worker: Worker[C]) -> None:
        if worker.over:
            return
        worker.child.read_stderr()
        if worker.child.stderr_eof:
            self._selector.unregister(worker.child.stderr_stream)

    def _watch_input(self, worker: Worker[C]) -> None:
        """Watch for room in the pipe exactly while a message waits for it."""
        if worker.over:
            return
        stream = worker.child.stdin
        watched = stream in self._selector.get_map()
        if worker.child.waiting_to_write and not watched:
            self._selector.register(stream, selectors.EVENT_WRITE, (worker, "in"))
        elif watched and not worker.child.waiting_to_write:
            self._selector.unregister(stream)

    # --- what happened ---------------------------------------------------------------------

    def _take_events(self, worker: Worker[C]) -> None:
        events, worker.events = worker.events, []
        for event in events:
            if isinstance(event, Finished):
                if not event.after:
                    in_time = event.seconds <= self._settings.timeout
                    self._starts.succeed(in_time=in_time)
                self._finish(event)
            elif isinstance(event, Described):
                self.compare(event.description)
            else:
                self._is_over(worker, event)
        if worker.child.eof and not worker.over and worker.child.stdout in self._selector.get_map():
            self._selector.unregister(worker.child.stdout)

    def _is_over(self, worker: Worker[C], event: Over[C]) -> None:
        """Handle the end of a child: its vectors run again, or the one that ran alone is blamed."""
        self._forget(worker)
        if worker.fresh:
            self._start_failed(_why_no_start(worker, event))
            return
        if not event.attempts:
            if isinstance(event.observation, ProtocolBroken):
                self._lost_child("a child wrote a reply that nobody asked for", event.reason)
            else:
                what = f"a child ended between vectors: {event.reason}"
                self._lost_child(what, f"after '{worker.last}'")
            return
        if isinstance(event.observation, TimedOut) and not worker.last:
            self._starts.too_slow()
        first, *behind = event.attempts
        self._again.extendleft(reversed(behind))
        if worker.alone:
            self._finish(Finished.of(first, event.observation, event.seconds, event.stderr))
            return
        incident = event.reason
        if worker.last:
            incident += f" (after '{worker.last}' in the same child)"
        self._suspects.append(Attempt(first.request, (*first.incidents, incident)))

    def _start_failed(self, reason: str) -> None:
        """Handle a child that could not be started, or that ended before it was sent a vector."""
        if self._described is None and not self._workers:
            self.unusable = reason
            return
        given_up = self._starts.fail(time.monotonic())
        self.tally.note("a child could not be started", reason)
        serving = sum(worker.description is not None for worker in self._workers)
        if given_up and serving:
            # Perhaps a device admits only one process: the children that run can do the work.
            self._jobs = serving
            self._starts.failed = 0
            self.tally.note(f"no more than {serving} at a time can be started: {reason}")
        elif given_up and not self._workers:
            self.unusable = reason

    def _lost_child(self, fact: str, example: str) -> None:
        """Count a lost child although no vector's verdict tells of it."""
        self.tally.lost_children += 1
        self.tally.first_lost = self.tally.first_lost or f"{fact}: {example}"
        self.tally.note(fact, example)

    def _finish(self, finished: Finished[C]) -> None:
        self._finished.append(finished)
        observation = finished.observation
        if not isinstance(observation, _LOST):
            self.tally.answered += 1
            if finished.incidents and finished.doubted is None:
                self._lost_child(
                    "a child was lost with a vector that was answered when it ran alone",
                    f"{finished.id}: {finished.incidents[-1]}",
                )
            return
        self.tally.lost += 1
        if self.tally.answered or finished.id in self._expected_losses:
            return
        self._unexpected_losses += 1
        if self._unexpected_losses == 1:
            self._spread_pending()
        elif self._unexpected_losses >= PATIENCE:
            what = _in_words(observation)
            self.unusable = f"none of {self.tally.lost} vectors was answered; the last: {what}"
            self.unusable += _stderr_remark(finished.stderr)

    @property
    def _probing(self) -> bool:
        """Whether it is still unknown that the backend can do anything at all."""
        return self._unexpected_losses > 0 and self.tally.answered == 0

    def _spread_pending(self) -> None:
        """Take the first vectors from all over the plan, including the last one.

        Neighbours share an operator version or a type; if all of these fail, the backend may still
        work for others.
        """
        count = PATIENCE - 1
        if len(self._pending) > count:
            items = list(self._pending)
            last = len(items) - 1
            chosen = {round(index * last / (count - 1)) for index in range(count)}
            self._pending = deque(
                [
                    *(items[index] for index in sorted(chosen)),
                    *(item for index, item in enumerate(items) if index not in chosen),
                ]
            )

    # --- sending requests ------------------------------------------------------------------

    def _fill(self, worker: Worker[C]) -> None:
        """Send a worker as many requests as it may hold."""
        if not worker.ready:
            return
        if self._suspects and self._serves_suspects(worker):
            return
        if worker is self._leaving or worker.alone or worker.in_flight > DEPTH // 2:
            return
        if self._probing:
            self._probe(worker)
            return
        # Near the end, share the rest among all workers: no vector should wait behind one that
        # hangs.
        share = (self.ahead + worker.in_flight) // self._jobs
        while worker.in_flight < min(DEPTH, max(1, share)):
            attempt = self._next(worker)
            if attempt is None:
                break
            if not worker.room_for(attempt.request.message):
                self._again.appendleft(attempt)
                break
            worker.give(attempt, warm_up=self._starts.warm_up)
        worker.flush()
        self._watch_input(worker)

    def _serves_suspects(self, worker: Worker[C]) -> bool:
        """Whether a worker is kept for a vector that runs alone, or ends to make room for it."""
        if not worker.in_flight:
            if worker.fresh:
                self._give(worker, self._suspects.popleft(), alone=True)
                return True
            if worker is self._leaving or not (self._pending or self._again):
                self._retire(worker)  # makes room for a fresh one
                return True
        if self._leaving is None and not self._one_is_fresh():
            self._leaving = worker
        return False

    def _give(self, worker: Worker[C], attempt: Attempt[C], *, alone: bool) -> None:
        worker.give(attempt, alone=alone, warm_up=self._starts.warm_up)
        worker.flush()
        self._watch_input(worker)

    def _one_is_fresh(self) -> bool:
        """Whether there is, or will be, a child that has not been sent a vector."""
        return len(self._workers) < self._jobs or any(worker.fresh for worker in self._workers)

    def _probe(self, worker: Worker[C]) -> None:
        """Send one vector at a time, so that each loss is caused by that vector."""
        if not worker.in_flight:
            attempt = self._next(worker)
            if attempt is not None:
                self._give(worker, attempt, alone=worker.fresh)

    def _next(self, worker: Worker[C]) -> Attempt[C] | None:
        if self._again and not (self._probing and self._pending):
            return self._again.popleft()
        passed_over = 0
        while self._pending and worker.description is not None:
            ready = self._prepare(self._pending[0], worker.description)
            if ready is None:
                self._hungry = True
                # Vectors from all over the plan are tried first while nothing is answered: those
                # that are made last must not keep the others waiting.
                if not self._probing or passed_over == PATIENCE:
                    break
                passed_over += 1
                self._pending.rotate(-1)
                continue
            self._pending.popleft()
            if isinstance(ready, Request):
                return Attempt(ready)
            self._finished.append(ready)
        return None

    # --- the end ---------------------------------------------------------------------------

    def _forget(self, worker: Worker[C]) -> None:
        """Remove a dead worker, and its closed pipes from the selector."""
        if worker.noise:
            fact = "lines on standard output that are no JSON object (noise)"
            self.tally.note(fact, count=worker.noise)
        for key in list(self._selector.get_map().values()):
            if key.data is not None and key.data[0] is worker:
                self._selector.unregister(key.fileobj)
        self._workers.remove(worker)
        if worker is self._leaving:
            self._leaving = None

    def _retire(self, worker: Worker[C]) -> None:
        """End a child that is idle or still starting, so that another can replace it."""
        if worker.description is None:
            worker.kill()
        else:
            self._end([worker])
        self._forget(worker)

    def _stop_workers(self) -> None:
        """Ask every child to end; `close` kills those that do not end in time."""
        for worker in [item for item in self._workers if item.description is None]:
            self._retire(worker)  # still starting, and no longer needed
        self._end(self._workers)
        for worker in list(self._workers):
            self._forget(worker)

    def _end(self, workers: Sequence[Worker[C]]) -> None:
        """Ask children to end, and kill those that do not end in time."""
        for worker in workers:
            worker.child.send(stop_request())
            if not worker.child.waiting_to_write:
                worker.child.close_input()
        end = time.monotonic() + _STOP_GRACE
        pause = 0.001
        while time.monotonic() < end and any(worker.child.alive for worker in workers):
            for worker in workers:
                worker.child.discard_output()  # a full pipe would keep it from ending
            time.sleep(pause)
            pause = min(2 * pause, 0.02)
        for worker in workers:
            in_time = not worker.child.alive
            how = worker.kill()
            if not in_time:
                self.tally.note(f"a child did not end within {_STOP_GRACE:g} s of 'stop'")
            elif how != "exit 0":
                self.tally.note(f"a child ended with {how} at 'stop'")


def _in_words(observation: Observation) -> str:
    if isinstance(observation, Crashed):
        return observation.how
    if isinstance(observation, TimedOut):
        return f"no reply within {observation.deadline:g} s"
    if isinstance(observation, (ProtocolBroken, HarnessError)):
        return observation.message
    return type(observation).__name__


def _why_no_start(worker: Worker[C], event: Over[C]) -> str:
    """Why a child ended that was never sent a vector, on one line."""
    reason = event.reason
    if isinstance(event.observation, ProtocolBroken):
        reason = f"bad handshake: {reason}"
    elif isinstance(event.observation, Crashed):
        before = "the reply to 'describe'" if worker.description is None else "any vector"
        reason += f" before {before}"
    return reason + _stderr_remark(event.stderr)


def _stderr_remark(stderr: str) -> str:
    """A child's first and last line on standard error, as the end of a message."""
    last_words = first_and_last(stderr, 300)
    return f"; it said: {last_words}" if last_words else ""
