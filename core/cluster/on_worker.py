"""What the executor asks of a worker itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distributed import Worker


async def offer(name: str, amount: float, dask_worker: Worker) -> None:
    """Let a worker offer a resource, without which it gets none of our batches."""
    await dask_worker.set_resources(**{name: amount})
