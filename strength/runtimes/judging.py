"""What the validator's judge says of a vector in a runtime that is wrong around the operators."""

from __future__ import annotations

import time
from pathlib import Path

from onnx_conformance.core.corpus.vectors import Phase
from onnx_conformance.generators.interpreter import installed_signatures
from onnx_conformance.generators.interpreter.outcomes import RefusedError
from onnx_conformance.validator.judging.verdicts import (
    Crashed,
    Judgement,
    Observation,
    Outputs,
    Rejected,
    TimedOut,
)

from ..deadlines import deadline
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
from .registry import CORRECT, Runtime
from .steps import CrashError, HangError

_RIGHT = Runtime(CORRECT, "the plain one", "The interpreter of models as it is.")
_FOLDER = Path(__file__).parent
# Seconds of the processor; a vector that takes the right runtime longer is slow.
_QUICK = 0.05


class MistakeError(Exception):
    """A wrong runtime that is not wrong as it should be: its own code fails."""


def _is_mistake(error: Exception) -> bool:
    """Whether an error comes out of the code of a wrong runtime itself."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is not None and Path(last.tb_frame.f_code.co_filename).is_relative_to(_FOLDER)


def notices(vectors: Vectors, identity: str, runtime: Runtime) -> bool:
    """Whether a vector tells a runtime from a right one."""
    return is_noticed(settled(vectors, identity, lambda it: _judged(it, runtime)))


def is_quick(vectors: Vectors, identity: str) -> bool:
    """Whether a vector takes little time; ValueError if it judges the right runtime wrong."""
    begun = time.process_time()
    if notices(vectors, identity, _RIGHT):
        raise ValueError(f"{identity} judges a runtime wrong that is right")
    return time.process_time() - begun < _QUICK


def _judged(loaded: Loaded, runtime: Runtime) -> Judgement:
    return judged(loaded, _observed(loaded, runtime))


def _observed(loaded: Loaded, runtime: Runtime) -> Observation:
    if loaded.read is None and isinstance(loaded.model, RefusedError):
        return Rejected(Phase(loaded.model.phase), str(loaded.model))
    try:
        with deadline(DEADLINE):
            return _run(loaded, runtime)
    except Exception as error:
        return _seen(loaded, runtime, error)


def _seen(loaded: Loaded, runtime: Runtime, error: Exception) -> Observation:
    """What a host sees of the runtime; MistakeError where it is wrong in no way that was meant."""
    if isinstance(error, HangError):
        return TimedOut(DEADLINE)
    if isinstance(error, CrashError):
        return Crashed(str(error))
    known = observation_of(error)
    if known is not None:
        return known
    if loaded.vector.kind == "valid" and _is_mistake(error):
        raise MistakeError(f"'{runtime.name}' stumbles over itself: {error!r}") from error
    # Stumbling is how many runtimes refuse.
    return Rejected(Phase.RUN, f"{type(error).__name__}: {error}")


def _run(loaded: Loaded, runtime: Runtime) -> Outputs:
    if loaded.read is None:
        raise ValueError("nothing was read")
    signatures = installed_signatures()
    if isinstance(loaded.model, RefusedError):
        runtime.checker(loaded.read, signatures).check()
    return outputs_of(loaded, runtime.session(loaded.read, signatures))
