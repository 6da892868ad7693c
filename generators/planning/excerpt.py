"""The excerpt of the corpus: the vectors in git, for people to browse and for plain runners."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from onnx_conformance.core.corpus.vectors import Kind

from ..families.kinds.sizes import SIZES
from ..forms import STATIC_FORM
from .plans import Plan

OF_EACH_KIND = 3


def excerpt_ids(planned: Sequence[Plan], listed: Collection[str] = ()) -> frozenset[str]:
    """The ids, among the vectors of one operator, that belong to the excerpt, with their controls.

    It has every documented example at its newest version, and of each kind a few cases at the
    newest version, each in the plain form: those that the excerpt has already, and where they are
    fewer the first of the spec. So a case that is put before others takes no place from them.
    Large tensors are in the standard corpus alone.

    Args:
        planned: the vectors of the operator, in the order of its spec.
        listed: the ids that the excerpt has.
    """
    plain = [
        plan
        for plan in planned
        if plan.form == STATIC_FORM and plan.operator_opset == plan.version.since_version
    ]
    chosen: dict[str, Plan] = {}
    newest: dict[str, Plan] = {}
    for plan in plain:
        if plan.case.documented is not None:
            newest.setdefault(plan.case.id, plan)
            if plan.version.since_version > newest[plan.case.id].version.since_version:
                newest[plan.case.id] = plan
    chosen.update({plan.id: plan for plan in newest.values()})
    for kind in Kind:
        chosen.update({plan.id: plan for plan in _few_cases(plain, kind, listed)})
    controls = {plan.control for plan in chosen.values() if plan.control is not None}
    return frozenset(chosen) | controls


def _few_cases(plain: Iterable[Plan], kind: Kind, listed: Collection[str]) -> Iterable[Plan]:
    """The first vector of each of a few cases of a kind at the newest version."""
    of_kind = [
        plan
        for plan in plain
        if plan.kind == kind and plan.case.documented is None and plan.case.family != SIZES
    ]
    if not of_kind:
        return ()
    newest = max(plan.version.since_version for plan in of_kind)
    first: dict[str, Plan] = {}
    for plan in of_kind:
        if plan.version.since_version == newest:
            first.setdefault(plan.case.id, plan)
    kept = [plan for plan in first.values() if plan.id in listed]
    others = [plan for plan in first.values() if plan.id not in listed]
    return (*kept, *others[: max(0, OF_EACH_KIND - len(kept))])
