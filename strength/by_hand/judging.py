"""Judges a backend on a corpus in this process: fast enough for every mutant on every vector.

Judging is the validator's: `judge` and, for rejections, `settle`. What a backend does is turned
into the observation that the validator would have had of a child process that does the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.vectors import MODEL_FILE
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import NamedValue, Tensor, check_tensor
from onnx_conformance.validator.host.preparing import Preparer
from onnx_conformance.validator.host.protocol import Description
from onnx_conformance.validator.host.requests import Request
from onnx_conformance.validator.judging.judge import judge, settle
from onnx_conformance.validator.judging.verdicts import (
    Crashed,
    HarnessError,
    Outputs,
    ProtocolBroken,
    Rejected,
    TimedOut,
    Unsupported,
    Verdict,
)
from onnx_conformance.validator.running.planning import make_plan

from .outcomes import CrashError, HangError, NotImplementedHereError, RefusedError
from .program import operators_of, read_program
from .registry import touched_operators

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from onnx_conformance.core.corpus.corpus import Corpus
    from onnx_conformance.validator.host.preparing import Expectation
    from onnx_conformance.validator.judging.verdicts import Observation

    from .backend import Backend, Value
    from .program import Program

# Seconds for one vector, as a validator would have given up on it.
DEADLINE = 3.0


@dataclass(frozen=True)
class Exhibit:
    """A vector, ready to be shown to any number of backends in this process."""

    id: str
    expectation: Expectation
    program: Program
    operators: frozenset[str]
    fed: tuple[dict[str, Any], ...]
    control: str | None


@dataclass(frozen=True)
class Trial:
    """Exhibits in the order of a run, and what a correct backend does with each."""

    exhibits: tuple[Exhibit, ...]
    correct: Mapping[str, object]


def open_trial(corpus: Corpus, innocent: Backend) -> Trial:
    """All vectors, and what a correct backend does; BadInputError where one is unusable."""
    plan = make_plan(corpus, tuple(corpus.entries.values()))
    prepare = Preparer(plan.entries)
    description = Description("by hand", "1", "path")
    exhibits = []
    for vector_id in plan.entries:
        request = prepare(vector_id, description)
        if not isinstance(request, Request):
            raise BadInputError(f"vector '{vector_id}': {request.problem}")
        expectation: Expectation = request.context
        program = read_program((Path(expectation.location) / MODEL_FILE).read_bytes())
        exhibits.append(
            Exhibit(
                vector_id,
                expectation,
                program,
                operators_of(program),
                tuple(
                    {item.name: item.value for item in data_set.inputs}
                    for data_set in expectation.data_sets
                ),
                plan.control_of.get(vector_id),
            )
        )
    correct = {exhibit.id: outcome(innocent, exhibit) for exhibit in exhibits}
    return Trial(tuple(exhibits), correct)


def verdicts(trial: Trial, backend: Backend) -> dict[str, Verdict]:
    """The verdict of every vector that does not pass, by id, in the order of the run.

    What equals the correct backend's outcome passes, as that passes everything.
    """
    found: dict[str, Verdict] = {}
    touched = touched_operators(type(backend))
    for exhibit in trial.exhibits:
        known = touched.isdisjoint(exhibit.operators)
        result = trial.correct[exhibit.id] if known else outcome(backend, exhibit)
        if result == trial.correct[exhibit.id]:
            if exhibit.control in found and exhibit.expectation.vector.kind == "invalid":
                found[exhibit.id] = Verdict.INCONCLUSIVE
            continue
        verdict = _judged(exhibit, result, found)
        if verdict is not Verdict.PASS:
            found[exhibit.id] = verdict
    return found


def own_verdicts(trial: Trial) -> dict[str, Verdict]:
    """The verdicts on the correct outcomes themselves, where they are not a pass."""
    found: dict[str, Verdict] = {}
    for exhibit in trial.exhibits:
        verdict = _judged(exhibit, trial.correct[exhibit.id], found)
        if verdict is not Verdict.PASS:
            found[exhibit.id] = verdict
    return found


def convicts(verdict: Verdict) -> bool:
    """Whether a verdict shows a bug: a rejection without a valid control shows nothing."""
    return verdict not in {Verdict.PASS, Verdict.INCONCLUSIVE}


def _judged(exhibit: Exhibit, result: object, found: Mapping[str, Verdict]) -> Verdict:
    expectation = exhibit.expectation
    judgement = judge(
        expectation.vector, expectation.data_sets, expectation.permitted, _observation(result)
    )
    if expectation.vector.kind != "invalid":
        return judgement.verdict
    control = None if exhibit.control is None else found.get(exhibit.control, Verdict.PASS)
    return settle(expectation.vector, judgement, control).verdict


def outcome(backend: Backend, exhibit: Exhibit) -> object:
    """What a backend does: outputs as (type, dims, data), or the name of another end.

    Two outcomes that are equal have equal verdicts.
    """
    names = exhibit.expectation.vector.outputs
    try:
        session = backend.load(exhibit.program)
        return [[plain(item) for item in backend.run(session, fed, names)] for fed in exhibit.fed]
    except RefusedError as error:
        return ("rejected", error.phase)
    except NotImplementedHereError:
        return ("unsupported",)
    except CrashError:
        return ("crashed",)
    except HangError:
        return ("timed out",)
    except Exception as error:
        # No bug that anybody meant: reports show it as the mutant's own failure.
        return ("error", f"{type(error).__name__}: {error}")


def plain(value: Value) -> object:
    """A value that compares fast: for a tensor, its type, dimensions and data."""
    return (value.type, value.shape, value.data) if isinstance(value, Tensor) else value


def _observation(result: Any) -> Observation:  # noqa: ANN401  what `outcome` returns
    """What the validator would have seen of a child that does this."""
    if isinstance(result, list):
        return _outputs(result)
    kind, *rest = result
    ends: dict[str, Observation] = {
        "unsupported": Unsupported("not implemented"),
        "crashed": Crashed("signal SIGABRT"),
        "timed out": TimedOut(DEADLINE),
    }
    if kind == "rejected":
        return Rejected(rest[0], "refused")
    return ends.get(kind) or HarnessError(str(rest))


def _outputs(result: Sequence[Sequence[Any]]) -> Observation:
    data_sets = []
    for values in result:
        named = []
        for item in values:
            value = Tensor(*item) if isinstance(item, tuple) else item
            if isinstance(value, Tensor):
                try:
                    check_tensor(value)
                except BadInputError as error:
                    return ProtocolBroken(str(error))
            named.append(NamedValue("", value))
        data_sets.append(tuple(named))
    return Outputs(tuple(data_sets))
