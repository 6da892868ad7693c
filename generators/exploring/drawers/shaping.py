"""Operators that move, select or join elements."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .sketch import Shape, Sketch


def _split_of(d: Sketch, count: int) -> list[int]:
    """Dimensions whose product is a number."""
    found: list[int] = []
    rest = count
    while rest > 1 and len(found) < 4:
        factor = d.pick(*[f for f in range(1, rest + 1) if rest % f == 0])
        found.append(factor)
        rest //= factor
    found += [rest] if rest > 1 or d.often(0.3) else []
    d.chance.shuffle(found)
    return found


def reshape(d: Sketch) -> None:
    """Another shape of as many elements; 0 copies a dimension, -1 is inferred."""
    shape = d.full()
    d.data("data", shape)
    new = _split_of(d, math.prod(shape))
    zero = d.often(0.15) and d.version.since_version >= 14 and d.has("allowzero")
    if zero:
        d.give("allowzero", 1)
    else:
        for place, size in enumerate(new):
            if place < len(shape) and shape[place] == size and d.often():
                new[place] = 0
    if new and d.often(0.4):
        new[d.chance.randrange(len(new))] = -1
    d.listed("shape", new)


def transpose(d: Sketch) -> None:
    """Axes in any order, reversed without perm."""
    shape = d.shape()
    d.data("data", shape)
    order = list(range(len(shape)))
    d.chance.shuffle(order)
    d.sometimes("perm", tuple(order), 0.8)


def flatten(d: Sketch) -> None:
    """An axis up to the rank."""
    shape = d.shape()
    d.data("input", shape)
    rank = len(shape)
    low = -rank if d.version.since_version >= 11 else 0
    if not d.sometimes("axis", d.chance.randint(low, rank)) and rank < 1:
        d.give("axis", 0)


def squeeze(d: Sketch) -> None:
    """Axes of size 1."""
    shape = tuple(1 if d.often(0.4) else size for size in d.shape(1, 2, 3, 4))
    d.data("data", shape)
    ones = [axis for axis, size in enumerate(shape) if size == 1]
    taken = [axis for axis in ones if d.often(0.7)]
    if d.version.since_version >= 11:
        taken = [axis - len(shape) if d.often(0.3) else axis for axis in taken]
    if taken and d.often(0.8):
        d.listed("axes", taken)


def unsqueeze(d: Sketch) -> None:
    """New axes anywhere."""
    shape = d.shape(0, 1, 2, 3)
    d.data("data", shape)
    count = d.pick(1, 1, 2, 3)
    rank = len(shape) + count
    taken = d.chance.sample(range(rank), count)
    if d.version.since_version < 11:
        taken = sorted(taken)
    elif d.often(0.4):
        taken = [axis - rank if d.often() else axis for axis in taken]
    d.listed("axes", taken)


def concat(d: Sketch) -> None:
    """Inputs that differ in one dimension."""
    shape = d.shape(1, 2, 3)
    axis = d.axis(len(shape))
    kind = d.type_of("inputs")
    tensors = []
    for _ in range(d.pick(1, 2, 2, 3, 4)):
        dims = list(shape)
        dims[axis] = d.size(7)
        tensors.append(d.values("inputs", kind, tuple(dims)))
    d.many("inputs", tensors)
    d.give("axis", axis)


def split(d: Sketch) -> None:
    """Parts with given lengths."""
    shape = list(d.full(1, 2, 3))
    axis = d.axis(len(shape))
    lengths = [d.size(4) for _ in range(d.pick(1, 2, 3))]
    shape[axis] = sum(lengths)
    d.data("input", tuple(shape))
    d.give("axis", axis)
    d.listed("split", lengths)
    outputs = d.version.outputs[0]
    d.requested = tuple(outputs.instance(index) for index in range(len(lengths)))


def slice_(d: Sketch) -> None:
    """Starts and ends within and beyond the data, steps of either sign."""
    shape = d.shape(1, 2, 3, 4)
    d.data("data", shape)
    axes = d.axes(len(shape), 1)
    starts = [d.chance.randint(-shape[a] - 2, shape[a] + 2) for a in axes]
    ends = [d.chance.randint(-shape[a] - 2, shape[a] + 2) for a in axes]
    if d.often(0.2):
        ends[0] = 2**31 - 1
    d.listed("starts", starts)
    d.listed("ends", ends)
    d.listed("axes", axes)
    if d.takes("steps") and d.often(0.7):
        d.whole("steps", [d.pick(1, 1, 2, 3, -1, -2) for _ in axes])


def pad(d: Sketch) -> None:
    """Before and behind each axis; the edges need elements."""
    shape = tuple(max(2, size) for size in d.full(1, 2, 3))
    d.most = 60
    data = d.version.inputs[0].name
    d.data(data, shape)
    modes = ("constant", "constant", "edge", "reflect") + (
        ("wrap",) if d.version.since_version >= 19 else ()
    )
    mode = d.pick(*modes)
    d.give("mode", mode)
    axes = list(range(len(shape)))
    if d.takes("axes") and d.often(0.4):
        axes = [axis % len(shape) for axis in d.axes(len(shape), 1)]
        d.whole("axes", axes)
    least = 0 if mode != "constant" or d.often(0.7) else -1
    pads = [d.chance.randint(least, 1 if mode == "reflect" else 2) for _ in range(2) for _ in axes]
    d.listed("pads", pads)
    d.listed("paddings", pads)
    if mode == "constant" and d.takes("constant_value") and d.often(0.6):
        d.data("constant_value", ())


def tile(d: Sketch) -> None:
    """Each axis repeated."""
    d.most = 40
    shape = d.shape(1, 2, 3)
    d.data("input", shape)
    if d.version.since_version == 1:
        d.whole("tiles", [d.pick(1, 2, 3)], ())
        d.whole("axis", [d.chance.randrange(len(shape))], ())
        return
    d.whole("repeats", [d.pick(1, 1, 2, 3, 0) for _ in shape])


def expand(d: Sketch) -> None:
    """A shape with which the data broadcasts."""
    d.most = 40
    shape = d.shape(0, 1, 2, 3)
    given = tuple(1 if d.often(0.4) else size for size in shape)
    d.data("input", given[d.chance.randint(0, len(given)) :] if d.often(0.2) else given)
    new = [1 if d.often(0.2) else size for size in shape]
    if d.often(0.3):
        new = [d.pick(1, 2), *new]
    d.whole("shape", new)


def gather(d: Sketch) -> None:
    """Indices along an axis, from either end."""
    shape = d.full(1, 2, 3)
    axis = d.axis(len(shape))
    d.data("data", shape)
    _indices(d, d.shape(0, 1, 2), shape[axis])
    d.give("axis", axis)


def _indices(d: Sketch, dims: Shape, size: int, name: str = "indices") -> None:
    low = -size if d.version.since_version >= 11 else 0
    d.whole(name, [d.chance.randrange(low, size) for _ in range(math.prod(dims))], dims)


def gather_elements(d: Sketch) -> None:
    """Indices of the rank of the data, no longer along other axes."""
    shape = d.full(1, 2, 3)
    axis = d.axis(len(shape))
    d.data("data", shape)
    dims = tuple(
        d.some(5) if at == axis % len(shape) else d.chance.randint(1, size)
        for at, size in enumerate(shape)
    )
    _indices(d, dims, shape[axis])
    d.give("axis", axis)


def gather_nd(d: Sketch) -> None:
    """Index tuples into the data, behind batch axes."""
    shape = d.full(1, 2, 3)
    batch = d.chance.randrange(len(shape)) if d.has("batch_dims") and d.often(0.4) else 0
    depth = d.chance.randint(1, len(shape) - batch)
    outer = (*shape[:batch], *d.full(0, 1, 1, 2))
    d.data("data", shape)
    _tuples(d, outer, shape[batch : batch + depth])
    if batch:
        d.give("batch_dims", batch)


def _tuples(d: Sketch, outer: Shape, sizes: Shape, *, unique: bool = False) -> None:
    count = math.prod(outer)
    found = [[d.chance.randrange(-s, s) for s in sizes] for _ in range(count)]
    if unique:
        found = [
            [i // math.prod(sizes[at + 1 :]) % s for at, s in enumerate(sizes)]
            for i in d.chance.sample(range(math.prod(sizes)), count)
        ]
    d.whole("indices", [item for row in found for item in row], (*outer, len(sizes)))


def scatter_elements(d: Sketch) -> None:
    """Updates along an axis; no place twice unless they are reduced."""
    shape = d.full(1, 2, 3)
    axis = d.axis(len(shape)) if d.version.since_version >= 11 else d.chance.randrange(len(shape))
    d.data("data", shape)
    reduced = d.has("reduction") and d.often(0.5) and d.types["T"] not in ("string", "bool")
    dims = [d.chance.randint(1, size) for size in shape]
    line = shape[axis]
    count = math.prod(dims) // dims[axis]
    inner = math.prod(dims[axis % len(shape) + 1 :])
    rows = {}
    for at in range(count):
        rows[at] = d.chance.sample(range(line), dims[axis])
        if reduced:
            rows[at] = [d.chance.randrange(-line, line) for _ in range(dims[axis])]
    values = [0] * math.prod(dims)
    for place in range(len(values)):
        step, own = place % inner, place // inner % dims[axis]
        values[place] = rows[place // (inner * dims[axis]) * inner + step][own]
    d.whole("indices", values, tuple(dims))
    d.data("updates", tuple(dims))
    d.give("axis", axis)
    if reduced:
        ways = ("add", "mul", "max", "min") if d.version.since_version >= 18 else ("add", "mul")
        d.give("reduction", d.pick(*ways))


def scatter_nd(d: Sketch) -> None:
    """Updates at index tuples; no place twice unless they are reduced."""
    shape = d.full(1, 2, 3)
    depth = d.chance.randint(1, len(shape))
    d.data("data", shape)
    reduced = d.has("reduction") and d.often(0.5) and d.types["T"] not in ("string", "bool")
    most = math.prod(shape[:depth])
    outer = (d.chance.randint(1, min(most, 6)),)
    _tuples(d, outer, shape[:depth], unique=not reduced)
    d.data("updates", (*outer, *shape[depth:]))
    if reduced:
        ways = ("add", "mul", "max", "min") if d.version.since_version >= 18 else ("add", "mul")
        d.give("reduction", d.pick(*ways))


def compress(d: Sketch) -> None:
    """A condition no longer than the axis, or than all elements."""
    shape = d.full(1, 2, 3)
    d.data("input", shape)
    size = math.prod(shape)
    if d.often(0.6):
        axis = (
            d.axis(len(shape)) if d.version.since_version >= 11 else d.chance.randrange(len(shape))
        )
        d.give("axis", axis)
        size = shape[axis]
    d.whole("condition", [d.pick(0, 1) for _ in range(d.chance.randint(1, size))])


def depth_to_space(d: Sketch) -> None:
    """Channels that divide into blocks."""
    block = d.pick(1, 2, 2, 3)
    d.data("input", (d.some(2), d.some(3) * block * block, d.some(4), d.some(4)))
    d.give("blocksize", block)
    d.sometimes("mode", d.pick("DCR", "CRD"))


def space_to_depth(d: Sketch) -> None:
    """Heights and widths that divide into blocks."""
    block = d.pick(1, 2, 2, 3)
    d.data("input", (d.some(2), d.some(3), d.some(3) * block, d.some(3) * block))
    d.give("blocksize", block)


def trilu(d: Sketch) -> None:
    """Matrices, and a diagonal anywhere."""
    d.data("input", d.shape(2, 3))
    if d.often(0.7):
        d.whole("k", [d.pick(0, 1, -1, 2, -2, 5, -7, 2**62)], ())
    d.flag("upper", 0.5)


def eye_like(d: Sketch) -> None:
    """A matrix, and a diagonal."""
    d.retype("T1", "float32", "int32", "float64", "int64", "bool", "uint8", "float16")
    d.data("input", d.shape(2))
    d.sometimes("k", d.pick(0, 1, -1, 3, -4))


def shape_of(d: Sketch) -> None:
    """A shape, of which a part is taken."""
    d.data("data", d.shape())
    d.sometimes("start", d.pick(0, 1, -1, 5, -7))
    d.sometimes("end", d.pick(0, 1, -1, 5, -7, 2))


def reverse_sequence(d: Sketch) -> None:
    """Lengths within the time axis."""
    shape = (d.some(5), d.some(5), *d.full(0, 1))
    d.data("input", shape)
    batch = d.pick(0, 1)
    d.give("batch_axis", batch)
    d.give("time_axis", 1 - batch)
    d.whole("sequence_lens", [d.chance.randint(1, shape[1 - batch]) for _ in range(shape[batch])])


def center_crop_pad(d: Sketch) -> None:
    """New sizes, smaller or greater."""
    shape = d.full(1, 2, 3)
    d.data("input_data", shape)
    axes = tuple(range(len(shape)))
    if d.often():
        axes = tuple(axis % len(shape) for axis in d.axes(len(shape), 1))
        d.give("axes", axes)
    d.whole("shape", [d.some(7) for _ in axes])


def constant_of_shape(d: Sketch) -> None:
    """Any shape; the value is 0 of float32 unless given."""
    d.whole("input", [d.size(5) for _ in range(d.pick(0, 1, 2, 3))])


def range_(d: Sketch) -> None:
    """Ends that are not far from each other, and a step that is not 0."""
    kind = d.types.get("T", "float32")
    low = 0 if kind.startswith("uint") else -9
    d.whole("start", [d.chance.randint(low, 9)], ())
    d.whole("limit", [d.chance.randint(low, 12)], ())
    d.whole("delta", [d.pick(1, 2, 3) if low == 0 else d.pick(1, 2, 3, -1, -2)], ())


def tensor_scatter(d: Sketch) -> None:
    """An update written into a cache at an index for each batch."""
    batch, length, new, width = d.some(3), d.some(7), 1, d.some(4)
    new = d.chance.randint(1, length)
    d.data("past_cache", (batch, length, width))
    d.data("update", (batch, new, width))
    if d.often(0.7):
        d.whole("write_indices", [d.chance.randint(0, length - new) for _ in range(batch)])
    d.sometimes("mode", d.pick("linear", "circular"))
