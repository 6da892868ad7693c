"""The form in which an oracle gets graphs: those of its node, or the one around it.

The oracles of If, Loop, Scan and SequenceMap get a subgraph, which can be run. The oracle of
Gradient gets a program, which can be inspected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from onnx_conformance.core.values.tensors import Tensor, Value

# Iterations after which a loop is considered endless: a second of work here. Honest cases need a
# hundred.
MOST_ITERATIONS = 1_000


@dataclass(frozen=True)
class Subgraph:
    """The value of a graph attribute.

    Attributes:
        inputs: the names of the inputs that the operator feeds, in order; inputs with an
            initializer are left out.
        outputs: the names of its outputs, in order.
        output_types: the declared type of each output, e.g. `float32` or `seq(int64)`; None if it
            is not declared.
        output_shapes: for each output that is a tensor the declared dimensions, each a number, a
            name or None; None if they are not declared.
        run: gives the outputs for the values of the inputs, in order. It sees the values in the
            scope of the node. Raises the errors that running any node can raise.
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
        operator, domain, since_version: the operator version.
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
    """The part of a graph that computes one value from others.

    Attributes:
        steps: its nodes, each after the nodes of its inputs.
        constants: by name, the values that no step computes and the caller does not give.
    """

    steps: tuple[Step, ...]
    constants: tuple[tuple[str, Tensor], ...]
