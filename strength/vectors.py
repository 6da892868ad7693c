"""The vectors of an operator, read once, and what the validator's judge says of who runs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import onnx

from onnx_conformance.core.corpus.corpus import Entry, load, open_corpus
from onnx_conformance.core.corpus.listing.model import Listed
from onnx_conformance.core.corpus.vector_files import data_sets_of, permitted_outputs_of
from onnx_conformance.core.corpus.vectors import DataSet, Kind, Phase, Vector
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import NamedValue, Tensor, check_tensor
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.interpreter.model import Model
from onnx_conformance.generators.interpreter.outcomes import NoOracleError, RefusedError
from onnx_conformance.generators.interpreter.reading import read_model
from onnx_conformance.generators.interpreter.validity.checking import check_model
from onnx_conformance.generators.oracle.index import module_of
from onnx_conformance.generators.oracle.registry import Call
from onnx_conformance.validator.judging.judge import judge, settle
from onnx_conformance.validator.judging.verdicts import (
    Judgement,
    Observation,
    Outputs,
    ProtocolBroken,
    Rejected,
    TimedOut,
    Unsupported,
    Verdict,
)

from .deadlines import TookTooLongError
from .names import name_of, slug_of

if TYPE_CHECKING:
    from onnx_conformance.generators.interpreter.running import Session

#: Seconds of the processor that running a vector may take.
DEADLINE = 5.0
#: How the cases of the family `sizes` begin.
_SIZES = "sizes_"
_UNNOTICED = frozenset({Verdict.PASS, Verdict.INCONCLUSIVE, Verdict.UNSUPPORTED})


@dataclass(frozen=True)
class Loaded:
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


class Vectors:
    """The vectors of one operator.

    Attributes:
        target: domain and operator.
        by_id: each vector.
    """

    def __init__(self, folder: Path, domain: str, operator: str) -> None:
        """Read the vectors of an operator from a folder, but for those of large tensors.

        Oracles take long for these, and what they are for are faults of size (`sizes`).
        """
        self.target = (domain, operator)
        self.by_id: dict[str, Loaded] = {}
        for entry in entries_of(folder).get(slug_of(domain, operator), ()):
            if not is_of_sizes(entry):
                self.by_id[entry.id] = loaded_of(entry)


def entries_of_sizes(folder: Path, domain: str, operator: str) -> tuple[Entry, ...]:
    """The vectors of an operator that are about the sizes of tensors."""
    entries = entries_of(folder).get(slug_of(domain, operator), ())
    return tuple(entry for entry in entries if is_of_sizes(entry))


def is_of_sizes(vector: Entry | Listed) -> bool:
    """Whether a vector is of the family `sizes`, as its case says; none of these is invalid."""
    return vector.kind is not Kind.INVALID and vector.id.split("/")[1].startswith(_SIZES)


def operators_of(folder: Path) -> list[str]:
    """The operators that have vectors in a folder and an oracle, such as `ai.onnx.ml:Scaler`."""
    known = entries_of(folder)
    return [
        name_of(domain, operator)
        for domain, operator in module_of()
        if slug_of(domain, operator) in known
    ]


@cache
def entries_of(folder: Path) -> Mapping[str, Sequence[Entry]]:
    """The vectors of a folder by operator, read once: a folder is not written while it is read.

    What is read before processes are forked is known to all of them.
    """
    found: dict[str, list[Entry]] = {}
    for entry in open_corpus(folder).entries.values():
        found.setdefault(entry.operator_version.rpartition("-")[0], []).append(entry)
    return found


def loaded_of(entry: Entry) -> Loaded:
    """A vector, read, with its model."""
    loaded = load(entry)
    return loaded_from(loaded.vector, loaded.files, loaded.directory)


def loaded_from(vector: Vector, files: Mapping[str, bytes], directory: Path | None) -> Loaded:
    """A vector with its model, from its files; those of external data are in the directory."""
    read = None
    try:
        proto = onnx.ModelProto.FromString(files["model.onnx"])
        model: Any = read_model(proto, directory)
        read = model
        check_model(model, installed_signatures())
    except RefusedError as error:
        model = error
    return Loaded(
        vector,
        data_sets_of(vector, files, vector.id),
        permitted_outputs_of(vector, files, vector.id),
        model,
        read,
    )


def outputs_of(loaded: Loaded, session: Session) -> Outputs:
    """What a session returns for the data sets of a vector."""
    results = []
    for data_set in loaded.data_sets:
        outputs = session.run({item.name: item.value for item in data_set.inputs})
        values = tuple(NamedValue(name, outputs[name]) for name in loaded.vector.outputs)
        for item in values:
            if isinstance(item.value, Tensor):
                check_tensor(item.value)
        results.append(values)
    return Outputs(tuple(results))


def observation_of(error: Exception) -> Observation | None:
    """What a host sees of a backend in which this is raised; None of what is no such error."""
    if isinstance(error, RefusedError):
        return Rejected(Phase(error.phase), str(error))
    if isinstance(error, NoOracleError):
        return Unsupported(str(error))
    if isinstance(error, TookTooLongError):
        return TimedOut(DEADLINE)
    if isinstance(error, BadInputError):
        return ProtocolBroken(str(error), absurd_output=True)
    return None


def judged(loaded: Loaded, observation: Observation) -> Judgement:
    """What the validator says of an observation, a control left aside."""
    given = loaded.vector, loaded.data_sets, loaded.permitted
    try:
        return judge(*given, observation)
    except Exception:
        # Something that is no value at all, which a child process could not even send.
        return judge(*given, ProtocolBroken("no value", absurd_output=True))


def settled(
    vectors: Vectors, identity: str, judgement_of: Callable[[Loaded], Judgement]
) -> Judgement:
    """What the validator says of a vector: a refusal counts only where the control passes."""
    loaded = vectors.by_id[identity]
    judgement = judgement_of(loaded)
    if judgement.verdict is not Verdict.PASS or loaded.vector.control is None:
        return judgement
    control = vectors.by_id.get(loaded.vector.control)
    return settle(
        loaded.vector, judgement, None if control is None else judgement_of(control).verdict
    )


def is_noticed(judgement: Judgement) -> bool:
    """Whether a judgement tells a backend from a correct one."""
    return judgement.verdict not in _UNNOTICED
