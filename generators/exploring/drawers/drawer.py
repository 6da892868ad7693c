"""The drawer of signatures: types, values and the form independent of shapes and attributes."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from onnx_conformance.core.values.tensors import Tensor

from ...specs.model import CorpusFacts, OperatorVersion, Spec
from ..calls import DrawnCall
from ..corpus import bases_of
from ..drawing import NotDrawnError, chance_of
from ..simplifying import simpler_calls
from .recast import recast
from .sketch import Sketch
from .table import function_of

if TYPE_CHECKING:
    import random


# Forms that can present nearly any call; which one cannot, is drawn without it.
_FORMS = (
    "symbolic",
    "unknown_rank",
    "initializer",
    "all_initializers",
    "constant",
    "if_branch",
    "loop_body",
    "function",
    "produced",
    "consumed",
    "data_sets",
)
_IN_A_FORM = 0.35


class SignatureDrawer:
    """Draws calls of an operator version from its signature."""

    def draw(self, subject: str, seed: int, index: int, attempt: int = 0) -> DrawnCall:
        """See `drawing.Drawer`."""
        chance = chance_of("signature", subject, seed, index, attempt)
        bases = bases_of(subject.rpartition("-")[0])
        ids = sorted(bases.plans.get(subject, ()))
        if not ids:
            raise NotDrawnError(f"the corpus has no vector of {subject}")
        plan = bases.plans[subject][ids[0]]
        place = function_of(plan.spec.domain, plan.spec.operator)
        if place is None:
            call = recast(bases.call(chance.choice(ids)), chance)
        else:
            call = _sketched(place, plan.spec, bases.facts, plan.version, chance)
        form = chance.choice(_FORMS) if attempt % 2 == 0 and chance.random() < _IN_A_FORM else ""
        choices = (*call.choices, *([f"form {form}"] if form else []))
        return replace(call, form=form or "static", choices=choices or ("ordinary values",))

    def simpler(self, drawing: DrawnCall) -> Sequence[DrawnCall]:
        """See `drawing.Drawer`."""
        return simpler_calls(drawing)


def _sketched(
    place: tuple[str, str],
    spec: Spec,
    facts: CorpusFacts,
    version: OperatorVersion,
    chance: random.Random,
) -> DrawnCall:
    """A call that a family draws."""
    module, name = place
    sketch = Sketch(spec, version, chance)
    getattr(importlib.import_module(f".{module}", __package__), name)(sketch)
    kinds = sorted({v.type for v in sketch.inputs.values() if isinstance(v, Tensor)})
    opset = (
        chance.randint(version.since_version, version.last_opset)
        if chance.random() < 0.2
        else version.last_opset
    )
    call = DrawnCall(
        spec=spec,
        facts=facts,
        version=version,
        operator_opset=opset,
        types=sketch.types,
        attributes=tuple(sketch.attributes.values()),
        inputs=sketch.named(),
        requested=sketch.requested,
        choices=(f"types {', '.join(kinds)}", *dict.fromkeys(sketch.choices)),
    )
    return call.bound()
