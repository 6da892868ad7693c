"""Two runs of one model: whether their outputs are apart, and which node is the first to differ.

Nobody is judged by it. A document says what a node returns, and not how far roundings may add up in
a model: a difference is told with its place, and is no fault by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.models.walking import name_of
from onnx_conformance.core.text import one_line, quantity
from onnx_conformance.core.values.comparing import compare
from onnx_conformance.core.values.tensors import Value
from onnx_conformance.core.values.tolerance import pair

if TYPE_CHECKING:
    import onnx


# How far two runs may be apart: what ONNX's own runner takes for equal.
RTOL, ATOL = 1e-3, 1e-5


@dataclass(frozen=True)
class Apart:
    """What became of comparing a run of a model with another.

    Attributes:
        runtime: whose run it is.
        other: the other run, in words that follow `than`.
        where: the first output that differs, with both values; '' if none does; None if they were
            not compared.
        ulps: the largest distance among outputs of floats, or None.
        node: the first node whose values differ, or ''.
        why: why they were not compared, or ''.
    """

    runtime: str
    other: str
    where: str | None
    ulps: int | None = None
    node: str = ""
    why: str = ""

    @property
    def sentence(self) -> str:
        """It in words."""
        if self.where is None:
            return f"outputs were not compared with those of {self.other}: {self.why}"
        if not self.where:
            exact = self.ulps in (0, None)
            ulps = quantity(self.ulps or 0, "ulp")
            near = "" if exact else f", within {RTOL:g} ({ulps} apart at most)"
            return f"{self.runtime} gives the same outputs as {self.other}{near}"
        first = f"; the first node whose values differ is {self.node}" if self.node else ""
        return f"{self.runtime} gives other outputs than {self.other}: {self.where}{first}"

    def to_json(self) -> dict[str, Any]:
        """All of it for JSON."""
        return {
            "other": self.other,
            "difference": self.where,
            "ulps": self.ulps,
            "first_node": self.node,
            "why_not": self.why,
        }


def apart(
    runtime: str, other: str, values: Mapping[str, Value] | None, others: Mapping[str, Value] | None
) -> Apart:
    """Compare the outputs of two runs, by name, as far as both have them."""
    if values is None or others is None:
        return Apart(runtime, other, None, why="one of the two runs gave none")
    both = [name for name in values if name in others]
    if not both:
        return Apart(runtime, other, None, why="the two have no output in common")
    largest: int | None = None
    for name in both:
        found = compare(others[name], values[name], pair(RTOL, ATOL))
        if found.max_ulp is not None:
            largest = max(largest or 0, found.max_ulp)
        if found.difference is not None:
            where = f"{one_line(name, 80)}{found.difference.place}"
            words = f"{where} is {found.difference.got}, and {found.difference.expected} there"
            return Apart(runtime, other, one_line(words, 300), largest)
    return Apart(runtime, other, "", largest)


def first_apart(
    nodes: Sequence[onnx.NodeProto], values: Mapping[str, Value], others: Mapping[str, Value]
) -> str:
    """The first node of which both runs have a value that differs; '' if there is none."""
    for index, node in enumerate(nodes):
        if _differs(node, values, others):
            return name_of(node, index)
    return ""


def sought(
    nodes: Sequence[onnx.NodeProto],
    run: Callable[[Sequence[str]], Mapping[str, Value] | None],
    others: Mapping[str, Value],
) -> str:
    """The first node whose values differ if they alone are asked for; '' if none is found.

    A runtime that has to return every value fuses less than one that returns a few: where all of
    them at once show no difference, nodes are asked one by one, halving what is left.

    Args:
        nodes: of the main graph, in order.
        run: the values of the model by name, where these alone are asked for besides its outputs.
        others: the values of the other run.
    """
    listed = [
        (index, node)
        for index, node in enumerate(nodes)
        if any(name in others for name in node.output)
    ]
    low, high, found = 0, len(listed), ""
    while low < high:
        middle = (low + high) // 2
        index, node = listed[middle]
        values = run([name for name in node.output if name in others])
        if values is not None and _differs(node, values, others):
            found, high = name_of(node, index), middle
        else:
            low = middle + 1
    return found


def _differs(
    node: onnx.NodeProto, values: Mapping[str, Value], others: Mapping[str, Value]
) -> bool:
    return any(
        compare(others[name], values[name], pair(RTOL, ATOL)).difference is not None
        for name in node.output
        if name and name in values and name in others
    )
