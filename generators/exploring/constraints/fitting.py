"""Whether an edit of a call leaves together what belongs together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.values.tensors import Tensor

from ...oracle.arith.grid import grid_of
from ...situations.type_texts import is_sequence_of
from ...specs.model import GraphAttribute
from .attributes import attributes_fit, axes_fit, flags_fit
from .facts import AXES, INDICES, counts_of, keeps_width, names_of, tells_how, tensors_of, types_of
from .lists import (
    batches_fit,
    caches_fit,
    equation_fits,
    images_fit,
    joins_fit,
    keys_fit,
    lengths_fit,
    moves_fit,
    pads_fit,
    shape_fits,
)
from .shapes import ranks_fit, shapes_fit
from .totals import totals_fit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..calls import DrawnCall
    from .seen import Seen

_RULES = (
    lengths_fit,
    batches_fit,
    pads_fit,
    shape_fits,
    keys_fit,
    caches_fit,
    equation_fits,
    joins_fit,
    moves_fit,
)


def hangs_together(
    before: DrawnCall, after: DrawnCall, seen: Seen, *, shapes_follow: bool = False
) -> bool:
    """Whether an edit of a call leaves together what belongs together.

    Args:
        before: the call.
        after: the edited call.
        seen: what vectors have.
        shapes_follow: whether shapes that differ were changed by what follows from the edit, and
            not by the edit itself: the rules of lists and relations say whether they fit then.
    """
    old, new = tensors_of(before), tensors_of(after)
    return (
        _graphs_fit(before, after)
        and all(seen.permits_count(name, count) for name, count in counts_of(after).items())
        and (seen.permits_types(after) or types_of(before) == types_of(after))
        and (bool(after.inputs) or not before.inputs or names_of(after) in seen.alone)
        and (not seen.widths or keeps_width(after))
        and flags_fit(before, after, new)
        and totals_fit(before, after, old, new)
        and ranks_fit(before, old, new, seen)
        and _numbers_fit(before, old, new, shapes_follow=shapes_follow)
        and (shapes_follow or shapes_fit(before, old, new, seen))
        and attributes_fit(before, after, seen, shapes_follow=shapes_follow)
        and axes_fit(before, after, new)
        and _follows(before, after, seen)
        and _elements_fit(after, seen)
        and seen.of_operator.presence.kept(before, after)
        and seen.of_operator.relations.kept(before, after)
        and seen.of_operator.domains.kept(before, after)
    )


def _elements_fit(after: DrawnCall, seen: Seen) -> bool:
    """Whether sequences are of the type of what goes into them."""
    types = after.bound().types
    return all(is_sequence_of(types[one], types[other]) for one, other in seen.of_operator.elements)


def _follows(before: DrawnCall, after: DrawnCall, seen: Seen) -> bool:
    """Whether lists that followed from shapes still do."""
    return images_fit(before, after) and all(
        rule(after) or not rule(before) for rule in (*_RULES, *seen.of_operator.rules)
    )


def _graphs_fit(before: DrawnCall, after: DrawnCall) -> bool:
    """Where a subgraph declares what it takes: types and shapes stay."""
    if not any(isinstance(item.value, GraphAttribute) for item in before.attributes):
        return True
    return _declared(before) == _declared(after)


def _declared(call: DrawnCall) -> list[tuple[str, object]]:
    return [
        (item.name, (item.value.type, item.value.shape) if isinstance(item.value, Tensor) else None)
        for item in call.inputs
    ]


def _numbers_fit(
    before: DrawnCall, old: Mapping[str, Tensor], new: Mapping[str, Tensor], *, shapes_follow: bool
) -> bool:
    """Whether indices are between those that were there, and sizes not below 0 all at once."""
    shorter = not shapes_follow and any(
        name in old
        and any(size > other for size, other in zip(old[name].shape, item.shape, strict=False))
        for name, item in new.items()
    )
    for name, item in new.items():
        if name not in old or not all(tells_how(before, name, at) for at in (old[name], item)):
            continue
        were, are = grid_of(old[name]).items, grid_of(item).items
        if name in INDICES:
            outside = were and are and (min(are) < min(were) or max(are) > max(were))
            if outside or (shorter and are) or (are and not were):
                return False
        elif shapes_follow and name == "shape":
            continue  # `shape_fits` says whether one of its sizes may be inferred
        elif name not in AXES and min(were, default=0) >= 0 > min(are, default=0):
            return False
    return True
