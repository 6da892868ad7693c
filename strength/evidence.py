"""The vectors of an operator as evidence: models that are read, and the calls that they make."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import onnx

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.corpus.vector_files import data_sets_of, permitted_outputs_of
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import NamedValue, Tensor, check_tensor
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.interpreter.outcomes import RUN, NoOracleError, RefusedError
from onnx_conformance.generators.interpreter.reading import read_model
from onnx_conformance.generators.interpreter.running import Session
from onnx_conformance.generators.interpreter.validity.checking import check_model
from onnx_conformance.generators.oracle.errors import OpenError
from onnx_conformance.validator.judging.judge import judge, settle
from onnx_conformance.validator.judging.verdicts import (
    Crashed,
    Outputs,
    ProtocolBroken,
    Rejected,
    TimedOut,
    Unsupported,
    Verdict,
)

from .deadlines import TookTooLongError, deadline

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from onnx_conformance.core.corpus.corpus import Entry
    from onnx_conformance.core.corpus.vectors import DataSet, Vector
    from onnx_conformance.generators.interpreter.model import Model
    from onnx_conformance.generators.oracle.registry import Call, Result
    from onnx_conformance.validator.judging.verdicts import Judgement, Observation

    from .surroundings import Fault

    Answer = Callable[[Call], Result]

DEADLINE = 5.0
_INNOCENT = frozenset({Verdict.PASS, Verdict.INCONCLUSIVE, Verdict.UNSUPPORTED})


@dataclass(frozen=True)
class Exhibit:
    """A vector with what is needed to run it.

    Attributes:
        model: what was read, or the refusal where it is refused before it runs.
        read: what was read though it is refused; None where it could not be read.
        calls: what the operator is asked in it, by the correct backend.
    """

    vector: Vector
    data_sets: tuple[DataSet, ...]
    permitted: Mapping[str, Sequence[NamedValue]]
    model: Model | RefusedError
    read: Model | None
    calls: list[Call] = field(default_factory=list)


class Suspect(Session):
    """The interpreter with one operator answered by somebody else."""

    def __init__(self, model: Model, target: tuple[str, str], answer: Answer) -> None:
        """`target` is domain and operator."""
        super().__init__(model, installed_signatures())
        self._target = target
        self._answer = answer

    def answer(self, call: Call) -> Result:
        """The target's calls go to the suspect; the first reading of what is open is used."""
        if (call.domain, call.operator) != self._target:
            return super().answer(call)
        try:
            return first_reading(self._answer, call)
        except TookTooLongError:
            raise
        except Exception as error:
            # Many runtimes refuse what is invalid by stumbling over it.
            raise RefusedError(f"{type(error).__name__}: {error}", RUN) from None


@cache
def entries_of(vectors: Path) -> Mapping[str, Sequence[Entry]]:
    """The vectors of a folder by operator, read once: a folder is not written while it is read."""
    found: dict[str, list[Entry]] = {}
    for entry in open_corpus(vectors).entries.values():
        found.setdefault(entry.operator_version.rpartition("-")[0], []).append(entry)
    return found


def first_reading(answer: Answer, call: Call) -> Result:
    """The result of a call under the first reading of whatever is open."""
    from dataclasses import replace

    while True:
        try:
            return answer(call)
        except OpenError as error:
            readings = {**call.readings, error.question: error.readings[0]}
            call = replace(call, readings=readings)


class Evidence:
    """The vectors of one operator.

    Attributes:
        target: domain and operator.
        exhibits: by id.
        noting: whether calls are noted while the vectors are run for it; not those of an oracle
            that is asked what it would do otherwise.
    """

    def __init__(self, vectors: Path, domain: str, operator: str) -> None:
        """Read the vectors of an operator from a folder, and note the calls that they make."""
        self.target = (domain, operator)
        self.noting = True
        slug = (f"{domain}.{operator}" if domain else operator).lower()
        self.exhibits: dict[str, Exhibit] = {}
        for entry in entries_of(vectors).get(slug, ()):
            loaded = load(entry)
            read = None
            try:
                proto = onnx.ModelProto.FromString(loaded.files["model.onnx"])
                model: Any = read_model(proto, loaded.directory)
                read = model
                check_model(model, installed_signatures())
            except RefusedError as error:
                model = error
            self.exhibits[entry.id] = Exhibit(
                loaded.vector,
                data_sets_of(loaded.vector, loaded.files, entry.id),
                permitted_outputs_of(loaded.vector, loaded.files, entry.id),
                model,
                read,
            )

    def verdict(self, identity: str, answer: Answer, seconds: float = DEADLINE) -> Judgement:
        """What the validator says of a vector where the operator is answered so, in some seconds.

        An invalid vector that is refused counts only where its control passes.
        """
        exhibit = self.exhibits[identity]
        judgement = self._judged(exhibit, answer, seconds)
        if judgement.verdict is not Verdict.PASS or exhibit.vector.control is None:
            return judgement
        control = self.exhibits.get(exhibit.vector.control)
        state = None if control is None else self._judged(control, answer).verdict
        return settle(exhibit.vector, judgement, state)

    def is_conviction(self, judgement: Judgement) -> bool:
        """Whether a judgement tells these answers from correct ones."""
        return judgement.verdict not in _INNOCENT

    def _judged(self, exhibit: Exhibit, answer: Answer, seconds: float = DEADLINE) -> Judgement:
        observation = _observed(exhibit, self.target, answer, seconds)
        given = exhibit.vector, exhibit.data_sets, exhibit.permitted
        try:
            return judge(*given, observation)
        except Exception:
            # Something that is no value at all, which a child process could not even send.
            return judge(*given, ProtocolBroken("no value", absurd_output=True))

    def convicts(self, identity: str, fault: Fault) -> bool:
        """Whether a vector tells a runtime that is wrong around the operator from a right one."""
        exhibit = self.exhibits[identity]
        judgement = _judged_around(exhibit, fault)
        if judgement.verdict is Verdict.PASS and exhibit.vector.control is not None:
            control = self.exhibits.get(exhibit.vector.control)
            state = None if control is None else _judged_around(control, fault).verdict
            judgement = settle(exhibit.vector, judgement, state)
        return self.is_conviction(judgement)

    def record(self, answer: Answer) -> list[tuple[str, str]]:
        """Run every vector and note its calls; (id, message) of those that do not pass."""
        failures = []
        for identity, exhibit in self.exhibits.items():

            def noting(call: Call, calls: list[Call] = exhibit.calls) -> Result:
                if self.noting and call not in calls:
                    calls.append(call)
                return answer(call)

            judgement = self._judged(exhibit, noting)
            if judgement.verdict is not Verdict.PASS:
                failures.append((identity, f"{judgement.verdict.value}: {judgement.message}"))
        return failures


def _observed(
    exhibit: Exhibit, target: tuple[str, str], answer: Answer, seconds: float
) -> Observation:
    """What a backend does whose operator is answered so."""
    if isinstance(exhibit.model, RefusedError):
        return Rejected(exhibit.model.phase, str(exhibit.model))
    session = Suspect(exhibit.model, target, answer)
    try:
        with deadline(seconds):
            return _run(exhibit, session)
    except Exception as error:
        return _failure(error)


def _judged_around(exhibit: Exhibit, fault: Fault) -> Judgement:
    """What the validator says of a vector in a runtime that is wrong around the operator."""
    observation: Observation
    if exhibit.read is None and isinstance(exhibit.model, RefusedError):
        observation = Rejected(exhibit.model.phase, str(exhibit.model))
    else:
        try:
            with deadline(DEADLINE):
                observation = _run_around(exhibit, fault)
        except TookTooLongError:
            observation = TimedOut(DEADLINE)
        except BadInputError as error:
            observation = ProtocolBroken(str(error), absurd_output=True)
        except NoOracleError as error:
            observation = Unsupported(str(error))
        except Exception as error:
            # Refusals, and stumbling, which is how many runtimes refuse.
            observation = Rejected(RUN, f"{type(error).__name__}: {error}")
    return judge(exhibit.vector, exhibit.data_sets, exhibit.permitted, observation)


def _run_around(exhibit: Exhibit, fault: Fault) -> Outputs:
    if exhibit.read is None:
        raise ValueError("nothing was read")
    if isinstance(exhibit.model, RefusedError):
        fault.checker(exhibit.read, installed_signatures()).check()
    return _run(exhibit, fault.session(exhibit.read, installed_signatures()))


def _run(exhibit: Exhibit, session: Session) -> Outputs:
    results = []
    for data_set in exhibit.data_sets:
        outputs = session.run({item.name: item.value for item in data_set.inputs})
        values = tuple(NamedValue(name, outputs[name]) for name in exhibit.vector.outputs)
        for item in values:
            if isinstance(item.value, Tensor):
                check_tensor(item.value)
        results.append(values)
    return Outputs(tuple(results))


def _failure(error: Exception) -> Observation:
    """What a host sees of a backend in which this is raised."""
    if isinstance(error, RefusedError):
        return Rejected(error.phase, str(error))
    if isinstance(error, NoOracleError):
        return Unsupported(str(error))
    if isinstance(error, TookTooLongError):
        return TimedOut(DEADLINE)
    if isinstance(error, BadInputError):
        return ProtocolBroken(str(error), absurd_output=True)
    return Crashed(repr(error))
