"""Which workers take part where code and files decide on results: those that have the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .dask_batches import DaskBatches


class Alike:
    """Decides on workers: those that have what decides on the results as it is here."""

    def __init__(
        self,
        wanted: Mapping[str, str],
        look: Callable[..., Any],
        *arguments: object,
        read: Callable[[Any], Any] = lambda answer: answer,
    ) -> None:
        """Admit workers.

        Args:
            wanted: digests of what decides, by names for people.
            look: called on each worker with the arguments: what it has, or why it cannot tell.
            arguments: of `look`.
            read: makes of its answer a dictionary like `wanted`, or a text that says why not.
        """
        self._wanted = wanted
        self._look = look
        self._arguments = arguments
        self._read = read

    def __call__(self, executor: DaskBatches, workers: Sequence[str]) -> Mapping[str, str]:
        """Why each of these workers may not take part; an empty text if it may."""
        answers = executor.ask(self._look, *self._arguments, workers=workers)
        return {worker: self._why_not(answers[worker]) for worker in workers}

    def _why_not(self, answer: object) -> str:
        if isinstance(answer, ModuleNotFoundError):
            return f"{answer}: install onnx-conformance there, in the same version"
        if not isinstance(answer, BaseException):
            answer = self._read(answer)
        if isinstance(answer, (BaseException, str)):
            return str(answer) or f"cannot answer: {type(answer).__name__}"
        if not isinstance(answer, dict):
            return f"answers {type(answer).__name__}"
        other = [name for name, value in self._wanted.items() if answer.get(name) != value]
        return f"has other {', '.join(other)} than this machine" if other else ""
