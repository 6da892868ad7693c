"""Mutants that the corpus leaves alive, before calls that exploration draws.

A mutant is a wrong runtime that the vectors let pass. How many of these exploration finds in so
many calls says what exploring adds to the corpus; each call that tells one apart is a case to
promote. The calls are judged as vectors are, with the readings that specs state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from onnx_conformance.core.exploring.ids import ExploredId
from onnx_conformance.generators.exploring.calls import DrawnCall
from onnx_conformance.generators.exploring.corpus import chosen
from onnx_conformance.generators.exploring.installed import InstalledExplorer

from ..deadlines import deadline
from ..guarding import Progress, guarded
from ..mutants.mutant import Mutant
from ..names import name_of, slug_of
from ..vectors import Loaded, is_noticed, judged, loaded_from
from .comparing import differs
from .judged_vectors import observed
from .own_oracle import OwnOracle
from .question import Question
from .tracing import counted

# The drawers that take turns: calls from the signature, and edits of vectors.
_LETTERS = "ds"
# Seconds of the processor that an oracle may take for a call.
_LONGEST = 2.0


@dataclass(frozen=True)
class Explored:
    """What became of some mutants of an operator.

    Attributes:
        name: of the operator, with its domain.
        calls: how many calls each was tried on at most.
        mutants: how many were tried.
        killed: of those that a call tells from the oracle its name, and the call's id.
    """

    name: str
    calls: int
    mutants: int
    killed: Mapping[str, str]


def explored(
    target: tuple[str, str], mutants: Sequence[Mutant], seed: int, count: int, jobs: int = 1
) -> Explored:
    """Put drawn calls before mutants of an operator.

    Args:
        target: domain and operator.
        mutants: what is tried.
        seed: what the calls are drawn from.
        count: how many are drawn.
        jobs: processes.
    """
    domain, operator = target
    name = name_of(domain, operator)
    drawn = list(_drawn(target, seed, count))

    def work(mutant: Mutant, progress: Progress) -> str:
        answer = mutant.make()
        for number, (question, loaded) in enumerate(drawn):
            progress.note(1, number)
            if not differs(question, answer, question.patience):
                continue
            if is_noticed(judged(loaded, observed(loaded, target, answer, question.patience))):
                return loaded.vector.id
        return ""

    def died(_mutant: Mutant, place: tuple[int, int]) -> str:
        return drawn[place[1]][1].vector.id

    found = guarded(work, mutants, jobs, died) if drawn else []
    killed = {item.name: by for item, by in zip(mutants, found, strict=False) if by}
    return Explored(name, len(drawn), len(mutants), killed)


def drawn_ids(slug: str, seed: int, count: int) -> Iterator[ExploredId]:
    """The ids of calls of an operator: every other one of its newest version, drawers in turn."""
    (versions,) = chosen([slug]).values()
    for number in range(count):
        turn, odd = divmod(number, 2)
        subject = versions[turn % len(versions)] if odd else versions[0]
        yield ExploredId(subject, _LETTERS[turn % 2], seed, number)


def _drawn(target: tuple[str, str], seed: int, count: int) -> Iterator[tuple[Question, Loaded]]:
    """The calls that documents permit, with what may be answered, and their vectors."""
    explorer = InstalledExplorer()
    for identity in drawn_ids(slug_of(*target), seed, count):
        drawing = explorer.drawing(identity)
        if isinstance(drawing, DrawnCall):
            found = _asked(drawing, str(identity), OwnOracle(*target))
            if found is not None:
                yield found


def _asked(drawing: DrawnCall, identity: str, oracle: OwnOracle) -> tuple[Question, Loaded] | None:
    """A call with what may be answered, and its vector; None where nobody knows that in time."""
    try:
        with deadline(_LONGEST), counted() as trace:
            call = drawing.asked()
            permitted = tuple(oracle.permitted(call))
        made = drawing.made(identity)
    except Exception:
        return None  # refused, or an oracle that stumbles: `onnx-validate explore` shows that
    question = Question(call, permitted, trace.steps)
    return question, loaded_from(made.vector, made.files, None)
