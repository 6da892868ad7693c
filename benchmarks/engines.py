"""Engines that could bring batches of vectors to many machines, on the load that they are for.

    python benchmarks/engines.py futures|dask|ray [--vectors DIR] [--most N] [--kill]

Two workers judge vectors of onnxruntime in batches, each with a child that stays warm, as `run
--cluster` does. It prints the seconds until the first worker answers, those of the run, the
processor time, and what became of the batches; with --kill one worker is killed in the middle.
docs/decisions/2026-11-27-dask-brings-the-batches.md has the figures.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

from onnx_conformance.core.corpus.vectors_folder import open_vectors
from onnx_conformance.validator.host.worker import Settings
from onnx_conformance.validator.running.cluster.batches import Batch, RunSpec, in_batches
from onnx_conformance.validator.running.cluster.runner import BatchRunner
from onnx_conformance.validator.running.planning import controls_of
from onnx_conformance.validator.running.sharing.times import together

WORKERS = 2
_RUNNERS: dict[str, BatchRunner] = {}


def judged(spec: RunSpec, batch: Batch) -> tuple[int, bytes]:
    """The rows of a batch, and which process made them."""
    if spec.run not in _RUNNERS:
        _RUNNERS[spec.run] = BatchRunner(spec, open_vectors(Path(spec.root)))
    return os.getpid(), _RUNNERS[spec.run].run(batch).rows


class Futures:
    """ProcessPoolExecutor of the standard library."""

    def __init__(self) -> None:
        """Start it."""
        from concurrent.futures import ProcessPoolExecutor

        self.pool = ProcessPoolExecutor(WORKERS)
        self.version = sys.version.split()[0]

    def submit(self, spec: RunSpec, batch: Batch) -> Any:  # noqa: ANN401  of any engine
        """Send a batch."""
        return self.pool.submit(judged, spec, batch)

    def finished(self, futures: list[Any]) -> Any:  # noqa: ANN401  of any engine
        """A function for each that ends, which gives its rows or raises."""
        from concurrent.futures import as_completed

        for future in as_completed(futures):
            yield future.result

    def close(self) -> None:
        """End it."""
        self.pool.shutdown(wait=False, cancel_futures=True)


class Dask:
    """Dask distributed: a scheduler and workers, here in processes of this machine."""

    def __init__(self) -> None:
        """Start it."""
        from distributed import Client, LocalCluster

        self.cluster = LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, dashboard_address=None, silence_logs=50
        )
        self.client = Client(self.cluster)
        self.version = importlib.metadata.version("distributed")

    def submit(self, spec: RunSpec, batch: Batch) -> Any:  # noqa: ANN401  of any engine
        """Send a batch."""
        return self.client.submit(judged, spec, batch, pure=False)

    def finished(self, futures: list[Any]) -> Any:  # noqa: ANN401  of any engine
        """A function for each that ends, which gives its rows or raises."""
        from distributed import as_completed

        for future in as_completed(futures):
            yield future.result

    def close(self) -> None:
        """End it."""
        self.client.close()
        self.cluster.close()


class Ray:
    """Ray: tasks on a local node."""

    def __init__(self) -> None:
        """Start it."""
        import ray

        self.ray = ray
        ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False)
        self.remote = ray.remote(max_retries=2)(judged)
        self.version = importlib.metadata.version("ray")

    def submit(self, spec: RunSpec, batch: Batch) -> Any:  # noqa: ANN401  of any engine
        """Send a batch."""
        return self.remote.remote(spec, batch)

    def finished(self, futures: list[Any]) -> Any:  # noqa: ANN401  of any engine
        """A function for each that ends, which gives its rows or raises."""
        left = list(futures)
        while left:
            done, left = self.ray.wait(left, num_returns=1)
            yield lambda item=done[0]: self.ray.get(item)

    def close(self) -> None:
        """End it."""
        self.ray.shutdown()


ENGINES = {"futures": Futures, "dask": Dask, "ray": Ray}


def main() -> int:
    """Try one engine."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("engine", choices=ENGINES)
    parser.add_argument("--vectors", type=Path, default=Path("build/vectors"))
    parser.add_argument("--most", type=int, default=4000)
    parser.add_argument("--kill", action="store_true", help="kill a worker in the middle")
    arguments = parser.parse_args()
    corpus = open_vectors(arguments.vectors)
    entries = list(corpus.entries.values())
    step = max(1, len(entries) // arguments.most)
    chosen = entries[::step]
    controls = controls_of(corpus, chosen)
    ids = list(dict.fromkeys([*controls.values(), *(entry.id for entry in chosen)]))
    spec = RunSpec(
        *("trial", "onnxruntime", None, "onnxruntime", Settings(), None, "onnx", "ieee", None),
        *({}, str(corpus.digest), str(arguments.vectors.resolve())),
    )
    batches = in_batches(together(ids, controls), WORKERS, None)
    began = time.monotonic()
    engine = ENGINES[arguments.engine]()
    started = time.monotonic() - began
    futures = [engine.submit(spec, Batch(part, answers=True)) for part in batches]
    rows = bad = 0
    first = 0.0
    killed = False
    for number, result in enumerate(engine.finished(futures)):
        try:
            pid, lines = result()
        except Exception as error:
            bad += 1
            if bad == 1:
                print(f"  lost: {type(error).__name__}: {str(error)[:100]!r}")
            continue
        first = first or time.monotonic() - began
        rows += lines.count(b"\n")
        if arguments.kill and not killed and number >= len(batches) // 3:
            killed = True
            os.kill(pid, signal.SIGKILL)
    seconds = time.monotonic() - began
    engine.close()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    processor = sum(item.ru_utime + item.ru_stime for item in used)
    print(
        f"{arguments.engine} {engine.version}: start {started:.1f} s, first rows {first:.1f} s,"
        f" {seconds:.1f} s in all, processor {processor:.1f} s (of this process and its children),"
        f" {rows:,} of {len(ids):,} rows, {bad} of {len(batches)} batches lost"
    )
    return 0 if rows == len(ids) else 1


if __name__ == "__main__":
    sys.exit(main())
