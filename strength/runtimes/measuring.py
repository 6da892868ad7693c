"""Puts runtimes before the vectors of a corpus: which vector notices each first."""

from __future__ import annotations

import contextlib
import multiprocessing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onnx_conformance.core.errors import BadInputError, IncompleteError
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter import running
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, Result, compute

from ..names import split_name
from ..vectors import Vectors, operators_of
from .index import correct_runtimes, wrong_runtimes
from .judging import is_quick, notices
from .registry import Runtime

#: Whole models, which show most of what is around operators.
MODELS = ("Graphs", "IR")
#: Operators whose vectors are quick and show much; others come after them.
FIRST = (
    *("Identity", "Shape", "Size", "Reshape", "Concat", "Gather", "Slice", "Transpose", "Split"),
    *("Squeeze", "Constant", "If", "Loop", "ReduceProd", "Clip", "Cast", "ai.onnx.ml:LabelEncoder"),
)
_PLAIN = (int, float, str, bytes, tuple, Tensor)


@dataclass(frozen=True)
class Noticed:
    """What became of one runtime: the first vector that tells it from a right one, or ''."""

    runtime: Runtime
    vector: str


def measure_runtimes(
    folder: Path, runtimes: Sequence[Runtime], jobs: int, operators: Sequence[str] = ()
) -> Iterator[Noticed]:
    """Each runtime with the first vector that notices it, as they are found; the others last.

    Args:
        folder: the vectors.
        runtimes: what is put before them.
        jobs: processes.
        operators: of which there are vectors, in the order in which they are tried; all of them
            where none is named.

    Raises IncompleteError where there is no vector.
    """
    subjects = list(operators) or _ordered(folder)
    left = list(runtimes)
    tried = 0
    for name in subjects:
        vectors = Vectors(folder, *split_name(name))
        tried += len(vectors.by_id)
        found = _of_operator(vectors, left, jobs) if vectors.by_id and left else {}
        yield from (Noticed(left[at], vector) for at, vector in found.items())
        left = [item for at, item in enumerate(left) if at not in found]
    if not tried:
        raise IncompleteError(f"{folder} has no vector of {', '.join(subjects) or 'an operator'}")
    yield from (Noticed(item, "") for item in left)


def measure_all(folder: Path, jobs: int, operators: Sequence[str] = ()) -> Iterator[Noticed]:
    """Every wrong runtime, and those that are right, before whole models alone.

    Where operators are named these are tried on everything that is named.
    """
    yield from measure_runtimes(folder, wrong_runtimes(), jobs, operators)
    yield from measure_runtimes(folder, correct_runtimes(), jobs, operators or MODELS)


def _ordered(folder: Path) -> list[str]:
    first = [*MODELS, *FIRST]
    return [*first, *(name for name in operators_of(folder) if name not in first)]


@dataclass
class _Shared:
    """What the processes of a pool inherit by fork."""

    vectors: Vectors
    ordered: Sequence[str]
    runtimes: Sequence[Runtime]


_SHARED: list[_Shared] = []


def _of_operator(vectors: Vectors, runtimes: Sequence[Runtime], jobs: int) -> dict[int, str]:
    """The first vector that notices a runtime, by the runtime's number."""
    # What is around an operator shows in the forms, so these come first.
    ordered = sorted(
        vectors.by_id, key=lambda item: (vectors.by_id[item].vector.form == "static", item)
    )
    with _answered_once():
        quick = {item for item in ordered if is_quick(vectors, item)}
        # What takes long comes last, and of operators not at all: they have others like it.
        slow = [it for it in ordered if it not in quick and vectors.target[1] in MODELS]
        some = [*(item for item in ordered if item in quick), *slow]
        _SHARED[:] = [_Shared(vectors, some, runtimes)]
        places = range(len(runtimes))
        if jobs < 2 or len(runtimes) < 2 * jobs:
            firsts = list(map(_first, places))
        else:
            with multiprocessing.get_context("fork").Pool(jobs) as pool:
                firsts = pool.map(_first, places, chunksize=4)
    return {at: vector for at, vector in enumerate(firsts) if vector}


def _first(place: int) -> str:
    shared = _SHARED[0]
    runtime = shared.runtimes[place]
    return next((it for it in shared.ordered if notices(shared.vectors, it, runtime)), "")


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

    before = running.compute  # type: ignore[attr-defined]
    running.compute = answer  # type: ignore[attr-defined]
    try:
        yield
    finally:
        running.compute = before  # type: ignore[attr-defined]
