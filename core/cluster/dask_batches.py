"""Batches on Dask distributed: an existing scheduler decides who works on what.

A worker takes part when it was admitted: then it offers a resource with the name of the run, and
batches are for those who offer it. So whoever joins later takes part too, and whoever is refused
gets nothing. A worker that dies costs its batches a second try elsewhere, by Dask; after
`allowed-failures` of the scheduler (docs/scale.md) it says so, and the batch counts as lost.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import ClusterError
from ..text import one_line, quantity
from .addresses import Address, warning
from .batches import Outcome
from .connecting import require_dask, require_listening, start_local
from .on_worker import offer

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster


T = TypeVar("T")
R = TypeVar("R")

# Batches that are out for each thread: one runs, one waits beside it.
_AHEAD = 2
_TICK = 0.25
# Whether new workers have come is asked this often (seconds).
_LOOK = 1.0
_ANSWER = 30.0  # seconds for the scheduler to say what became of a batch
_QUESTION = 120.0  # seconds for a worker to say who it is: its runtime has to start
_GOODBYE = 5.0
_FETCH = 10.0  # seconds for a result to come, before workers are looked for, and it is asked again
_FETCHES = 3  # errors on the way of a result, before the batch goes out again
_CONNECT = 10.0


class DaskBatches:
    """Runs batches on the workers of a Dask cluster.

    Attributes:
        refused: why workers do not take part, by address.
        joined: the addresses of those that do, or did.
    """

    def __init__(
        self,
        address: Address,
        name: str,
        note: Callable[[str], None],
        *,
        patience: float = 300.0,
        admit: Callable[[DaskBatches, Sequence[str]], Mapping[str, str]] | None = None,
    ) -> None:
        """Connect to a cluster, or start one here.

        Args:
            address: where it is.
            name: of the run; no other may have it.
            note: called with facts that a person must know.
            patience: seconds to wait for workers, and for a scheduler that is gone.
            admit: says of each worker that comes why it may not take part, or an empty text.

        Raises ClusterError if there is none, or if Dask is not installed.
        """
        require_dask()
        self._address = address
        self._name = f"onnx-conformance-{name}"
        self._note = note
        self._patience = patience
        self._admit = admit or (lambda _executor, workers: dict.fromkeys(workers, ""))
        self._stopped = threading.Event()
        self._cluster: LocalCluster | None = None
        self._client: Client | None = None
        self._threads: dict[str, int] = {}
        self._number = 0
        self._looked = 0.0
        self._stale = False
        self.refused: dict[str, str] = {}
        self.joined: dict[str, None] = {}
        said = warning(address)
        if said:
            note(said)
        self._connect()

    # --- workers -----------------------------------------------------------------------------

    @property
    def client(self) -> Client:
        """The connection; ClusterError if there is none now."""
        if self._client is None:
            raise ClusterError("the cluster is gone")
        return self._client

    @property
    def threads(self) -> int:
        """How many batches run at the same time."""
        return sum(tuple(self._threads.values()))  # another thread may look for workers

    @property
    def address(self) -> str:
        """Of the scheduler."""
        return str(self.client.scheduler.address) if self.client.scheduler else ""

    def workers(self) -> dict[str, dict[str, Any]]:
        """All workers of the cluster by address, with what the scheduler knows of them."""
        found: dict[str, dict[str, Any]] = self.client.scheduler_info(n_workers=-1)["workers"]
        return found

    def ask(
        self,
        function: Callable[..., Any],
        *arguments: object,
        workers: Sequence[str],
        seconds: float = _QUESTION,
    ) -> dict[str, Any]:
        """What a function returns on each of these workers, or the exception that it raises.

        A worker that does not answer in time has TimeoutError: it may be stopped, or dead.
        """
        answers: dict[str, Any] = {}

        def ask_one(worker: str) -> None:
            try:
                answers.update(self.client.run(function, *arguments, workers=[worker]))
            except Exception as error:
                answers[worker] = error

        # Dask waits without end for a worker that is stopped: each is asked in a thread.
        asking = [threading.Thread(target=ask_one, args=(item,), daemon=True) for item in workers]
        for thread in asking:
            thread.start()
        end = time.monotonic() + seconds
        for thread in asking:
            thread.join(max(0.0, end - time.monotonic()))
        late = TimeoutError(f"no answer within {seconds:g} s")
        return {worker: answers.get(worker, late) for worker in workers}

    def look(self) -> None:
        """Admit the workers that have come, and forget those that have gone."""
        self._looked = time.monotonic()
        there = self.workers()
        for gone in self._threads.keys() - there.keys():
            del self._threads[gone]
        alone = not self._threads
        new = [item for item in there if item not in self._threads and item not in self.refused]
        if not new:
            return
        for worker, why_not in self._admit(self, new).items():
            if why_not:
                self.refused[worker] = why_not
                self._note(f"note: worker {worker} is refused: {one_line(why_not, 600)}")
                continue
            threads = int(there[worker]["nthreads"])
            answer = self.ask(offer, self._name, threads, workers=[worker])[worker]
            if not isinstance(answer, BaseException):
                self._threads[worker] = threads
                self.joined[worker] = None
        # Dask does not look again at batches that nobody could take when somebody offers to.
        self._stale = self._stale or (alone and bool(self._threads))

    def wait_for_workers(self) -> None:
        """Wait until one worker takes part; ClusterError if none does in time."""
        end = time.monotonic() + self._patience
        while not self._threads and not self._stopped.is_set():
            self.look()
            if self._threads:
                return
            there = self.workers()
            if there and all(item in self.refused for item in there):
                raise ClusterError(
                    f"{self.address}: none of {quantity(len(there), 'worker')} can take part:"
                    f" {'; '.join(sorted(set(self.refused.values())))}"
                )
            if time.monotonic() > end:
                raise ClusterError(
                    f"{self.address}: has no worker after {self._patience:g} s; `dask worker"
                    f" {self.address}` starts one"
                )
            self._stopped.wait(_TICK)

    # --- batches -----------------------------------------------------------------------------

    def run(
        self,
        function: Callable[..., R],
        work: deque[T],
        call: Callable[[T], Sequence[Any]],
        alone: Callable[[T], bool] = lambda _: False,
    ) -> Iterator[Outcome[T, R]]:
        """What became of each batch, as they end.

        Args:
            function: of a module that every worker has.
            work: the batches, first those that go out first. More may be appended meanwhile, such
                as a batch that was lost, in parts.
            call: the arguments of the function for a batch, when it goes out.
            alone: whether no other batch may be out with it: only then its loss is its own doing.

        Raises ClusterError if the cluster is gone, and does not come back.
        """
        out: dict[str, tuple[Future[Any], T]] = {}
        ended: queue.SimpleQueue[str] = queue.SimpleQueue()
        behind: dict[str, int] = {}  # ended, and their results have not come yet
        while (work or out) and not self._stopped.is_set():
            try:
                if time.monotonic() > self._looked + _LOOK:
                    self._require_connection()
                    self.look()
                    if self._stale:
                        self._take_back(out, work)
                while work and len(out) < _AHEAD * max(1, self.threads):
                    # Dask suspects what waits at a worker that dies, too, not what runs alone.
                    if out and (alone(work[0]) or any(alone(item) for _, item in out.values())):
                        break
                    item = work.popleft()
                    future = self._submit(function, call(item))
                    out[str(future.key)] = future, item
                    future.add_done_callback(lambda done: ended.put(done.key))
                with contextlib.suppress(queue.Empty):
                    behind.setdefault(ended.get(timeout=_TICK), 0)
                for key in list(behind):
                    if key in out and out[key][0].status in ("cancelled", "lost"):
                        self._require_connection()
                        work.appendleft(out.pop(key)[1])
                    yield from self._ended(key, out, behind)
            except (OSError, _Gone) as error:
                work.extendleft(item for _, item in reversed(out.values()))
                out.clear()
                behind.clear()
                self._come_back(error)
        self._cancel([future for future, _ in out.values()])

    def _submit(self, function: Callable[..., Any], arguments: Sequence[Any]) -> Future[Any]:
        self._number += 1
        return self.client.submit(
            function,
            *arguments,
            key=f"{self._name}-{self._number}",
            resources={self._name: 1},
            priority=-self._number,
            pure=False,
            retries=0,
        )

    def _ended(
        self, key: str, out: dict[str, tuple[Future[Any], T]], behind: dict[str, int]
    ) -> Iterator[Outcome[T, Any]]:
        """The outcome of a batch, unless it runs again since the worker with its result died."""
        if key not in out:
            del behind[key]
            return
        future, item = out[key]
        outcome: Outcome[T, Any] | None = None
        if future.status == "finished":
            try:
                outcome = Outcome(item, future.result(timeout=_FETCH))
            except (OSError, TimeoutError):
                return  # it is on its way, or is computed again: meanwhile workers are looked for
            except Exception as error:
                behind[key] += 1
                if behind[key] < _FETCHES:
                    return
                outcome = Outcome(item, error=_in_words(error))
        elif future.status == "error":
            outcome = _failed(item, future)
        if outcome is not None:
            del behind[key], out[key]
            yield outcome

    def _take_back(self, out: dict[str, tuple[Future[Any], T]], work: deque[T]) -> None:
        """Send batches out again that wait for workers which are all gone."""
        self._stale = False
        pending = [key for key, (future, _) in out.items() if future.status == "pending"]
        taken = [out.pop(key) for key in pending]
        self._cancel([future for future, _ in taken])
        work.extendleft(item for _, item in reversed(taken))

    def _cancel(self, futures: Sequence[Future[Any]]) -> None:
        if futures and self._client is not None:
            with contextlib.suppress(Exception):  # whatever is gone need not be cancelled
                self._client.cancel(list(futures), force=True)

    def stop(self) -> None:
        """Let `run` end soon; may be called from a signal handler."""
        self._stopped.set()

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._stopped.is_set()

    # --- the connection ----------------------------------------------------------------------

    def _connect(self) -> None:
        from distributed import Client

        require_listening(self._address, _CONNECT)
        where: Any = self._address.text
        if self._address.workers:
            where = self._cluster = self._cluster or start_local(self._address.workers)
        elif self._address.scheduler_file is not None and not self._address.scheduler_file.exists():
            raise ClusterError(f"{self._address.scheduler_file}: there is no such file")
        given = (
            {"scheduler_file": str(self._address.scheduler_file)}
            if self._address.scheduler_file is not None
            else {"address": where}
        )
        try:
            self._client = Client(**given, timeout=_CONNECT, set_as_default=False, name=self._name)
        except (OSError, RuntimeError, TimeoutError, TypeError, ValueError) as error:
            raise ClusterError(
                f"{self._address.text or self._address.scheduler_file}: no Dask scheduler answers:"
                f" {one_line(str(error), 300)}; `dask scheduler` starts one"
            ) from None

    def _require_connection(self) -> None:
        if self._client is None or self._client.status != "running":
            raise _Gone("the scheduler is gone")

    def _come_back(self, error: Exception) -> None:
        """Wait until the scheduler is there again, and join it; ClusterError if it is not."""
        why = str(error) if isinstance(error, _Gone) else type(error).__name__
        self._note(
            f"note: the scheduler is out of reach ({one_line(why, 100)}); waiting for it up to"
            f" {self._patience:g} s"
        )
        self._leave()
        self._threads.clear()
        self.refused.clear()
        end = time.monotonic() + self._patience
        while not self._stopped.is_set():
            try:
                self._connect()
                self.wait_for_workers()
            except (ClusterError, OSError) as problem:
                if time.monotonic() > end:
                    raise ClusterError(f"the cluster did not come back: {problem}") from None
                self._leave()
                self._stopped.wait(1.0)
            else:
                self._note("note: the cluster is there again")
                return

    def _leave(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(Exception):  # it is gone already
                client.close(timeout=2)

    def leave_with(self, function: Callable[..., Any], *arguments: object) -> None:
        """Call a function on each worker that takes part, as a last word; errors are ignored."""
        if self._client is not None and self._threads:
            with contextlib.suppress(Exception):  # who is gone need not be told
                there = [item for item in self.workers() if item in self._threads]
                self.ask(function, *arguments, workers=there, seconds=_GOODBYE)

    def close(self) -> None:
        """Take the resource back, and leave; a cluster that was started here ends."""
        self.leave_with(offer, self._name, 0)
        self._leave()
        if self._cluster is not None:
            with contextlib.suppress(Exception):
                self._cluster.close(timeout=10)
            self._cluster = None


def _failed(item: T, future: Future[Any]) -> Outcome[T, Any]:
    """What became of a batch whose function raised, or whose workers died."""
    from distributed import KilledWorker

    error: object
    try:
        error = future.exception(timeout=_ANSWER)
    except Exception as unheard:
        error = unheard
    if isinstance(error, KilledWorker):
        return Outcome(item, lost="its workers died, one after the other, while they ran it")
    return Outcome(item, error=_in_words(error))


def _in_words(error: object) -> str:
    return one_line(f"{type(error).__name__}: {error}", 600)


class _Gone(Exception):  # noqa: N818  no error for anybody: the loop handles it
    """The scheduler does not know our batches any more."""
