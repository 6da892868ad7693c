"""A cluster that a run has joined: connected, its workers admitted, and left in the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.cluster.dask_batches import DaskBatches
from onnx_conformance.core.cluster.options import Where
from onnx_conformance.core.corpus.corpus import Entry
from onnx_conformance.core.errors import BackendUnusableError, ClusterError

from ...host.model_files import ModelFiles
from ...host.preparing import Preparer
from ...host.protocol import Description
from ...host.requests import Finished, Request
from ...judging.verdicts import Crashed
from ...results.records import Row
from ..rows import RowJudge

if TYPE_CHECKING:
    from .admission import Admission


class Joined:
    """The cluster of one run.

    Attributes:
        stopped: whether it was told to stop.
    """

    def __init__(
        self, where: Where, run: str, admission: Admission, leave: Callable[..., Any]
    ) -> None:
        """Connect to nothing yet; `leave` is called on each worker in the end, with the run."""
        self._where = where
        self._run = run
        self._admission = admission
        self._leave = leave
        self._executor: DaskBatches | None = None
        self.stopped = False

    def start(self) -> Description:
        """Connect, and admit the workers that are there; ClusterError without any."""
        where = self._where
        self._executor = DaskBatches(
            where.address, self._run, where.note, patience=where.patience, admit=self._admission
        )
        self._executor.wait_for_workers()
        if self.stopped or self._executor.stopped:
            raise KeyboardInterrupt
        if self._admission.description is None:
            raise BackendUnusableError("no worker has told who it is")
        return self._admission.description

    @property
    def executor(self) -> DaskBatches:
        """What runs batches; ClusterError before `start`."""
        if self._executor is None:
            raise ClusterError("is not connected")
        return self._executor

    def facts(self) -> dict[str, Any]:
        """What a results file says of the cluster."""
        return self._admission.facts(self.executor)

    def blamed(
        self,
        vector_id: str,
        how: str,
        entries: Mapping[str, Entry],
        judge: RowJudge,
        incidents: tuple[str, ...] = (),
    ) -> Iterator[Row]:
        """The row of a vector whose workers died when they had nothing but it."""
        models = ModelFiles()
        try:
            if self._admission.description is None:
                return
            ready = Preparer(entries, models)(vector_id, self._admission.description)
            if isinstance(ready, Request):
                crashed = Crashed(f"it had its worker alone, and {how}")
                yield from judge.rows(
                    Finished(vector_id, crashed, incidents=incidents, context=ready.context)
                )
        finally:
            models.close()

    def stop(self) -> None:
        """Let what runs end soon; may be called from a signal handler."""
        self.stopped = True
        if self._executor is not None:
            self._executor.stop()

    def close(self) -> None:
        """Leave the cluster: the workers end their children."""
        if self._executor is not None:
            self._executor.leave_with(self._leave, self._run)
            self._executor.close()
            self._executor = None
