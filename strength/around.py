"""Measures runtimes that are wrong around the operators: which operators' vectors catch each."""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter import running
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import compute

from .evidence import Evidence, entries_of
from .optimizers import innocents, ints, optimizers
from .surroundings import all_faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from onnx_conformance.generators.oracle.registry import Call, Result

    from .surroundings import Fault

_PLAIN = (int, float, str, bytes, tuple, Tensor)


@dataclass(frozen=True)
class Convictions:
    """What became of one runtime.

    Attributes:
        name, summary: of it.
        first: by operator, the first vector that catches it.
    """

    name: str
    summary: str
    first: tuple[tuple[str, str], ...]


def measure_around(
    operators: Sequence[str], vectors: Path, jobs: int, enough: int = sys.maxsize
) -> Iterator[Convictions]:
    """Put every runtime of `surroundings` before the vectors of some operators.

    Args:
        operators: as `--operator` names them.
        vectors: the folder that has them.
        jobs: processes, each with operators of its own.
        enough: how many operators convict a runtime before no more are asked, about.
    """
    faults = list(all_faults())
    convicted: list[list[tuple[str, str]]] = [[] for _ in faults]
    step = len(operators) if enough >= len(operators) else jobs
    for at in range(0, len(operators), max(1, step)):
        left = frozenset(index for index, found in enumerate(convicted) if len(found) < enough)
        some = operators[at : at + step]
        for name, firsts in zip(some, _of_operators(some, vectors, jobs, left), strict=True):
            for index, identity in firsts.items():
                convicted[index].append((name, identity))
    for fault, found in zip(faults, convicted, strict=True):
        yield Convictions(fault.name, fault.summary, tuple(found))


def _of_operators(
    operators: Sequence[str], vectors: Path, jobs: int, asked: frozenset[int]
) -> list[dict[int, str]]:
    tasks = [(name, vectors, asked) for name in operators]
    if jobs < 2 or len(tasks) < 2:
        return [_of_operator(*task) for task in tasks]
    entries_of(vectors)  # read once, and inherited
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        return pool.starmap(_of_operator, tasks, chunksize=1)


#: The subjects of whole models, which optimizers are put before: they need more than one node.
SUBJECTS = ("Graphs", "IR")
# A vector whose inputs ask for so many elements takes seconds, and comes last.
_MANY = 2**20


def measure_optimizers(
    vectors: Path, faults: Iterable[Fault] | None = None
) -> Iterator[Convictions]:
    """Put runtimes of `optimizers` before whole models; those that are right come first.

    Args:
        vectors: the folder that has them.
        faults: other runtimes.
    """
    evidence = {name: Evidence(vectors, "", name) for name in SUBJECTS}
    ordered = {
        name: sorted(item.exhibits, key=lambda identity: (_is_costly(item, identity), identity))
        for name, item in evidence.items()
    }
    if not any(ordered.values()):
        return
    for fault in [*innocents(), *optimizers()] if faults is None else faults:
        firsts = ((name, _first(evidence[name], ordered[name], fault)) for name in SUBJECTS)
        yield Convictions(fault.name, fault.summary, tuple(item for item in firsts if item[1]))


def _is_costly(evidence: Evidence, identity: str) -> bool:
    values = (item.value for run in evidence.exhibits[identity].data_sets for item in run.inputs)
    return any(math.prod(ints(value)) > _MANY for value in values)


def _of_operator(name: str, vectors: Path, asked: frozenset[int]) -> dict[int, str]:
    """The first vector of an operator that catches a runtime, by the runtime's number."""
    domain, _, operator = name.rpartition(":")
    evidence = Evidence(vectors, domain, operator)
    # What is around an operator shows in the forms, so these come first.
    ordered = sorted(
        evidence.exhibits,
        key=lambda item: (evidence.exhibits[item].vector.form == "static", item),
    )
    with _answered_once():
        found = {
            index: _first(evidence, ordered, fault)
            for index, fault in enumerate(all_faults())
            if index in asked
        }
    return {index: identity for index, identity in found.items() if identity}


@contextlib.contextmanager
def _answered_once() -> Iterator[None]:
    """Let the interpreter ask oracles once only: most runtimes make the same calls.

    Not where an attribute is a graph or a program, which is more than it shows.
    """
    known: dict[Any, Result | Exception] = {}

    def answer(call: Call) -> Result:
        if not all(isinstance(item, _PLAIN) for item in call.attributes.values()):
            return compute(call)
        key = (
            (call.domain, call.operator, call.since_version, call.outputs),
            tuple((name, repr(item)) for name, item in sorted(call.attributes.items())),
            tuple(call.inputs.items()),
            tuple(sorted(call.readings.items())),
        )
        try:
            is_known = key in known
        except TypeError:
            return compute(call)  # a map has no hash
        if not is_known:
            try:
                known[key] = compute(call)
            except (InvalidCallError, BadInputError, OpenError) as error:
                known[key] = error
        result = known[key]
        if isinstance(result, Exception):
            raise result.with_traceback(None)
        return result

    before = running.compute
    running.compute = answer
    try:
        yield
    finally:
        running.compute = before


def _first(evidence: Evidence, ordered: Sequence[str], fault: Fault) -> str:
    return next((item for item in ordered if evidence.convicts(item, fault)), "")
