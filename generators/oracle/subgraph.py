"""A subgraph as the oracle of If, Loop, Scan and SequenceMap gets it: something that can be run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from onnx_conformance.core.values.tensors import Value


@dataclass(frozen=True)
class Subgraph:
    """The value of a graph attribute.

    Attributes:
        inputs: the names of the graph's inputs, in order.
        outputs: the names of its outputs, in order.
        output_types: what it declares each output to be, e.g. `float32` or `seq(int64)`; None
            where it does not say.
        output_shapes: of each output that is a tensor the declared dimensions, each a number, a
            name or None; None where it does not say.
        run: gives the outputs for the values of the inputs, in order. It sees the values of the
            scope that the node stands in. Raises what running any node can raise.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    output_types: tuple[str | None, ...]
    output_shapes: tuple[tuple[int | str | None, ...] | None, ...]
    run: Callable[[Sequence[Value]], tuple[Value, ...]]
