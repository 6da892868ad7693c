"""Measures operators on a worker of a cluster: `python -m strength.renewing.answering`.

Each question is answered in a forked child, as in a renewal on one machine: mutants leave much
behind. What takes long to read and never changes is read before, once.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import signal
import sys
from multiprocessing import Pipe
from multiprocessing.connection import wait
from typing import IO, Any

from onnx_conformance.core.cluster.programs import read_frame, write_frame

from ..guarding import MEMORY
from .questions import Answer, Question, read_before


def main() -> int:
    """Answer until nobody asks any more."""
    with os.fdopen(os.dup(0), "rb") as questions, os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # what a mutant prints is no answer
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
        while (content := read_frame(questions)) is not None:
            answer = _answered(content, questions)
            if answer is None:
                break
            write_frame(answers, answer)
    return 0


def _answered(content: bytes, questions: IO[bytes]) -> bytes | None:
    """The answer, worked out in a forked child; None if nobody waits for it any more."""
    question: Question = pickle.loads(content)  # noqa: S301  of the machine whose code this is
    read_before(question.folders)
    ours, theirs = Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        _work(question, theirs)
    theirs.close()
    with ours:
        wait([ours, questions.fileno()])
        if not ours.poll():
            os.killpg(0, signal.SIGKILL)  # the worker is gone: with all that was started
        try:
            found = ours.recv_bytes()
        except EOFError:
            found = b""
    _, status = os.waitpid(child, 0)
    how = os.waitstatus_to_exitcode(status)
    return found or pickle.dumps(Answer(problem=f"the process that measures it ended: {how}"))


def _work(question: Question, answers: Any) -> None:  # noqa: ANN401  the end of a pipe
    """Call the function in the child; never returns."""
    code = 1
    try:
        try:
            answer = Answer(question.function(*question.arguments))
        except Exception as error:
            answer = Answer(problem=f"{type(error).__name__}: {error}")
        answers.send_bytes(pickle.dumps(answer))
        code = 0
    finally:
        with contextlib.suppress(OSError):
            sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
