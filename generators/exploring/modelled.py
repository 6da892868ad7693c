"""The drawer of models: a use of a user's model with one to six changes, drawn at random.

Its ids name a model only together with the file: whoever draws one again must have it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.models.attributes import KindOf, value_of
from onnx_conformance.core.models.listing import list_uses
from onnx_conformance.core.models.schemas import domain_of

from ..cutting.cutting import Options, cut_model
from ..cutting.questions import Question, version_of
from ..specs.model import GivenAttribute
from .calls import DrawnCall
from .corpus import bases_of, has_vectors
from .drawing import NotDrawnError, chance_of
from .editing import Pool, edited
from .simplifying import simpler_calls

# Work of the oracle for a use: far less than a vector of its own may take, as many are drawn.
_WORK = 1_500


class ModelDrawer:
    """Draws edits of the ways in which a model uses operators."""

    def __init__(self, path: Path) -> None:
        """Cut the model; BadInputError if the file holds none."""
        self._calls: dict[str, list[DrawnCall]] = {}
        for item in cut_model(list_uses(path), Options(work=_WORK)).vectors:
            subject = item.use.operator_version
            if item.vector.compared or not has_vectors(subject.rpartition("-")[0]):
                continue
            call = _call(item.answered.question, item.answered.types)
            if call is not None:
                self._calls.setdefault(subject, []).append(call)

    @property
    def subjects(self) -> Mapping[str, Sequence[str]]:
        """By operator as in ids, its versions that the model uses."""
        found: dict[str, list[str]] = {}
        for subject in self._calls:
            found.setdefault(subject.rpartition("-")[0], []).append(subject)
        return found

    def draw(self, subject: str, seed: int, index: int, attempt: int = 0) -> DrawnCall:
        """See `drawing.Drawer`."""
        if subject not in self._calls:
            raise NotDrawnError(f"the model does not use {subject}")
        call = chance_of("use", subject, seed, index).choice(self._calls[subject])
        bases = bases_of(subject.rpartition("-")[0])
        ids = sorted(bases.plans.get(subject, ()))
        if not ids:
            raise NotDrawnError(f"the corpus has no vector of {subject}")
        chance = chance_of("model", subject, seed, index, attempt)
        return edited(call, chance, Pool(bases, ids))

    def simpler(self, drawing: DrawnCall) -> Sequence[DrawnCall]:
        """See `drawing.Drawer`."""
        return simpler_calls(drawing)


def _call(question: Question, types: Mapping[str, str]) -> DrawnCall | None:
    """A question as a call; None where it has an attribute that no edit knows, as a subgraph."""
    node = question.node
    values = [(item.name, value_of(item)) for item in node.attribute]
    if any(isinstance(value, KindOf) for _, value in values):
        return None
    domain = domain_of(node.domain)
    facts, spec, version = version_of(domain, node.op_type, question.imports[domain])
    if any(name not in version.attributes for name, _ in values):
        return None
    try:
        return DrawnCall(
            spec=spec,
            facts=facts,
            version=version,
            operator_opset=question.imports[domain],
            types=types,
            attributes=tuple(
                GivenAttribute(name, value, version.attributes[name].type) for name, value in values
            ),
            inputs=tuple(item for item, _ in question.inputs),
            requested=tuple(name for name in node.output if name),
        ).bound()
    except BadInputError:
        return None
