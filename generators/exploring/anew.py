"""Vectors of the corpus with their derived inputs drawn anew, from the same profiles.

Where a spec writes only the dimensions of an input, its elements are derived from the vector's id:
another seed gives others that the case says as much of. Whoever has memorized the corpus, or was
tuned to it, does not know them. Values that a spec writes out stay.
"""

from __future__ import annotations

from dataclasses import dataclass

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.exploring.explorer import Explored, Refusal
from onnx_conformance.core.text import one_line

from ..corpus.building import Built, build
from ..planning.plans import Plan
from ..situations.making import Situations
from ..situations.permitting.deadlines import OutOfTimeError, deadline
from .corpus import bases_of

#: Of the processor, for one vector: some of the corpus take long.
_SECONDS = 60.0


@dataclass(frozen=True)
class FreshPlan(Plan):
    """A plan whose derived inputs follow from another seed as well."""

    fresh: str = ""

    def seed(self, data_set: int) -> str:
        """The seed of the elements of a data set."""
        return f"{self.fresh} {super().seed(data_set)}"


def fresh_vector(vector_id: str, seed: str) -> Explored:
    """A vector with its derived inputs drawn anew; see `core.exploring.explorer.Explorer`."""
    bases = bases_of(vector_id.split("/", 1)[0].rpartition("-")[0])
    plan = bases.every.get(vector_id)
    if plan is None:
        raise BadInputError(f"'{vector_id}' is no vector of an operator")
    known = build(plan, bases.facts, Situations(bases.facts))
    message = ""
    try:
        with deadline(_SECONDS):
            built = build(_fresh(plan, seed), bases.facts, Situations(bases.facts))
    except OutOfTimeError:
        built, message = known, f"the oracle takes more than {_SECONDS:g} s for other values"
    except (BadInputError, ArithmeticError, ValueError) as error:
        built, message = known, one_line(str(error), 300)
    if built.vector.kind != known.vector.kind:
        built, message = known, "with other values more or less is left open"
    return _explored(vector_id, built, message, anew=built.files != known.files)


def _explored(vector_id: str, built: Built, message: str, *, anew: bool) -> Explored:
    return Explored(
        vector_id,
        built.vector.operator,
        edits=("inputs drawn anew",) if anew else (),
        kind=built.vector.kind.value,
        files=built.files,
        message=message,
        refusal=None if built.files else Refusal.NOTHING,
    )


def _fresh(plan: Plan, seed: str) -> FreshPlan:
    """The same plan with another seed; its id and all else stay."""
    found = object.__new__(FreshPlan)
    vars(found).update({**vars(plan), "fresh": seed})
    return found
