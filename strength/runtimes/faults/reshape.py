"""The dimensions that Reshape makes of the shape that it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter.outcomes import RefusedError

from ..registry import wrong
from ..steps import NodeStep, Values
from ..tensors import elements, filled, wrap, zero_of
from .fusions import attribute

Shape = tuple[int, ...]

AREA = "reshape"

# A larger result is refused: a runtime that pads would find no memory for it.
_MOST_ELEMENTS = 2**20


@dataclass(frozen=True)
class Wish:
    """What a Reshape is asked for.

    Attributes:
        dims: of the data.
        wanted: the shape as it is given.
        literal: whether zeros in it are dimensions.
        constant: whether it is an initializer.
    """

    dims: Shape
    wanted: Shape
    literal: bool
    constant: bool

    def copied(self, *, beyond: int | None = None) -> Shape:
        """The shape with its zeros replaced; `beyond` where the data has no dimension."""
        if self.literal:
            return self.wanted
        found = []
        for at, size in enumerate(self.wanted):
            if not size and at >= len(self.dims) and beyond is None:
                raise RefusedError("no dimension to copy")
            own = self.dims[at] if at < len(self.dims) else beyond
            found.append(size or own or 0)
        return tuple(found)

    def inferred(self, known: Shape) -> Shape:
        """The shape with its -1 replaced by what is left of the elements."""
        if -1 not in known:
            return known
        others, count = _others(known), prod(self.dims)
        if not others or count % others:
            raise RefusedError("does not divide")
        return _filled_in(known, count // others)

    def checked(self, known: Shape) -> Shape:
        """The shape, if it has as many elements as the data."""
        if any(size < 0 for size in known) or prod(known) != prod(self.dims):
            raise RefusedError("another number of elements")
        return known

    @property
    def is_ambiguous(self) -> bool:
        """Whether there are both a literal 0 and a -1."""
        return self.literal and 0 in self.wanted and -1 in self.wanted


def _others(known: Shape) -> int:
    return prod(size for size in known if size != -1)


def _filled_in(known: Shape, size: int) -> Shape:
    return tuple(size if item == -1 else item for item in known)


def _right(wish: Wish, *, beyond: int | None = None) -> Shape:
    """The dimensions of the result; RefusedError where there are none."""
    if wish.is_ambiguous or any(size < -1 for size in wish.wanted) or wish.wanted.count(-1) > 1:
        raise RefusedError("no such shape")
    return wish.checked(wish.inferred(wish.copied(beyond=beyond)))


def _of_empty(wish: Wish, size: int) -> Shape:
    """-1 is some size where the data is empty and the shape has a 0."""
    known = wish.copied()
    if -1 in known and 0 in known and 0 in wish.dims:
        return _filled_in(known, size)
    return _right(wish)


def _only_first_zero(wish: Wish) -> Shape:
    if not wish.literal or 0 not in wish.wanted:
        return _right(wish)
    at = wish.wanted.index(0)
    others = (*wish.wanted[:at], 1, *wish.wanted[at + 1 :])
    rest = replace(wish, wanted=others, literal=False).copied()
    return wish.checked(wish.inferred((*rest[:at], 0, *rest[at + 1 :])))


def _zeros_skipped(wish: Wish) -> Shape:
    known = wish.copied()
    if -1 not in known or 0 not in known or 0 not in wish.dims:
        return _right(wish)
    count, others = prod(size for size in wish.dims if size), _others(tuple(filter(None, known)))
    if count % others:
        raise RefusedError("does not divide")
    return _filled_in(known, count // others)


def _counted_from_the_end(wish: Wish) -> Shape:
    length, rank = len(wish.wanted), len(wish.dims)
    if wish.literal or -1 not in wish.wanted:
        return _right(wish)
    place = wish.wanted.index(-1)
    known = tuple(
        wish.dims[at - length] if not size and at > place and length - at <= rank else own
        for (at, size), own in zip(enumerate(wish.wanted), wish.copied(), strict=True)
    )
    return wish.checked(wish.inferred(known))


def _next_dimension(wish: Wish) -> Shape:
    if wish.literal:
        return _right(wish)
    known, place = [], 0
    for size in wish.wanted:
        if not size and place >= len(wish.dims):
            raise RefusedError("no dimension to copy")
        known.append(size or wish.dims[place])
        place += size != 1
    return wish.checked(wish.inferred(tuple(known)))


def _left_out(wish: Wish) -> Shape:
    if wish.literal:
        return _right(wish)
    kept = tuple(it for at, it in enumerate(wish.wanted) if it or at < len(wish.dims))
    return _right(replace(wish, wanted=kept))


def _rounded(wish: Wish, *, up: bool) -> Shape:
    known, count = wish.copied(), prod(wish.dims)
    if -1 not in known or not _others(known) or wish.is_ambiguous:
        return _right(wish)
    return _filled_in(known, -(-count // _others(known)) if up else count // _others(known))


def _masked(wish: Wish) -> Shape:
    if -1 not in wish.wanted[32:]:
        return _right(wish)
    at = wish.wanted.index(-1)
    moved = list(wish.wanted)
    moved[at], moved[at % 32] = 1, prod(wish.dims) // _others(wish.wanted)
    return tuple(moved)


def _any_negative(wish: Wish) -> Shape:
    if sum(size < 0 for size in wish.wanted) != 1:
        return _right(wish)
    return _right(replace(wish, wanted=tuple(max(size, -1) for size in wish.wanted)))


def _counts(wish: Wish, same: Callable[[int, int], bool]) -> Shape:
    """The shape, if its count and that of the data are the same in another sense."""
    known = wish.copied()
    if -1 in known or any(size < 0 for size in known):
        return _right(wish)
    return known if same(prod(known), prod(wish.dims)) else _right(wish)


def _divisor(wish: Wish, bits: int) -> Shape:
    """What divides the elements for -1 is kept in some bits."""
    known = wish.copied()
    divisor = wrap(_others(known), bits)
    if -1 not in known or not divisor or divisor == _others(known):
        return _right(wish)
    return _filled_in(known, prod(wish.dims) // divisor)


_TARGETS: dict[str, Callable[[Wish], Shape]] = {
    "a 0 is literal of empty data only": lambda wish: _right(
        replace(wish, literal=wish.literal and 0 in wish.dims)
    ),
    "a literal 0 beyond the rank is refused": lambda wish: _right(
        replace(wish, literal=wish.literal and 0 not in wish.wanted[len(wish.dims) :])
    ),
    "the first 0 alone is literal": _only_first_zero,
    "-1 beside a 0 is 0": lambda wish: _of_empty(wish, 0),
    "-1 beside a 0 is 1": lambda wish: _of_empty(wish, 1),
    "-1 beside a 0 is 0 unless the shape is constant": lambda wish: (
        _right(wish) if wish.constant else _of_empty(wish, 0)
    ),
    "zeros are passed over for -1": _zeros_skipped,
    "a 0 behind -1 counts from the end": _counted_from_the_end,
    "a 0 copies the next dimension": _next_dimension,
    "a 0 at the rank is 1": lambda wish: _right(wish, beyond=1),
    "a 0 at the rank is 0": lambda wish: _right(wish, beyond=0),
    "a 0 at the rank copies the last": lambda wish: _right(wish, beyond=([1, *wish.dims])[-1]),
    "a 0 at the rank is left out": _left_out,
    "a 0 of a scalar is 1": lambda wish: _right(replace(wish, dims=wish.dims or (1,))),
    "-1 is rounded down": lambda wish: _rounded(wish, up=False),
    "-1 is rounded up": lambda wish: _rounded(wish, up=True),
    "the place of -1 is in a mask of 32 bits": _masked,
    "any negative is -1": _any_negative,
    "no elements fit any data": lambda wish: _counts(wish, lambda own, _all: not own),
    "counts are compared in 64 bits": lambda wish: _counts(
        wish, lambda own, all_: (own - all_) % 2**64 == 0
    ),
    "what divides for -1 has 32 bits": lambda wish: _divisor(wish, 32),
    "what divides for -1 has 64 bits": lambda wish: _divisor(wish, 64),
}


@wrong(AREA, of=("Reshape",), variants={name: (target,) for name, target in _TARGETS.items()})
def where(step: NodeStep, target: Callable[[Wish], Shape]) -> Values:
    """Other dimensions are made of the shape, and elements cut or added for them."""
    data = step.tensor()
    given = attribute(step.node, "shape") or step.integers(1)
    if data is None:
        return step.right()
    if len(step.values) > 1 and (step.tensor(1) is None or len(_shape_of(step)) != 1):
        return step.right()
    constants = step.session.model.graph.initializers
    wish = Wish(
        data.shape,
        tuple(given),
        bool(attribute(step.node, "allowzero")),
        any(name in constants for name in step.node.inputs[1:]),
    )
    return [_resized(data, target(wish))]


def _shape_of(step: NodeStep) -> Shape:
    second = step.tensor(1)
    return () if second is None or second.type != "int64" else second.shape


def _resized(data: Tensor, shape: Shape) -> Tensor:
    """The elements, cut or with zeros behind them, in another shape."""
    count = prod(shape)
    if count == data.element_count:
        return replace(data, shape=shape)
    if not 0 <= count <= _MOST_ELEMENTS or any(size < 0 for size in shape):
        raise RefusedError("no memory for this")
    items = [*elements(data)[:count], *[zero_of(data)] * max(count - data.element_count, 0)]
    return filled(data, items, shape)
