"""Whether an edit of a call leaves together what belongs together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor

from ...oracle.arith.grid import grid_of
from ...situations.type_texts import is_sequence_of
from ...specs.model import GraphAttribute
from .facts import (
    AXES,
    INDICES,
    broadcast,
    counts_of,
    keeps_width,
    names_of,
    rank_of_first,
    shapes_of_data,
    tells_how,
    tensors_of,
    types_of,
    without_default,
)
from .lists import (
    CACHES,
    POSITIONS,
    batches_fit,
    caches_fit,
    equation_fits,
    first_shape,
    images_fit,
    integer_of,
    joins_fit,
    keys_fit,
    lengths_fit,
    list_of,
    moves_fit,
    pads_fit,
    shape_fits,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..calls import DrawnCall
    from .seen import Seen

    Shape = tuple[int, ...]

# Lists of which other shapes follow by more than a sum or a product: their elements stay.
_FIXED = frozenset({"image_shape", "block_shape", "size"})
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
_BLOCKS = ("blocksize", "block_size")


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
        and _flags_fit(before, after, new)
        and _totals_fit(before, after, old, new)
        and _ranks_fit(before, old, new, seen)
        and _numbers_fit(before, old, new, shapes_follow=shapes_follow)
        and (shapes_follow or _shapes_fit(before, old, new, seen))
        and _attributes_fit(before, after, seen, shapes_follow=shapes_follow)
        and _axes_fit(before, after, new)
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


def _ranks_fit(
    before: DrawnCall, old: Mapping[str, Tensor], new: Mapping[str, Tensor], seen: Seen
) -> bool:
    was, now = ({name: len(item.shape) for name, item in some.items()} for some in (old, new))
    if was == now:
        return True
    if any(item.type == "string" and item.required for item in before.version.attributes.values()):
        return False  # as the equation of Einsum, which names the axes
    first = rank_of_first(new)
    return all(seen.permits_rank(name, rank, first) for name, rank in now.items())


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


def _totals_fit(
    before: DrawnCall, after: DrawnCall, old: Mapping[str, Tensor], new: Mapping[str, Tensor]
) -> bool:
    """Whether lists that made up sizes of the first input still do, and blocks divide them."""
    if not old or not new:
        return True
    was, now = first_shape(before), first_shape(after)
    lists, others = _lists(before), _lists(after)
    return (
        all(
            _list_fits(name, (numbers, others[name]), was, now, integer_of(before, "axis"))
            for name, numbers in lists.items()
            if name in others
        )
        and ("split" not in others or "split" in lists or sum(others["split"]) in now)
        and _entries_fit((before, after), (lists, others))
        and (not _FIXED & lists.keys() or lists == others)
        and _rows_fit(after, was, now)
        and _blocks_fit(before, after, was, now)
        and _most_fit((lists, others), was, now)
    )


def _list_fits(
    name: str,
    numbers: tuple[tuple[int, ...], tuple[int, ...]],
    was: Shape,
    now: Shape,
    axis: int,
) -> bool:
    """Whether a list, before and after an edit, goes with the first input as before."""
    had, has = numbers
    if name in _FIXED:
        return had == has and was == now
    if "split" in name and -len(was) <= axis < len(was) and sum(had) == was[axis]:
        return len(was) == len(now) and len(has) == len(had)
    return True


def _entries_fit(
    calls: tuple[DrawnCall, DrawnCall],
    lists: tuple[Mapping[str, tuple[int, ...]], Mapping[str, tuple[int, ...]]],
) -> bool:
    """Whether a list that has an entry for each value of a variadic input goes on having them."""
    count, new = (max(counts_of(call).values(), default=0) for call in calls)
    return not count or all(
        len(numbers) != count or len(lists[1].get(name, ())) == new
        for name, numbers in lists[0].items()
    )


def _rows_fit(after: DrawnCall, was: Shape, now: Shape) -> bool:
    """Whether the last size stays where lists of numbers may have one for each of it."""
    if was[-1:] == now[-1:]:
        return True
    return not any(
        isinstance(item.value, tuple) and item.value and isinstance(item.value[0], float)
        for item in after.attributes
    )


def _flags_fit(before: DrawnCall, after: DrawnCall, new: Mapping[str, Tensor]) -> bool:
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


def _lists(call: DrawnCall) -> dict[str, tuple[int, ...]]:
    """The lists of integers that tell how: attributes and inputs."""
    told = [name for name, item in tensors_of(call).items() if tells_how(call, name, item)]
    found = {name: list_of(call, name) for name in (*names_of(call), *told)}
    return {name: numbers for name, numbers in found.items() if numbers is not None}


def _blocks_fit(before: DrawnCall, after: DrawnCall, was: Shape, now: Shape) -> bool:
    had, has = ({i.name: i.value for i in call.attributes} for call in (before, after))
    for name in _BLOCKS:
        block, other = had.get(name), has.get(name)
        if not isinstance(block, int) or not isinstance(other, int):
            continue
        if block < 1:
            continue
        if len(was) != len(now) or other < 1:
            return False
        if any(size % block == 0 and new % other for size, new in zip(was, now, strict=True)):
            return False
    return True


def _most_fit(
    lists: tuple[Mapping[str, tuple[int, ...]], Mapping[str, tuple[int, ...]]],
    was: Shape,
    now: Shape,
) -> bool:
    """Whether K, of TopK, is still within the sizes."""
    most, more = (max(some.get("K", (0,)), default=0) for some in lists)
    return not 0 <= most <= max(was, default=0) or more <= min(now, default=0)


def _shapes_fit(
    before: DrawnCall, old: Mapping[str, Tensor], new: Mapping[str, Tensor], seen: Seen
) -> bool:
    """Whether shapes that broadcast go on doing so, and sizes that inputs share are shared."""
    changed = [name for name in new if name in old and new[name].shape != old[name].shape]
    added = [name for name in new if name not in old]
    if not changed and not added:
        return True
    told = [name for name in changed if tells_how(before, name, new[name])]
    if rank_of_first(old) == rank_of_first(new) and any(
        old[name].shape[-1:] != new[name].shape[-1:] for name in told
    ):
        return False  # a list is as long as there are axes, an index as long as its tuple
    data = shapes_of_data(before, new)
    if len(data) > 1 and seen.broadcasts:
        return broadcast(data)
    if len(new) < 2 and not _lengths(before):
        return True
    fixed = len(data) > 1 and not all(
        (name, axis) in seen.free
        for name in changed
        for axis in range(min(len(old[name].shape), len(new[name].shape)))
        if old[name].shape[axis] != new[name].shape[axis]
    )
    # A size that all inputs with it change together may hang together with nothing else.
    together = len(changed) > 1
    if (POSITIONS in old) != (POSITIONS in new):  # caches follow: `caches_fit` and ties answer
        changed, added = (
            [i for i in changed if i not in CACHES],
            [i for i in added if i != POSITIONS],
        )
    return (
        not added
        and (together or not fixed)
        and all(_keeps(before, old, new, name) for name in changed)
    )


def _keeps(
    before: DrawnCall, old: Mapping[str, Tensor], new: Mapping[str, Tensor], name: str
) -> bool:
    """Whether one input of several that do not broadcast has a shape that the others know."""
    was, now = old[name].shape, new[name].shape
    if len(was) != len(now):
        return len(old) == 1 and not _lengths(before) & {len(was), len(was) - 2, 2 * len(was)}
    for size, other in zip(was, now, strict=True):
        if size == other:
            continue
        if size > 1 and _lengths(before) & {size}:
            return False
        for further, tensor in old.items():
            # A size that stands elsewhere too was changed here alone, or met another one there.
            if further != name and size in tensor.shape and size in new[further].shape:
                return False
    return True


def _lengths(call: DrawnCall) -> set[int]:
    """The lengths of the lists that tell how: attributes, and inputs of integers."""
    found = {len(item.value) for item in call.attributes if isinstance(item.value, tuple)}
    for name, tensor in tensors_of(call).items():
        if tells_how(call, name, tensor) and len(tensor.shape) == 1:
            found.add(tensor.shape[0])
    return found - {0}


def _attributes_fit(
    before: DrawnCall, after: DrawnCall, seen: Seen, *, shapes_follow: bool
) -> bool:
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


def _axes_fit(before: DrawnCall, after: DrawnCall, new: Mapping[str, Tensor]) -> bool:
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
