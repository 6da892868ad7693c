"""Whether ranks and shapes of the inputs go together after an edit as they did before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .facts import broadcast, rank_of_first, shapes_of_data, tells_how, tensors_of
from .lists import CACHES, POSITIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_conformance.core.values.tensors import Tensor

    from ..calls import DrawnCall
    from .seen import Seen


def ranks_fit(
    before: DrawnCall, old: Mapping[str, Tensor], new: Mapping[str, Tensor], seen: Seen
) -> bool:
    """Whether inputs have ranks that vectors have, where they changed."""
    was, now = ({name: len(item.shape) for name, item in some.items()} for some in (old, new))
    if was == now:
        return True
    if any(item.type == "string" and item.required for item in before.version.attributes.values()):
        return False  # as the equation of Einsum, which names the axes
    first = rank_of_first(new)
    return all(seen.permits_rank(name, rank, first) for name, rank in now.items())


def shapes_fit(
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
