"""What the vectors of an operator make of an oracle, and the calls that they make of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from onnx_conformance.core.corpus.vectors import Phase
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.interpreter.model import Model
from onnx_conformance.generators.interpreter.outcomes import RUN, RefusedError
from onnx_conformance.generators.interpreter.running import Session
from onnx_conformance.generators.oracle.errors import OpenError
from onnx_conformance.generators.oracle.registry import Call, Result
from onnx_conformance.validator.judging.verdicts import (
    Crashed,
    Judgement,
    Observation,
    Rejected,
    Verdict,
)

from ..deadlines import TookTooLongError, deadline
from ..interfaces import Answer, Notice
from ..vectors import (
    DEADLINE,
    Loaded,
    Vectors,
    is_noticed,
    judged,
    observation_of,
    outputs_of,
    settled,
)
from .own_oracle import OwnOracle


class Substituted(Session):
    """The interpreter with one operator answered by somebody else."""

    def __init__(self, model: Model, target: tuple[str, str], answer: Answer) -> None:
        """`target` is domain and operator."""
        super().__init__(model, installed_signatures())
        self._target = target
        self._answer = answer

    def answer(self, call: Call) -> Result:
        """The target's calls go to the substitute; the first reading of what is open is used."""
        if (call.domain, call.operator) != self._target:
            return super().answer(call)
        try:
            return first_reading(self._answer, call)
        except TookTooLongError:
            raise
        except Exception as error:
            # Many runtimes refuse what is invalid by stumbling over it.
            raise RefusedError(f"{type(error).__name__}: {error}", RUN) from None


def key_of(call: Call) -> Any:  # noqa: ANN401  anything that can be hashed
    """What an oracle's answer to a call of one operator depends on."""
    return (
        call.since_version,
        tuple(sorted(call.attributes.items(), key=lambda item: item[0])),
        tuple(call.inputs.items()),
        call.outputs,
        tuple(sorted(call.readings.items())),
    )


def first_reading(answer: Answer, call: Call) -> Result:
    """The result of a call under the first reading of whatever is open."""
    while True:
        try:
            return answer(call)
        except OpenError as error:
            readings = {**call.readings, error.question: error.readings[0]}
            call = replace(call, readings=readings)


class JudgedVectors(Vectors):
    """The vectors of one operator of this corpus, its oracle, and the validator's judge.

    Attributes:
        oracle: what mutants are mutants of.
        noting: whether calls are noted while the vectors are run for it; not those of an oracle
            that is asked what it would do otherwise.
    """

    def __init__(self, folder: Path, domain: str, operator: str) -> None:
        """Read the vectors of an operator from a folder."""
        super().__init__(folder, domain, operator)
        self.oracle = OwnOracle(domain, operator)
        self.noting = True

    def notice(self, identity: str, answer: Answer, seconds: float = DEADLINE) -> Notice:
        """Whether the validator tells an answer from a correct one."""
        judgement = self.verdict(identity, answer, seconds)
        return Notice(is_noticed(judgement), judgement.verdict is Verdict.TIMED_OUT)

    def verdict(self, identity: str, answer: Answer, seconds: float = DEADLINE) -> Judgement:
        """What the validator says of a vector where the operator is answered so, in some seconds.

        An invalid vector that is refused counts only where its control passes.
        """
        loaded = self.by_id[identity]

        def judgement_of(item: Loaded) -> Judgement:
            return self._judged(item, answer, seconds if item is loaded else DEADLINE)

        return settled(self, identity, judgement_of)

    def _judged(self, loaded: Loaded, answer: Answer, seconds: float = DEADLINE) -> Judgement:
        return judged(loaded, observed(loaded, self.target, answer, seconds))

    def record(self, answer: Answer) -> list[tuple[str, str]]:
        """Run every vector and note its calls; (id, message) of those that do not pass."""
        failures = []
        for identity, loaded in self.by_id.items():

            def noting(call: Call, calls: list[Call] = loaded.calls) -> Result:
                if self.noting and call not in calls:
                    calls.append(call)
                return answer(call)

            judgement = self._judged(loaded, noting)
            if judgement.verdict is not Verdict.PASS:
                failures.append((identity, f"{judgement.verdict.value}: {judgement.message}"))
        return failures


def observed(
    loaded: Loaded, target: tuple[str, str], answer: Answer, seconds: float
) -> Observation:
    """What a host sees of a backend whose operator is answered so."""
    if isinstance(loaded.model, RefusedError):
        return Rejected(Phase(loaded.model.phase), str(loaded.model))
    session = Substituted(loaded.model, target, answer)
    try:
        with deadline(seconds):
            return outputs_of(loaded, session)
    except Exception as error:
        return observation_of(error) or Crashed(repr(error))
