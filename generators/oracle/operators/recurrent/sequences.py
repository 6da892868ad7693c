"""What RNN, GRU and LSTM share: the inputs of a node, and a cell carried along sequences.

Source: Inputs, Outputs and Attributes of their pages. A cell is a formula of one step; a run of
it along a sequence is evaluated in intervals, errors and all (arith/steps.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ...accuracy.bounds import enclosed_all
from ...accuracy.ends import any_number
from ...accuracy.steps import Steps
from ...arith.grid import Enclosed, Grid, Item, Shape, filled, transpose
from ...arith.intervals import Interval
from ...arith.numbers import NEG_ZERO, ONE, ZERO, is_finite
from ...arith.rules import CHOICE
from ...errors import InvalidCallError
from ...registry import Call, Result
from ..flags import is_one

Row: TypeAlias = "list[Interval]"
# The hidden state, and the state of the cell where there is one.
States: TypeAlias = "tuple[Row, ...]"
Cell: TypeAlias = "Callable[[Steps, int, Weights, Row, States], States]"

# Until here the pages multiply by R as it stands; since then by its transpose, as by that of W.
_TRANSPOSED = 7
_TURNED = (1, 0, 2)  # batch and the axis before or behind it, exchanged


@dataclass(frozen=True)
class Node:
    """The inputs of a node, as layout 0 has them.

    Attributes:
        x: [seq_length, batch_size, input_size].
        w, r: [num_directions, gates * hidden_size, input_size or hidden_size].
        bias: [num_directions, 2 * gates * hidden_size], or None.
        peepholes: [num_directions, 3 * hidden_size], or None.
        initial: for each state [num_directions, batch_size, hidden_size], or None.
        lengths: that of each sequence.
        gates: how many there are.
        backward: for each direction whether it goes from the end.
        by_rows: whether R is multiplied as it stands.
    """

    x: Grid
    w: Grid
    r: Grid
    bias: Grid | None
    peepholes: Grid | None
    initial: tuple[Grid | None, ...]
    lengths: tuple[int, ...]
    gates: int
    backward: tuple[bool, ...]
    by_rows: bool

    @property
    def hidden(self) -> int:
        """The size of a state."""
        return self.r.shape[2]


class Weights:
    """The weights of one direction, as intervals of a Steps."""

    def __init__(self, s: Steps, node: Node, direction: int) -> None:
        """Those of a direction."""
        self._hidden = node.hidden
        self._w = _rows(s, node.w, direction)
        self._r = _rows(s, node.r, direction)
        biases = None if node.bias is None else _row(s, node.bias, direction)
        half = node.gates * node.hidden
        self._biases = None if biases is None else (biases[:half], biases[half:])
        self._peepholes = None if node.peepholes is None else _row(s, node.peepholes, direction)
        self._by_rows = node.by_rows

    def of_input(self, gate: int, unit: int) -> Row:
        """What each element of the input is multiplied by."""
        return self._w[gate * self._hidden + unit]

    def of_state(self, gate: int, unit: int) -> Row:
        """What each element of the hidden state is multiplied by."""
        first = gate * self._hidden
        if self._by_rows:
            return [self._r[first + row][unit] for row in range(self._hidden)]
        return self._r[first + unit]

    def bias_of_input(self, gate: int, unit: int) -> Row:
        """Wb, or nothing."""
        return [] if self._biases is None else [self._biases[0][gate * self._hidden + unit]]

    def bias_of_state(self, gate: int, unit: int) -> Row:
        """Rb, or nothing."""
        return [] if self._biases is None else [self._biases[1][gate * self._hidden + unit]]

    def peephole(self, gate: int, unit: int) -> Row:
        """P, or nothing."""
        return [] if self._peepholes is None else [self._peepholes[gate * self._hidden + unit]]


def _rows(s: Steps, grid: Grid, direction: int) -> list[Row]:
    _, count, length = grid.shape
    first = direction * count
    return [
        [
            s.exactly(item)
            for item in grid.items[(first + row) * length : (first + row + 1) * length]
        ]
        for row in range(count)
    ]


def _row(s: Steps, grid: Grid, *index: int) -> Row:
    """The last axis at an index of the others."""
    place = 0
    for position, size in zip(index, grid.shape, strict=False):
        place = place * size + position
    length = grid.shape[-1]
    return [s.exactly(item) for item in grid.items[place * length : (place + 1) * length]]


# --- reading a call --------------------------------------------------------------------------


def node_of(call: Call, gates: int, states: Sequence[str]) -> Node:
    """The inputs of a call, in layout 0; InvalidCallError where their shapes do not agree.

    Args:
        call: of RNN, GRU or LSTM.
        gates: how many blocks W and R have.
        states: the inputs that are initial states.
    """
    x, w, r = (call.grid(name, rank=3) for name in ("X", "W", "R"))
    x = _first_layout(call, x)
    backward = _directions(call)
    hidden = call.int_attribute("hidden_size", r.shape[2])
    length, batch, size = x.shape
    count = len(backward)
    _must_be("W", w.shape, (count, gates * hidden, size))
    _must_be("R", r.shape, (count, gates * hidden, hidden))
    bias, peepholes = call.optional_grid("B"), call.optional_grid("P")
    if bias is not None:
        _must_be("B", bias.shape, (count, 2 * gates * hidden))
    if peepholes is not None:
        _must_be("P", peepholes.shape, (count, 3 * hidden))
    initial = tuple(_initial(call, name, (count, batch, hidden)) for name in states)
    begins_as_0 = [] if call.has("initial_h") else [r]
    if peepholes is not None and not call.has("initial_c"):
        begins_as_0.append(peepholes)
    if not all(is_finite(item) for grid in begins_as_0 for item in grid.items):
        # Whether the state of 0 that nobody gave is multiplied by an infinity, or left out.
        call.choose("no-state-times-infinity", "zero-times-it", "anything")
    as_written = call.since_version < _TRANSPOSED and hidden > 1
    return Node(
        x=x,
        w=w,
        r=r,
        bias=bias,
        peepholes=peepholes,
        initial=initial,
        lengths=_lengths(call, length, batch),
        gates=gates,
        backward=backward,
        by_rows=as_written
        and call.choose("recurrence-transposed", "transposed", "as-written") == "as-written",
    )


def _first_layout(call: Call, grid: Grid) -> Grid:
    return transpose(grid, _TURNED) if is_one(call, "layout", 0) else grid


def _directions(call: Call) -> tuple[bool, ...]:
    direction = call.string_attribute("direction", "forward")
    # The default of GRU-1 is written so.
    if direction == "foward" and (call.operator, call.since_version) == ("GRU", 1):
        direction = "forward"
    found = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}
    if direction not in found:
        raise InvalidCallError(f"direction is {direction!r}")
    return found[direction]


def _must_be(name: str, shape: Shape, wanted: Shape) -> None:
    if shape != wanted:
        raise InvalidCallError(f"{name} has shape {list(shape)}, not {list(wanted)}")


def _initial(call: Call, name: str, shape: Shape) -> Grid | None:
    if not call.has(name):
        return None
    turned = _first_layout(call, call.grid(name, rank=3))
    _must_be(name, turned.shape, shape)
    return turned


def _lengths(call: Call, length: int, batch: int) -> tuple[int, ...]:
    if not call.has("sequence_lens"):
        return (length,) * batch
    _must_be("sequence_lens", call.grid("sequence_lens").shape, (batch,))
    found = call.integers("sequence_lens")
    if not all(0 <= item <= length for item in found):
        raise InvalidCallError(f"sequence_lens {list(found)} are not within [0, {length}]")
    return found


# --- along sequences -------------------------------------------------------------------------


def carried_along(call: Call, node: Node, cell: Cell) -> Result:
    """Y, the hidden states of all steps, and the last one of each state.

    Args:
        call: the call, asked for what its page leaves open.
        node: its inputs.
        cell: one step: from a Steps, the direction, its weights, the input and the states.
    """
    length, batch, _ = node.x.shape
    counts = len(node.backward), batch, node.hidden
    is_short = any(item < length for item in node.lengths)
    is_empty = batch > 0 and (length == 0 or 0 in node.lengths)
    padding = ZERO_PADDING
    if is_short and call.wants("Y") and call.choose("padding", "zeros", "any-number") != "zeros":
        padding = ANY_NUMBER
    keeps = True
    if is_empty:
        keeps = call.choose("empty-sequence", "initial-state", "zeros") == "initial-state"
    items = iter(
        enclosed_all(
            node.x.type,
            lambda s: list(_all_states(s, node, cell, keeps=keeps)),
        )
    )
    y: list[Item] = [padding] * (length * counts[0] * batch * node.hidden)
    last: list[list[Item]] = [[] for _ in node.initial]
    for direction, index in _sequences(node):
        for step in _order(node, direction, index):
            place = ((step * counts[0] + direction) * batch + index) * node.hidden
            y[place : place + node.hidden] = [next(items) for _ in range(node.hidden)]
        for found in last:
            found += [next(items) for _ in range(node.hidden)]
    results = [
        Grid(node.x.type, (length, counts[0], batch, node.hidden), y),
        *(Grid(node.x.type, counts, found) for found in last),
    ]
    if call.int_attribute("layout", 0):
        results = [
            transpose(results[0], (2, 0, 1, 3)),
            *(transpose(g, _TURNED) for g in results[1:]),
        ]
    return tuple(results)


# What stands in Y behind the end of a sequence. A zero may have either sign.
ZERO_PADDING = Enclosed(ZERO, NEG_ZERO, ZERO, NEG_ZERO, ZERO, CHOICE)
# Its own value is 1, so that it is no reading with zeros.
ANY_NUMBER = any_number(ONE, CHOICE)


def _sequences(node: Node) -> Iterator[tuple[int, int]]:
    """Each direction and each sequence of the batch."""
    for direction in range(len(node.backward)):
        for index in range(len(node.lengths)):
            yield direction, index


def _order(node: Node, direction: int, index: int) -> range:
    """The steps of a sequence, in the order in which a direction takes them."""
    steps = range(node.lengths[index])
    return steps[::-1] if node.backward[direction] else steps


def _all_states(s: Steps, node: Node, cell: Cell, *, keeps: bool) -> Iterator[Interval]:
    """For each sequence its hidden state after each step, and all states after the last."""
    weights = [Weights(s, node, direction) for direction in range(len(node.backward))]
    nothing = filled(node.x.type, (len(weights), len(node.lengths), node.hidden), ZERO)
    for direction, index in _sequences(node):
        order = _order(node, direction, index)
        starts = node.initial if order or keeps else (None,) * len(node.initial)
        states: States = tuple(_row(s, grid or nothing, direction, index) for grid in starts)
        for step in order:
            states = cell(s, direction, weights[direction], _row(s, node.x, step, index), states)
            yield from states[0]
        for state in states:
            yield from state
