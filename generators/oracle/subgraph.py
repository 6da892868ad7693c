"""What an oracle sees of the graphs that its node has, or stands in.

A subgraph, as the oracle of If, Loop, Scan and SequenceMap gets it, is something that can be run. A
program, as that of Gradient gets it, is something that can be looked into.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from onnx_conformance.core.values.tensors import Tensor, Value

# What a loop may run before it is considered endless: a second of work here. Honest
# cases need a hundred.
MOST_ITERATIONS = 1_000


@dataclass(frozen=True)
class Subgraph:
    """The value of a graph attribute.

    Attributes:
        inputs: the names of the inputs that the operator feeds, in order; one that the graph has
            an initializer for is none of them.
        outputs: the names of its outputs, in order.
        output_types: what it declares each output to be, e.g. `float32` or `seq(int64)`; None
            where it does not say.
        output_shapes: of each output that is a tensor the declared dimensions, each a number, a
            name or None; None where it does not say.
        run: gives the outputs for the values of the inputs, in order. It sees the values of the
            scope that the node stands in. Raises what running any node can raise.
        captured: the names that it takes from that scope.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    output_types: tuple[str | None, ...]
    output_shapes: tuple[tuple[int | str | None, ...] | None, ...]
    run: Callable[[Sequence[Value]], tuple[Value, ...]]
    captured: frozenset[str] = field(default=frozenset(), kw_only=True)


@dataclass(frozen=True)
class Step:
    """A node of a program.

    Attributes:
        operator, domain, since_version: what it applies.
        inputs: the names of its inputs; an empty one is absent.
        outputs: the names of its outputs.
        attributes: by name, with the defaults of the schema.
        parameters: the names that the operator's signature has for its inputs.
    """

    operator: str
    domain: str
    since_version: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: tuple[tuple[str, Any], ...]  # of the kinds that `Call.attributes` has
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True)
class Program:
    """The part of a graph that makes one value of others.

    Attributes:
        steps: its nodes, each after those whose outputs it takes.
        constants: the values that neither a step makes nor the caller gives, by name.
    """

    steps: tuple[Step, ...]
    constants: tuple[tuple[str, Tensor], ...]
