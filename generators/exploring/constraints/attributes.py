"""Whether attributes, and the axes among them, go with the inputs after an edit as before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.elements import element_type

from ...oracle.arith.grid import grid_of
from .facts import AXES, INDICES, rank_of_first, tensors_of, without_default
from .lists import first_shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.core.values.tensors import Tensor

    from ..calls import DrawnCall
    from .seen import Seen


def attributes_fit(before: DrawnCall, after: DrawnCall, seen: Seen, *, shapes_follow: bool) -> bool:
    """Whether attributes are given together, and have lengths and values, as in vectors."""
    # Of lengths that follow, `lengths_fit` says whether they fit.
    own = {"split"} if shapes_follow else set()
    if before.attributes == after.attributes:
        return True
    if without_default(before) != without_default(after) and (
        without_default(after) not in seen.together
    ):
        return False
    had = {item.name: item.value for item in before.attributes}
    first = rank_of_first(tensors_of(after))
    lists = {
        item.name: len(item.value) for item in after.attributes if isinstance(item.value, tuple)
    }
    if not all(
        name in had or seen.permits_length(name, length, first) for name, length in lists.items()
    ):
        return False
    return all(
        _value_fits(had.get(item.name), item.value, seen.least.get(item.name))
        for item in after.attributes
        if had.get(item.name) != item.value and item.name not in own
    )


def _value_fits(old: Any, new: Any, least: int | None) -> bool:  # noqa: ANN401  of attributes
    if isinstance(new, int):
        return least is None or least < 1 or new >= least
    if not isinstance(old, tuple) or not isinstance(new, tuple):
        return True
    if len(old) != len(new):
        return False
    if all(isinstance(item, int) for item in (*old, *new)):
        whole = list(range(len(old)))
        if sorted(old) == whole:
            return sorted(new) == whole
        return min(old, default=0) < 1 or min(new, default=1) > 0
    return True


def axes_fit(before: DrawnCall, after: DrawnCall, new: Mapping[str, Tensor]) -> bool:
    """Whether axes that were within the rank of the first input still are."""
    return _axes_within(after, new) or not _axes_within(before, tensors_of(before))


def _axes_within(call: DrawnCall, tensors: Mapping[str, Tensor]) -> bool:
    if not tensors:
        return True
    rank = rank_of_first(tensors)
    axes: list[int] = []
    for item in call.attributes:
        if item.name in AXES:
            axes += item.value if isinstance(item.value, tuple) else [item.value]  # type: ignore[arg-type, list-item]
    for name in ("axes", "axis"):
        tensor = tensors.get(name)
        if tensor is not None and element_type(tensor.type).kind in ("int", "uint"):
            axes += list(grid_of(tensor).items)
    places = {axis % rank if rank else axis for axis in axes}
    return len(places) == len(axes) and all(-rank <= axis < rank for axis in axes)


def flags_fit(before: DrawnCall, after: DrawnCall, new: Mapping[str, Tensor]) -> bool:
    """Whether attributes that say how inputs lie or are taken go with these, where they changed."""
    had, has = ({i.name: i.value for i in call.attributes} for call in (before, after))
    for place, name in enumerate(("transA", "transB")):
        shapes = [item.shape for item in new.values()]
        if had.get(name, 0) != has.get(name, 0) and len(set(shapes[place : place + 1][0])) > 1:
            return False
    floats = any(element_type(item.type).kind == "float" for item in new.values())
    if "fmod" in after.version.attributes and floats and not has.get("fmod", 0):
        return not had.get("fmod", 0) and before.types == after.types
    if any(name in INDICES for name in new) and had.get("axis", 0) != has.get("axis", 0):
        return len(set(first_shape(after))) < 2
    return True
