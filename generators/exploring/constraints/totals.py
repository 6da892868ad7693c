"""Whether lists that made up sizes of the first input, or followed from them, still do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .facts import counts_of, names_of, tells_how, tensors_of
from .lists import first_shape, integer_of, list_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.core.values.tensors import Tensor

    from ..calls import DrawnCall

    Shape = tuple[int, ...]

# Lists of which other shapes follow by more than a sum or a product: their elements stay.
_FIXED = frozenset({"image_shape", "block_shape", "size"})
_BLOCKS = ("blocksize", "block_size")


def totals_fit(
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
