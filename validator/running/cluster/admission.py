"""Which workers take part: those that have the runtime, the harness, the judge and the corpus.

Before the first vector each is asked who it is. What most of them say is the run; who says
otherwise is refused, and so is whoever joins later and is not like the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import BackendUnusableError, ClusterError, ConformanceError
from onnx_conformance.core.text import brief, one_line

from ...host.protocol import Description, ProtocolError, difference, parse_description
from ..reuse.identity import difference_in_words
from .batches import BackendSpec

if TYPE_CHECKING:
    from onnx_conformance.core.cluster.dask_batches import DaskBatches

    Send = Callable[[DaskBatches, Sequence[str]], Mapping[str, Any]]

_LONGEST = 400


class Admission:
    """Decides on workers.

    Attributes:
        description: what the backend of the run says of itself; None until a worker was admitted.
        found: the identities of the workers that take part, by address.
        machines: what they are, in a line each.
    """

    def __init__(
        self,
        spec: BackendSpec,
        look: Callable[..., Any],
        asked: Description | None = None,
        send: Send | None = None,
    ) -> None:
        """Admit workers to a run.

        Args:
            spec: what they are told of it.
            look: called on each with the spec; says who it is.
            asked: what the backend was found to be before, if it was.
            send: sends the corpus to workers, and says in words of each why it could not keep it;
                None where they need none.
        """
        self._spec = spec
        self._look = look
        self._send = send
        self.description = asked
        self._wanted: dict[str, str] | None = None
        self.found: dict[str, dict[str, str]] = {}
        self.machines: dict[str, str] = {}

    def __call__(self, executor: DaskBatches, workers: Sequence[str]) -> Mapping[str, str]:
        """Why each of these workers may not take part; an empty text if it may.

        Raises ClusterError where as many workers say one thing as another.
        """
        answers = self._answers(executor, workers)
        why_not: dict[str, str] = {}
        told: dict[str, tuple[Description, dict[str, str]]] = {}
        for worker in workers:
            try:
                told[worker] = _told(answers[worker])
            except ConformanceError as error:
                why_not[worker] = str(error)
        if self._wanted is None and told:
            self._choose(told)
        for worker, (description, identity) in told.items():
            why_not[worker] = self._difference(description, identity)
            if not why_not[worker]:
                self.found[worker] = identity
                self.machines[worker] = one_line(str(answers[worker].get("machine", "")), 200)
        return why_not

    def _answers(self, executor: DaskBatches, workers: Sequence[str]) -> dict[str, Any]:
        """What each says of itself; the corpus is sent to those that lack it, host by host."""
        answers = executor.ask(self._look, self._spec, workers=workers)
        for _ in range(len(workers)):
            lacking: dict[str, str] = {}
            for worker, answer in answers.items():
                if isinstance(answer, dict) and answer.get("has_corpus") is False:
                    lacking.setdefault(str(answer.get("host")), worker)
            asked = [item for item in lacking.values() if not _is_refused(answers[item])]
            if not asked or self._send is None:
                break
            sent = self._send(executor, asked)
            again = [
                worker
                for worker, answer in answers.items()
                if isinstance(answer, dict) and answer.get("has_corpus") is False
            ]
            answers.update(executor.ask(self._look, self._spec, workers=again))
            for worker, problem in sent.items():
                if problem and answers[worker].get("has_corpus") is False:
                    answers[worker] = {"unusable": f"has no corpus: {brief(problem)}"}
        return answers

    def _choose(self, told: Mapping[str, tuple[Description, dict[str, str]]]) -> None:
        """Take what most workers say for the run; what it was asked before counts alone."""
        if self.description is not None:
            for description, identity in told.values():
                if not difference(self.description, description):
                    self._wanted = identity
                    return
            return
        kinds = Counter(_key(identity) for _, identity in told.values())
        (first, most), *others = kinds.most_common()
        if others and others[0][1] == most:
            lines = "; ".join(
                f"{worker}: {identity['runtime']}" for worker, (_, identity) in told.items()
            )
            raise ClusterError(
                "as many workers are of one kind as of another, and one run is of one kind:"
                f" {one_line(lines, 600)}; stop those that do not belong to it"
            )
        self.description, self._wanted = next(
            item for item in told.values() if _key(item[1]) == first
        )

    def _difference(self, description: Description, identity: dict[str, str]) -> str:
        if self.description is not None:
            other = difference(self.description, description)
            if other:
                return other.replace("its children differ: the first", "the run", 1).replace(
                    "a later one", "this worker", 1
                )
        if self._wanted is None:
            return "is not what this machine was told before"
        one, other_ = _comparable(self._wanted), _comparable(identity)
        return difference_in_words(one, other_) if one != other_ else ""

    def facts(self, executor: DaskBatches) -> dict[str, Any]:
        """What a results file says of the cluster and its machines."""
        return {
            "platform": "; ".join(Counter(self.machines.values())),
            "cluster": {
                "engine": f"distributed {version('distributed')}",
                "address": executor.address,
                "threads": executor.threads,
                "workers": dict(self.machines),
                "refused": dict(executor.refused),
            },
        }

    def identity(self) -> dict[str, str]:
        """What the verdicts of all workers depend on; kinds of processors one beside another."""
        if self._wanted is None:
            raise BackendUnusableError("no worker has told who it is")
        platforms = sorted({identity["platform"] for identity in self.found.values()})
        return {**self._wanted, "platform": " | ".join(platforms)}


def _is_refused(answer: Any) -> bool:  # noqa: ANN401  of a worker
    return not isinstance(answer, dict) or bool(answer.get("unusable"))


def _told(answer: Any) -> tuple[Description, dict[str, str]]:  # noqa: ANN401  of a worker
    """Who a worker says that it is; ConformanceError says why it cannot take part."""
    if isinstance(answer, ModuleNotFoundError):
        raise ClusterError(f"{answer}: install onnx-conformance there, in the same version")
    if isinstance(answer, BaseException):
        text = one_line(str(answer), _LONGEST)
        raise ClusterError(f"cannot answer: {type(answer).__name__}: {text}")
    if not isinstance(answer, dict):
        raise ClusterError(f"answers {brief(answer)}")
    if answer.get("unusable"):
        raise ClusterError(one_line(str(answer["unusable"]), _LONGEST))
    if not answer.get("has_corpus"):
        raise ClusterError("has no corpus with the digest of the run")
    describe, identity = answer.get("describe"), answer.get("identity")
    if not isinstance(describe, dict) or not isinstance(identity, dict):
        raise ClusterError(f"answers {brief(answer)}")
    if not all(isinstance(text, str) for pair in identity.items() for text in pair):
        raise ClusterError(f"answers {brief(identity)}")
    try:
        return parse_description(describe), {"platform": "", "runtime": "", **identity}
    except ProtocolError as error:
        raise ClusterError(str(error)) from None


def _comparable(identity: Mapping[str, str]) -> dict[str, str]:
    """An identity without the kind of processor, which machines of a cluster may differ in."""
    system = ", ".join(identity.get("platform", "").split(", ")[:2])
    return {**identity, "platform": system}


def _key(identity: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(_comparable(identity).items()))
