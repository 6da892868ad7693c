"""How the inputs and attributes of a call hang together, as far as that shows without an oracle.

An edit that takes them apart makes a call that no document permits: nothing is learned of a runtime
by it, and the oracle was asked for nothing. What is looked at is the call before the edit and the
vectors of the corpus for the same operator version, never an operator by its name.

- Inputs whose shapes broadcast together go on doing so; ranks of others stay.
- A size that other inputs have, too, or that a list among the attributes has as its length, is not
  changed in one input alone.
- Axes stay within the rank, a permutation is one, lists keep their lengths.
- An input has a rank that it has in a vector, and beside the first one a difference of ranks that a
  vector has, unless vectors have it in three or more. Lists likewise, by their length.
- Indices and classes stay within those that are there.
- Attributes without a default are given together as some vector has them.
- What a subgraph declares keeps its type and shape.
- A list whose sum or product is a size of the first input, or the number of its elements, goes on
  being so; so does a list that has an entry for each value of a variadic input.
- Of several inputs that do not broadcast, a size that never differs in vectors alone stays.
- A variadic input has a number of values that it has in a vector, unless they have three or more.
- Where vectors differ in which attributes without a default they give, types are those of one that
  gives the same.
- Blocks that divide the sizes of the first input go on doing so, and K is no more than any of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor

from ..oracle.arith.grid import broadcast_shape, grid_of
from ..oracle.errors import InvalidCallError
from ..specs.model import GraphAttribute

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .calls import DrawnCall

    Shape = tuple[int, ...]

#: Ranks that an input has in vectors, from which on it may have any other.
_MANY_RANKS = 3
_AXES = ("axis", "axes", "batch_axis", "time_axis", "norm_axis", "batch_dims")
_INDICES = ("indices", "target", "labels", "batch_indices", "I", "write_indices")
_SIZES = ("shape", "pads", "repeats", "split", "K", "sequence_lens", "image_shape", "block_shape")
# Lists of which other shapes follow by more than a sum or a product: their elements stay.
_FIXED = frozenset({"image_shape", "block_shape", "size"})
_BLOCKS = ("blocksize", "block_size")
_HOW = frozenset({"shape", "axes", "index", "size", "repeats", "pads", "count", "scalar"})


@dataclass(frozen=True)
class Seen:
    """What vectors of one operator version have.

    Attributes:
        ranks: of each input, by its name.
        beside: by how much the rank of each input is above that of the first one.
        lengths: of each list among the attributes, beside the rank of the first input.
        together: names of attributes without a default that are given together.
        least: of each attribute of type int the least value.
        broadcasts: whether the shapes of the inputs that are data broadcast together in all.
        free: axes of inputs of which two vectors have different sizes, and all else alike.
        counts: of each variadic input the numbers of its values.
        typed: the attributes without a default that are given, beside the types of the inputs.
        alone: names of the attributes of calls without an input.
        widths: whether all types that an attribute sets have as many bits as the first input.
    """

    ranks: Mapping[str, frozenset[int]]
    beside: Mapping[str, frozenset[int]]
    lengths: Mapping[str, frozenset[tuple[int, int]]]
    together: frozenset[frozenset[str]]
    least: Mapping[str, int]
    broadcasts: bool
    free: frozenset[tuple[str, int]] = frozenset()
    counts: Mapping[str, frozenset[int]] = field(default_factory=dict)
    typed: frozenset[tuple[frozenset[str], tuple[str, ...]]] = frozenset()
    alone: frozenset[frozenset[str]] = frozenset()
    widths: bool = False

    def permits_count(self, name: str, count: int) -> bool:
        """Whether a variadic input may have so many values."""
        known = self.counts.get(name, frozenset())
        return count in known or (len(known) >= _MANY_RANKS and count > min(known))

    def permits_types(self, call: DrawnCall) -> bool:
        """Whether some vector gives the same attributes beside inputs of these types."""
        return len(self.together) < 2 or _typed(call) in self.typed

    def permits_rank(self, name: str, rank: int, first: int) -> bool:
        """Whether an input may have a rank, where the first one has another."""
        known, beside = (kind.get(name, frozenset()) for kind in (self.ranks, self.beside))
        alone = rank in known or len(known) >= _MANY_RANKS
        return alone and (rank - first in beside or len(beside) >= _MANY_RANKS)

    def permits_length(self, name: str, length: int, first: int) -> bool:
        """Whether a list among the attributes may have a length, by the rank of the first input."""
        known = self.lengths.get(name, frozenset())
        at_this_rank = {size for rank, size in known if rank == first}
        return length in at_this_rank or len(at_this_rank) >= _MANY_RANKS


def seen_in(calls: Sequence[DrawnCall]) -> Seen:
    """What some vectors have."""
    ranks: dict[str, set[int]] = {}
    beside: dict[str, set[int]] = {}
    lengths: dict[str, set[tuple[int, int]]] = {}
    least: dict[str, int] = {}
    for call in calls:
        tensors = _tensors(call)
        first = _rank_of_first(tensors)
        for name, tensor in tensors.items():
            ranks.setdefault(name, set()).add(len(tensor.shape))
            beside.setdefault(name, set()).add(len(tensor.shape) - first)
        for item in call.attributes:
            if isinstance(item.value, int):
                least[item.name] = min(item.value, least.get(item.name, item.value))
            elif isinstance(item.value, tuple):
                lengths.setdefault(item.name, set()).add((first, len(item.value)))
    return Seen(
        {name: frozenset(found) for name, found in ranks.items()},
        {name: frozenset(found) for name, found in beside.items()},
        {name: frozenset(found) for name, found in lengths.items()},
        frozenset(_without_default(call) for call in calls),
        least,
        all(_broadcast(_shapes_of_data(call, _tensors(call))) for call in calls),
        _free_axes(calls),
        _counts_in(calls),
        frozenset(_typed(call) for call in calls),
        frozenset(_names(call) for call in calls if not call.inputs),
        all(map(_keeps_width, calls)) and any(call.spec.type_attributes for call in calls),
    )


def _names(call: DrawnCall) -> frozenset[str]:
    return frozenset(item.name for item in call.attributes)


def _keeps_width(call: DrawnCall) -> bool:
    """Whether the type that an attribute sets has as many bits as the elements of each input."""
    given = set(call.spec.type_attributes) & _names(call)
    set_types = [call.types.get(call.spec.type_attributes[name], "") for name in given]
    words = [*(item.type for item in _tensors(call).values()), *(w for w in set_types if w)]
    return "(" not in "".join(words) and len({element_type(word).bits for word in words}) < 2


def _free_axes(calls: Sequence[DrawnCall]) -> frozenset[tuple[str, int]]:
    """The axes of inputs of which two calls have different sizes, and all other sizes alike."""
    known: dict[tuple[str, int, object], int] = {}
    free = set()
    for call in calls:
        shapes = [(name, item.shape) for name, item in _tensors(call).items()]
        lists = tuple(sorted((i.name, i.value) for i in call.attributes if _is_integers(i.value)))
        for place, (name, shape) in enumerate(shapes):
            for axis, size in enumerate(shape):
                rest = (*shapes[:place], shape[:axis], shape[axis + 1 :], *shapes[place + 1 :])
                if known.setdefault((name, axis, (rest, lists)), size) != size:
                    free.add((name, axis))
    return frozenset(free)


def _is_integers(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(item, int) for item in value)


def _counts_in(calls: Sequence[DrawnCall]) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for call in calls:
        for name, count in _counts(call).items():
            found.setdefault(name, set()).add(count)
    return {name: frozenset(counts) for name, counts in found.items()}


def _counts(call: DrawnCall) -> dict[str, int]:
    """Of each variadic input how many values it has."""
    found = {item.name: 0 for item in call.version.inputs if item.variadic}
    for item in call.inputs:
        parameter = call.version.parameter_of(item.name)
        if parameter is not None and parameter.variadic:
            found[parameter.name] += 1
    return found


def _typed(call: DrawnCall) -> tuple[frozenset[str], tuple[str, ...]]:
    return _without_default(call), tuple(item.type for item in _tensors(call).values())


def hangs_together(before: DrawnCall, after: DrawnCall, seen: Seen) -> bool:
    """Whether an edit of a call leaves together what belongs together."""
    old, new = _tensors(before), _tensors(after)
    return (
        _graphs_fit(before, after)
        and all(seen.permits_count(name, count) for name, count in _counts(after).items())
        and (seen.permits_types(after) or _typed(before) == _typed(after))
        and (bool(after.inputs) or not before.inputs or _names(after) in seen.alone)
        and (not seen.widths or _keeps_width(after))
        and _flags_fit(before, after, new)
        and _totals_fit(before, after, old, new)
        and _ranks_fit(before, old, new, seen)
        and _numbers_fit(before, old, new)
        and _shapes_fit(before, old, new, seen)
        and _attributes_fit(before, after, seen)
        and _axes_fit(before, after, new)
    )


def tells_how(call: DrawnCall, name: str, tensor: Tensor) -> bool:
    """Whether an input tells how to do something, by its role or its name: indices, axes, sizes."""
    if element_type(tensor.type).kind not in ("int", "uint"):
        return False
    parameter = call.version.parameter_of(name)
    role = call.spec.roles.get(name if parameter is None else parameter.name)
    return role in _HOW or name in (*_AXES, *_INDICES, *_SIZES)


def _tensors(call: DrawnCall) -> dict[str, Tensor]:
    return {item.name: item.value for item in call.inputs if isinstance(item.value, Tensor)}


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


def _rank_of_first(tensors: Mapping[str, Tensor]) -> int:
    return len(next(iter(tensors.values())).shape) if tensors else 0


def _ranks_fit(
    before: DrawnCall, old: Mapping[str, Tensor], new: Mapping[str, Tensor], seen: Seen
) -> bool:
    was, now = ({name: len(item.shape) for name, item in some.items()} for some in (old, new))
    if was == now:
        return True
    if any(item.type == "string" and item.required for item in before.version.attributes.values()):
        return False  # as the equation of Einsum, which names the axes
    first = _rank_of_first(new)
    return all(seen.permits_rank(name, rank, first) for name, rank in now.items())


def _numbers_fit(before: DrawnCall, old: Mapping[str, Tensor], new: Mapping[str, Tensor]) -> bool:
    """Whether indices are between those that were there, and sizes not below 0 all at once."""
    shorter = any(
        name in old
        and any(size > other for size, other in zip(old[name].shape, item.shape, strict=False))
        for name, item in new.items()
    )
    for name, item in new.items():
        if name not in old or not all(tells_how(before, name, at) for at in (old[name], item)):
            continue
        were, are = grid_of(old[name]).items, grid_of(item).items
        if name in _INDICES:
            outside = were and are and (min(are) < min(were) or max(are) > max(were))
            if outside or (shorter and are) or (are and not were):
                return False
        elif name not in _AXES and min(were, default=0) >= 0 > min(are, default=0):
            return False
    return True


def _totals_fit(
    before: DrawnCall, after: DrawnCall, old: Mapping[str, Tensor], new: Mapping[str, Tensor]
) -> bool:
    """Whether lists that made up sizes of the first input still do, and blocks divide them."""
    if not old or not new:
        return True
    was, now = (next(iter(some.values())).shape for some in (old, new))
    lists, others = _lists(before), _lists(after)
    return (
        all(
            _list_fits(name, (numbers, others[name]), was, now, _axis_of(before))
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


def _axis_of(call: DrawnCall) -> int:
    """The attribute axis, 0 without one."""
    found = [item.value for item in call.attributes if item.name == "axis"]
    return found[0] if found and isinstance(found[0], int) else 0


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
        return len(was) == len(now) and len(has) == len(had) and sum(has) == now[axis]
    if name == "shape" and prod(had) == prod(was):
        return prod(has) == prod(now)
    return True


def _entries_fit(
    calls: tuple[DrawnCall, DrawnCall],
    lists: tuple[Mapping[str, tuple[int, ...]], Mapping[str, tuple[int, ...]]],
) -> bool:
    """Whether a list that has an entry for each value of a variadic input goes on having them."""
    count, new = (max(_counts(call).values(), default=0) for call in calls)
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
    if any(name in _INDICES for name in new) and had.get("axis", 0) != has.get("axis", 0):
        return len(set(next(iter(new.values())).shape)) < 2
    return True


def _lists(call: DrawnCall) -> dict[str, tuple[int, ...]]:
    """The lists of integers that tell how: attributes and inputs."""
    found = {i.name: i.value for i in call.attributes if _is_integers(i.value)}
    for name, tensor in _tensors(call).items():
        if tells_how(call, name, tensor) and len(tensor.shape) == 1:
            found[name] = tuple(grid_of(tensor).items)
    return found  # type: ignore[return-value]  # those that are integers


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


def _shapes_of_data(call: DrawnCall, tensors: Mapping[str, Tensor]) -> list[Shape]:
    return [item.shape for name, item in tensors.items() if not tells_how(call, name, item)]


def _shapes_fit(
    before: DrawnCall, old: Mapping[str, Tensor], new: Mapping[str, Tensor], seen: Seen
) -> bool:
    """Whether shapes that broadcast go on doing so, and sizes that inputs share are shared."""
    changed = [name for name in new if name in old and new[name].shape != old[name].shape]
    added = [name for name in new if name not in old]
    if not changed and not added:
        return True
    told = [name for name in changed if tells_how(before, name, new[name])]
    if _rank_of_first(old) == _rank_of_first(new) and any(
        old[name].shape[-1:] != new[name].shape[-1:] for name in told
    ):
        return False  # a list is as long as there are axes, an index as long as its tuple
    data = _shapes_of_data(before, new)
    if len(data) > 1 and seen.broadcasts:
        return _broadcast(data)
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
    for name, tensor in _tensors(call).items():
        if tells_how(call, name, tensor) and len(tensor.shape) == 1:
            found.add(tensor.shape[0])
    return found - {0}


def _broadcast(shapes: Sequence[Shape]) -> bool:
    try:
        broadcast_shape(*shapes)
    except InvalidCallError:
        return False
    return True


def _attributes_fit(before: DrawnCall, after: DrawnCall, seen: Seen) -> bool:
    if before.attributes == after.attributes:
        return True
    if _without_default(before) != _without_default(after) and (
        _without_default(after) not in seen.together
    ):
        return False
    had = {item.name: item.value for item in before.attributes}
    first = _rank_of_first(_tensors(after))
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
        if had.get(item.name) != item.value
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


def _without_default(call: DrawnCall) -> frozenset[str]:
    """The attributes that are given, and that are nothing where they are not."""
    known = call.version.attributes
    return frozenset(
        item.name
        for item in call.attributes
        if item.name in known and known[item.name].default is None
    )


def _axes_fit(before: DrawnCall, after: DrawnCall, new: Mapping[str, Tensor]) -> bool:
    """Whether axes that were within the rank of the first input still are."""
    return _axes_within(after, new) or not _axes_within(before, _tensors(before))


def _axes_within(call: DrawnCall, tensors: Mapping[str, Tensor]) -> bool:
    if not tensors:
        return True
    rank = len(next(iter(tensors.values())).shape)
    axes: list[int] = []
    for item in call.attributes:
        if item.name in _AXES:
            axes += item.value if isinstance(item.value, tuple) else [item.value]  # type: ignore[arg-type, list-item]
    for name in ("axes", "axis"):
        tensor = tensors.get(name)
        if tensor is not None and element_type(tensor.type).kind in ("int", "uint"):
            axes += list(grid_of(tensor).items)
    places = {axis % rank if rank else axis for axis in axes}
    return len(places) == len(axes) and all(-rank <= axis < rank for axis in axes)
