"""The core of the corpus: the vectors in git, for people to browse and for plain runners."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import Kind

from ..forms import STATIC_FORM

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .plans import Plan

OF_EACH_KIND = 3


def core_ids(planned: Sequence[Plan]) -> frozenset[str]:
    """The ids, among the vectors of one operator, that belong to the core, with their controls.

    It has every documented example at its newest version, and of each kind the first few cases at
    the newest version, each in the plain form.
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
        chosen.update({plan.id: plan for plan in _first_cases(plain, kind)})
    controls = {plan.control for plan in chosen.values() if plan.control is not None}
    return frozenset(chosen) | controls


def _first_cases(plain: Iterable[Plan], kind: Kind) -> Iterable[Plan]:
    """The first vector of each of the first few cases of a kind at the newest version."""
    of_kind = [plan for plan in plain if plan.kind == kind and plan.case.documented is None]
    if not of_kind:
        return ()
    newest = max(plan.version.since_version for plan in of_kind)
    first: dict[str, Plan] = {}
    for plan in of_kind:
        if plan.version.since_version == newest:
            first.setdefault(plan.case.id, plan)
    return tuple(first.values())[:OF_EACH_KIND]
