"""The faults of size, generic over operators.

Each is a change of what comes out (`results`), of what a node takes (`inputs`), or of how often
terms are added (`weights`). Its `kind` says of which operators it is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from onnx_conformance.core.values.tensors import SequenceValue, Tensor, Value
from onnx_conformance.core.words import Word

from ..changing import each_within, shortened
from . import places, sums
from .spoiling import begun_again, cut_to_16_bits, moved
from .sums import Weights

Values: TypeAlias = Sequence[Value | None]
Change: TypeAlias = Callable[[Values], Values]


class Kind(Word):
    """What a fault is about, which says of which operators it is asked."""

    WRITTEN = "written"  # every operator that gives a tensor
    READ = "read"  # those that make few elements of many
    SUMS = "sums"  # those whose oracles add
    STRINGS = "strings"  # those that give strings
    STRINGS_READ = "strings read"  # those that take strings
    SEQUENCES = "sequences"  # those that give sequences
    SEQUENCES_READ = "sequences read"  # those that take sequences
    INPUTS = "inputs"  # those with a variadic input
    OUTPUTS = "outputs"  # those with a variadic output
    POSITIONS = "positions"  # those that give positions
    INDICES = "indices"  # those that take indices


@dataclass(frozen=True)
class SizeFault:
    """A runtime that is right until something is large.

    Attributes:
        kind: what the fault is about.
        title: what the runtime does.
        results: changes the outputs of a run.
        inputs: changes what the node takes.
        weights: how often terms are added.
    """

    kind: Kind
    title: str
    results: Change | None = None
    inputs: Change | None = None
    weights: Weights | None = None

    @property
    def name(self) -> str:
        """Kind and title."""
        return f"{self.kind.value}: {self.title}"

    @property
    def way(self) -> str:
        """What it changes: `results`, `inputs` or `weights`."""
        ways = {"results": self.results, "inputs": self.inputs, "weights": self.weights}
        return next(name for name, change in ways.items() if change is not None)


#: Operators whose integers are positions in another tensor, or its dimensions.
POSITIONS = frozenset(
    {
        *("ArgMax", "ArgMin", "MaxPool", "NonMaxSuppression", "NonZero", "Shape", "Size", "TopK"),
        *("Unique",),
    }
)
#: Operators that take indices, with the place of that input.
INDICES = {
    **dict.fromkeys(("Gather", "GatherElements", "GatherND", "ArrayFeatureExtractor"), 1),
    **dict.fromkeys(("Scatter", "ScatterElements", "ScatterND", "MaxUnpool"), 1),
    **dict.fromkeys(("OneHot", "CategoryMapper"), 0),
}
_GARBAGE = 0xCD
_WIDTHS = (8, 16, 32)
_MOST = (256, 1024, 65536)
_BYTES = (63, 255, 65535)
_MANY = 32
_ITEMS = 256


def _results(fault: places.Fault, nothing: int = 0) -> Change:
    """Each tensor of the results with its elements elsewhere."""
    return _each(partial(moved, fault=fault, nothing=nothing))


def _first_tensor(fault: places.Fault) -> Change:
    """The first input with its elements elsewhere, if it is a tensor."""

    def change(values: Values) -> Values:
        first = values[0] if values else None
        return [moved(first, fault), *values[1:]] if isinstance(first, Tensor) else values

    return change


def _each(change: Callable[[Tensor], Tensor]) -> Change:
    return lambda values: [each_within(item, change) for item in values]


def _short(most: int) -> Change:
    return _each(lambda tensor: shortened(tensor, most))


def _items_again(values: Values) -> Values:
    return [None if item is None else begun_again(item, _ITEMS) for item in values]


def _first_items(values: Values) -> Values:
    return [
        SequenceValue(item.items[:_ITEMS])
        if isinstance(item, SequenceValue) and len(item.items) > _ITEMS
        else item
        for item in values
    ]


def _first_outputs(values: Values) -> Values:
    nothing = _each(partial(moved, fault=places.first(0)))
    return [*values[:_MANY], *nothing(values[_MANY:])]


def _faults() -> Iterator[SizeFault]:
    written, read = partial(SizeFault, Kind.WRITTEN), partial(SizeFault, Kind.READ)
    for most in _MOST:
        first = places.first(most)
        title = f"only the first {most:,} elements"
        yield written(f"{title}, and zero behind them", _results(first))
        yield written(f"{title}, and what memory held behind them", _results(first, _GARBAGE))
        yield read(title, inputs=_first_tensor(first))
        yield SizeFault(Kind.SUMS, f"only the first {most:,} terms", weights=sums.first_terms(most))
    for width in _WIDTHS:
        title = f"without the tail of {width}"
        yield written(title, _results(places.no_tail(width)))
        yield written(f"{title} of each row", _results(places.no_tail_of_rows(width)))
        yield read(title, inputs=_first_tensor(places.no_tail(width)))
        yield SizeFault(Kind.SUMS, title, weights=sums.no_tail(width))
    for size in _MOST[:2]:
        yield written(
            f"the last block of {size:,} is the one before it",
            _results(places.last_block_again(size)),
        )
    yield written(
        "the second thread begins one element too early", _results(places.second_thread_shifted)
    )
    yield written("offsets of 16 bits where it is read", _results(places.read_at_16_bits))
    yield written("offsets of 16 bits where it is written", _results(places.written_at_16_bits))
    yield written(
        "rows of more than 1,024 elements begin again", _results(places.rows_begin_again(1024))
    )
    for most in (1024, 65535):
        yield written(
            f"rows beyond {most:,} are the first ones", _results(places.first_rows_again(most))
        )
    yield SizeFault(Kind.SUMS, "the last block of 256 twice", weights=sums.last_block_twice)
    yield SizeFault(
        Kind.SUMS, "the second thread's partial sum twice", weights=sums.second_thread_twice
    )
    for most in _BYTES:
        yield SizeFault(Kind.STRINGS, f"cut after {most:,} bytes", _short(most))
        yield SizeFault(Kind.STRINGS_READ, f"cut after {most:,} bytes", inputs=_short(most))
    yield SizeFault(Kind.SEQUENCES, f"items beyond {_ITEMS} are the first ones", _items_again)
    yield SizeFault(Kind.SEQUENCES_READ, f"only the first {_ITEMS} items", inputs=_first_items)
    yield SizeFault(
        Kind.INPUTS, f"only the first {_MANY} inputs", inputs=lambda values: values[:_MANY]
    )
    yield SizeFault(Kind.OUTPUTS, f"only the first {_MANY} outputs", _first_outputs)
    yield SizeFault(Kind.POSITIONS, "cut to 16 bits", _each(cut_to_16_bits))
    yield SizeFault(Kind.INDICES, "cut to 16 bits", inputs=_each(cut_to_16_bits))


#: All faults of size.
FAULTS = tuple(_faults())


def _same(values: Values) -> Values:
    return values


#: Runtimes that work in the same ways and are right: nothing may judge them wrong.
CORRECT = (
    SizeFault(Kind.WRITTEN, "as it is", _results(lambda _shape: None)),
    SizeFault(Kind.READ, "as it is", inputs=_same),
    SizeFault(Kind.SUMS, "as it is", weights=sums.unchanged),
)
