"""FlexAttention 1 of ai.onnx.preview. Source: its page; the function body is a second source.

Its modifiers are subgraphs, which get scores and weights with limits (accuracy/graphs.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from onnx_conformance.core.values.tensors import Tensor

from ...accuracy.bounds import enclosed_all
from ...accuracy.graphs import EnclosableGraph, Intervals
from ...accuracy.profiles import REAL
from ...accuracy.steps import Steps
from ...arith.grid import Grid, filled, tensor_of
from ...arith.intervals import NOTHING_BUT_NAN, Interval, point
from ...arith.numbers import NEG_INF, ZERO, is_finite
from ...arith.rationals import Fraction
from ...attributes import finite
from ...errors import InvalidCallError
from ...registry import Call, Result, oracle, refuse_if_chosen
from .attention import softmax_type
from .recurrence import narrower
from .shapes import BY_HEAD, Heads, check_fit
from .sums import Weights
from .weights import Arithmetic, Row, late, softmax


@dataclass(frozen=True)
class _Node:
    """A call, with its inputs by head.

    Attributes:
        call: the call.
        query, key, value: vectors by (batch, head, token).
        precision: the type of the scores and the weights.
        scale: the factor of the scores, None for one over the root of the size of a head.
        score_mod, prob_mod: the subgraphs applied to the scores and the weights.
    """

    call: Call
    query: Heads
    key: Heads
    value: Heads
    precision: str
    scale: Fraction | None
    score_mod: EnclosableGraph | None
    prob_mod: EnclosableGraph | None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the scores."""
        return (*self.query.grid.shape[:3], self.key.tokens)

    @cached_property
    def _rows(self) -> list[Row]:
        """Each query with the keys of its head."""
        scale = None if self.scale is None else abs(self.scale)
        arithmetic = Arithmetic(self.query.grid.type, self.precision, scale, ZERO)
        group = self.query.heads // self.key.heads
        found: list[Row] = []
        for batch in range(self.query.batch):
            for head in range(self.query.heads):
                keys = self.key.vectors(batch, head // group)
                queries = self.query.vectors(batch, head)
                found.extend(Row(arithmetic, query, keys, ()) for query in queries)
        return found

    def scores(self, steps: Steps, inner: Steps) -> list[Interval]:
        """The scaled products, in the type of the scores."""
        places = range(self.key.tokens)
        found = [item for row in self._rows for item in row.products(steps, places)]
        if self.scale is not None and self.scale < 0:
            halves = self.call.choose("negative-scale", "product", "halves") == "halves"
            found = [NOTHING_BUT_NAN if halves else steps.neg(item) for item in found]
        return [inner.rounded(item) for item in found]

    def modified(
        self, graph: EnclosableGraph | None, inner: Steps, items: Sequence[Interval]
    ) -> Sequence[Interval]:
        """The result of a modifier for scores or weights."""
        if graph is None:
            return items
        (found,) = graph.enclose(inner, [Intervals(self.precision, self.shape, items)])
        return found.items

    def weights(self, inner: Steps, scores: Sequence[Interval]) -> list[Interval]:
        """The softmax of the scores of one query."""
        if all(item == point(NEG_INF) for item in scores):
            reading = self.call.choose("nothing-attended", "not-a-number", "zero")
            return [NOTHING_BUT_NAN if reading == "not-a-number" else point(ZERO)] * len(scores)
        powers, found = softmax(inner, scores)
        if inner.profile == REAL or self.prob_mod is not None:
            return found
        return late(inner, found, powers)

    def means(self, steps: Steps, weights: Sequence[Interval], row: int) -> list[Interval]:
        """The sums of the values times the weights of one query, the row-th of all."""
        batch, head = divmod(row // self.query.tokens, self.query.heads)
        values = self.value.vectors(batch, head // (self.query.heads // self.key.heads))
        columns = list(zip(*values, strict=True))
        held = [steps.rounded(item) for item in weights]
        if steps.name == self.value.grid.type and Weights.are_finite(held):
            together = Weights(held)
            if all(map(is_finite, chain(*columns))):
                return [together.sum_of(steps, column) for column in columns]
        return [
            steps.dot(held, [steps.rounded(steps.exactly(item)) for item in column])
            for column in columns
        ]


@oracle("FlexAttention", domain="ai.onnx.preview")
def flex_attention(call: Call) -> Result:
    """Y: the values, weighted by the softmax of the scores, each put through its modifier."""
    node = _node_of(call)
    name, keys = node.query.grid.type, node.key.tokens
    shape = (*node.query.grid.shape[:3], node.value.size)
    if keys == 0:
        refuse_if_chosen(call, "no-key", "zeros")
        return (filled(name, shape, ZERO),)

    def formula(steps: Steps) -> list[Interval]:
        inner = steps.in_type(node.precision)
        last = steps.in_type(narrower(name, node.precision))
        scores = node.modified(node.score_mod, inner, node.scores(steps, inner))
        weights: list[Interval] = []
        for first in range(0, len(scores), keys):
            weights.extend(node.weights(inner, scores[first : first + keys]))
        probs = node.modified(node.prob_mod, inner, weights)
        found: list[Interval] = []
        for row, first in enumerate(range(0, len(probs), keys)):
            found.extend(node.means(last, probs[first : first + keys], row))
        return found

    return (Grid(name, shape, enclosed_all(name, formula)),)


def _node_of(call: Call) -> _Node:
    """The inputs by head; InvalidCallError if they or the modifiers do not fit."""
    query, key, value = (Heads(call.grid(name, rank=BY_HEAD)) for name in ("Q", "K", "V"))
    check_fit(query, key, value)
    name = query.grid.type
    precision = softmax_type(call, "float64" if name == "float64" else "float32")
    scale = finite(call, "scale") if "scale" in call.attributes else None
    shape = (*query.grid.shape[:3], key.tokens)
    sample = tensor_of(filled(precision, shape, ZERO))
    modifiers = [_modifier(call, name, sample) for name in ("score_mod", "prob_mod")]
    return _Node(call, query, key, value, precision, scale, *modifiers)


def _modifier(call: Call, name: str, sample: Tensor) -> EnclosableGraph | None:
    """A modifier; InvalidCallError if it does not suit tensors of the sample's type and shape."""
    graph = call.attributes.get(name)
    if graph is None:
        return None
    if not isinstance(graph, EnclosableGraph):
        raise InvalidCallError(f"{name} is no graph")
    if len(graph.inputs) != 1 or len(graph.outputs) != 1:
        counts = f"{len(graph.inputs)} inputs and {len(graph.outputs)} outputs"
        raise InvalidCallError(f"{name} has {counts}, not one of each")
    (found,) = graph.run([sample])
    if getattr(found, "type", None) != sample.type:
        raise InvalidCallError(f"{name} does not give {sample.type}")
    if getattr(found, "shape", None) != sample.shape:
        raise InvalidCallError(f"{name} does not keep the shape {list(sample.shape)}")
    return graph
