"""What an edit changes beside what it names, so that the call goes on hanging together.

Another axis has other lengths, a longer window leaves a longer state over, a sequence takes
elements of its own type: an edit alone would make a call that no document permits, and is drawn
together with what follows from it.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from ...oracle.arith.grid import grid_of, tensor_of_numbers
from ...oracle.arith.rationals import Fraction
from ...situations.type_texts import inner_type, is_sequence_of
from ..edits import mapped, with_input
from ..elements import reshaped, retyped
from .facts import tensors_of
from .lists import (
    CACHES,
    MOVES,
    POSITIONS,
    batch_and_time,
    batches_fit,
    first_shape,
    images_fit,
    keys_fit,
    lengths_fit,
    list_of,
    padded_axes,
    pads_fit,
    places_of,
    regions_of,
    shape_fits,
    sparse_keys,
    split_size,
    turned,
    with_list,
    with_number,
)
from .relations import restored

if TYPE_CHECKING:
    from ..calls import DrawnCall
    from .seen import Seen

    Shape = tuple[int, ...]

# The greatest length that follows: that of a sparse map, as its keys need it, and the number of
# places that a window has on an axis.
_LONGEST = 64


def mended(before: DrawnCall, after: DrawnCall, seen: Seen) -> DrawnCall:
    """The edited call with what follows from the edit; itself where nothing is known to."""
    call = restored(seen.of_operator.relations, before, after)
    for change in (_lengths, _batches, _pads, _shape, _caches, _moves, _sparse, _images):
        call = change(before, call)
    call = _shares(call, seen)
    for sequence, element in seen.of_operator.elements:
        call = _of_one_type(before, call, sequence, element)
    return call


def _lengths(before: DrawnCall, after: DrawnCall) -> DrawnCall:
    """Lengths that made up the size of an axis make up that of the axis which is split now."""
    lengths, size = list_of(after, "split"), split_size(after)
    if not lengths or size is None or sum(lengths) == size or not lengths_fit(before):
        return after
    found: list[int] = []
    for length in lengths[:-1]:
        found.append(min(length, size - sum(found)))
    return with_list(after, "split", (*found, size - sum(found)))


def _batches(_before: DrawnCall, after: DrawnCall) -> DrawnCall:
    """A length for each of the batch, none beyond the axis of time."""
    sizes, lengths = batch_and_time(after), list_of(after, "sequence_lens")
    if sizes is None or lengths is None or batches_fit(after):
        return after
    batch, time = sizes
    known = lengths or (time,)
    found = tuple(min(known[at % len(known)], time) for at in range(batch))
    return with_list(after, "sequence_lens", found)


def _pads(before: DrawnCall, after: DrawnCall) -> DrawnCall:
    """Two pads for each axis, those that were there where they were."""
    was, now, pads = padded_axes(before), padded_axes(after), list_of(after, "pads")
    if was is None or now is None or pads is None or pads_fit(after) or not pads_fit(before):
        return after
    begins = dict(zip(was, pads[: len(was)], strict=False))
    ends = dict(zip(was, pads[len(was) :], strict=False))
    found = [some.get(axis, 0) for some in (begins, ends) for axis in now]
    return with_list(after, "pads", tuple(found))


def _shape(before: DrawnCall, after: DrawnCall) -> DrawnCall:
    """A shape of as many elements as there are: one of its sizes is another, or inferred."""
    shape = list_of(after, "shape")
    if shape is None or not shape_fits(before) or shape_fits(after):
        return after
    count = prod(first_shape(after))
    tries: list[Shape] = []
    for place in range(len(shape)):
        others = prod(shape[:place]) * prod(shape[place + 1 :])
        if others > 0 and count % others == 0:
            tries.append((*shape[:place], count // others, *shape[place + 1 :]))
        tries.append((*shape[:place], -1, *shape[place + 1 :]))
    for numbers in (*tries, (1, count), (-1,)):
        found = with_list(after, "shape", numbers)
        if shape_fits(found):
            return found
    return after


def _caches(before: DrawnCall, after: DrawnCall) -> DrawnCall:
    """Caches with an angle for two of the elements that turn: by position, or for each token."""
    part, was, now = turned(after), *(tensors_of(some).get(POSITIONS) for some in (before, after))
    caches = {name: item for name, item in tensors_of(after).items() if name in CACHES}
    if part is None or not caches:
        return after
    outer = next(iter(caches.values())).shape[:-1]
    if was is not None and now is None:
        outer = was.shape
    elif was is None and now is not None and now.element_count:
        after = with_input(after, POSITIONS, reshaped(now, outer))
        outer = (max(0, *grid_of(now).items) + 1,)
    for name, tensor in caches.items():
        after = with_input(after, name, reshaped(tensor, (*outer, part // 2)))
    return after


def _moves(_before: DrawnCall, after: DrawnCall) -> DrawnCall:
    """A move for each place that the window has."""
    places = places_of(after)
    if places is None or min(places, default=0) < 1 or max(places) > _LONGEST:
        return after
    for name, tensor in tensors_of(after).items():
        if name in MOVES:
            after = with_input(after, name, reshaped(tensor, (*tensor.shape[:2], *places)))
    return after


def _sparse(_before: DrawnCall, after: DrawnCall) -> DrawnCall:
    """A map as long as its keys need it."""
    keys = sparse_keys(after)
    if not keys or keys_fit(after) or min(keys) < 0 or max(keys) >= _LONGEST:
        return after
    return with_number(after, "max_map", max(keys) + 1)


def _images(before: DrawnCall, after: DrawnCall) -> DrawnCall:
    """Regions of the images that were there."""
    was, now = regions_of(before), regions_of(after)
    if was is None or now is None or images_fit(before, after) or not was.items:
        return after
    images = was.items[:: was.shape[1]]
    width = now.shape[1]
    items = [
        images[at // width % len(images)] if at % width == 0 else item
        for at, item in enumerate(now.items)
    ]
    return with_input(after, "rois", tensor_of_numbers(now.type, now.shape, items))


def _shares(after: DrawnCall, seen: Seen) -> DrawnCall:
    """Numbers that lie between 0 and 1 in all vectors do."""
    for name, tensor in tensors_of(after).items():
        items = grid_of(tensor).items if name in seen.of_operator.domains.unit else ()
        if items and all(isinstance(item, (int, Fraction)) for item in items):
            inside = [item if 0 <= item <= 1 else abs(item) % 1 for item in items]
            value = tensor_of_numbers(tensor.type, tensor.shape, inside)
            after = with_input(after, name, value)
    return after


def _of_one_type(before: DrawnCall, after: DrawnCall, sequence: str, element: str) -> DrawnCall:
    """A sequence, and what goes into it, of one type: the one that was changed."""
    call = after.bound()
    word, name = call.types.get(sequence, ""), call.types.get(element, "")
    if is_sequence_of(word, name):
        return after
    if name != before.types.get(element):
        return _retyped(call, sequence, name)
    return _retyped(call, element, inner_type(word, "seq"))


def _retyped(call: DrawnCall, variable: str, name: str) -> DrawnCall:
    inputs = tuple(
        replace(item, value=mapped(item.value, lambda tensor: retyped(tensor, name)))
        if (parameter := call.version.parameter_of(item.name)) is not None
        and parameter.type == variable
        else item
        for item in call.inputs
    )
    return replace(call, inputs=inputs).bound()
