"""A model as a whole on a backend: which of its nodes is the first to go wrong.

Every node is judged on the values that the backend itself gave to it, so that what one node does
wrong is no fault of those behind it. The values come from the model with its values among its
outputs; a runtime fuses less of that, and so its outputs are compared with those of the model as it
is, too: see `apart`. It may still fuse a node with its neighbours, and then not take the value that
it returned: a node counts as wrong only if it is wrong when it runs alone on the same values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from onnx_conformance.core.corpus.vector_files import (
    data_sets_of,
    permitted_outputs_of,
    vector_of,
)
from onnx_conformance.core.corpus.vectors import Vector
from onnx_conformance.core.text import one_line, quantity
from onnx_conformance.core.values.limits import IEEE
from onnx_conformance.core.values.tensors import NamedValue, Value

from ..judging.judge import judge
from ..judging.tolerance_rules import ONNX_MODE, rule_for
from ..judging.verdicts import Judgement, Observation, Outputs, Verdict
from .apart import Apart
from .observing import AS_IT_IS, WITH_ALL, Observed

if TYPE_CHECKING:
    from onnx_conformance.core.models.cutting import Cutter, ExpectedNode
    from onnx_conformance.core.models.listing import ModelUses


Alone: TypeAlias = "Callable[[Mapping[str, Mapping[str, bytes]]], Mapping[str, Observation | None]]"


@dataclass(frozen=True)
class WrongNode:
    """A node that goes wrong on the values that the backend gave to it."""

    #: Its name.
    node: str
    #: Its operator.
    operator: str
    #: The verdict, and what differs.
    what: str

    def to_json(self) -> dict[str, str]:
        """All of it for JSON."""
        return {"node": self.node, "operator": self.operator, "what": self.what}


@dataclass(frozen=True)
class Chain:
    """What became of a model as a whole.

    Attributes:
        runtime: the name of the backend.
        nodes: how many nodes the main graph has.
        passed: how many did right.
        wrong: those that did not, also alone, in the order of the graph.
        fused: those that did not, and did right alone.
        left_out: why nodes were not judged, with how many.
        sampled: of how many of those that were judged some elements were compared alone.
        comparisons: what the outputs of the model were compared with.
        runs: whether the backend gives outputs for the model as it is; None if it was not given it.
        why: why there is nothing to judge, or ''.
    """

    runtime: str
    nodes: int
    passed: int
    wrong: tuple[WrongNode, ...]
    fused: tuple[WrongNode, ...]
    left_out: Mapping[str, int]
    sampled: int
    comparisons: tuple[Apart, ...]
    runs: bool | None
    why: str

    @property
    def judged(self) -> int:
        """How many nodes were judged."""
        return self.passed + len(self.wrong) + len(self.fused)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The chain in words."""
        found = []
        if self.why:
            found.append(f"{self.runtime} {self.why}")
        if self.judged:
            found.append(
                f"{quantity(self.judged, 'node')} of {self.nodes} judged on the values that"
                f" {self.runtime} itself gave to them: {self.judged - len(self.wrong)} right,"
                f" {len(self.wrong)} wrong"
                + (f"; {self.sampled} of them by some of their elements" if self.sampled else "")
            )
        if self.fused:
            first = self.fused[0]
            found.append(
                f"{quantity(len(self.fused), 'node')} of these right when run alone: in the model"
                f" the runtime does not take the values that it returns, as where it fuses nodes;"
                f" the first is {first.node} ({first.operator}): {first.what}"
            )
        if self.wrong:
            first = self.wrong[0]
            found.append(f"the first wrong node is {first.node} ({first.operator}): {first.what}")
        found += [
            f"{quantity(count, 'node')} not judged: {reason}"
            for reason, count in self.left_out.items()
        ]
        found += [item.sentence for item in self.comparisons]
        return tuple(found)

    def to_json(self) -> dict[str, Any]:
        """All of it for JSON."""
        return {
            "runtime": self.runtime,
            "sentences": list(self.sentences),
            "runs": self.runs,
            "nodes": self.nodes,
            "judged": self.judged,
            "passed": self.passed,
            "wrong": [item.to_json() for item in self.wrong],
            "right_alone": [item.to_json() for item in self.fused],
            "not_judged": dict(self.left_out),
            "judged_by_some_elements": self.sampled,
            "compared_with": [item.to_json() for item in self.comparisons],
        }


def chain_of(  # noqa: PLR0913, PLR0917  what a chain is made of
    runtime: str,
    model: ModelUses,
    observed: Observed,
    fed: Mapping[str, Value],
    cutter: Cutter,
    alone: Alone,
) -> Chain:
    """Judge each node of a model on what a backend gave to it.

    Args:
        runtime: the name of the backend.
        model: the model.
        observed: what the backend returned.
        fed: the values of the model's inputs.
        cutter: knows what a node must return.
        alone: runs single vectors, given by a name with their files.
    """
    nodes = len(model.opened.proto.graph.node)
    if observed.everything is None:
        as_it_is = observed.why.get(AS_IT_IS)
        reason = as_it_is or observed.why.get(WITH_ALL, "")
        which = "the model" if as_it_is else "the model with its values among its outputs"
        why = f"gives no values for {which}: it {one_line(reason, 300)}"
        return replace(not_judged(runtime, nodes, why), runs=observed.outputs is not None)
    values = {**fed, **observed.everything}
    passed, doubted = 0, []
    left_out: Counter[str] = Counter()
    sampled = 0
    for item in cutter.expected(model, values):
        judgement = _in_model(item, observed.everything)
        sampled += item.sampled and judgement is not None
        if judgement is None:
            left_out[item.reason or "the runtime did not return its outputs"] += 1
        elif judgement.verdict is Verdict.PASS:
            passed += 1
        else:
            what = f"{judgement.verdict}: {one_line(judgement.message, 400)}"
            doubted.append((WrongNode(item.node, item.operator, what), item.files or {}))
    wrong, fused = _confirmed(doubted, alone)
    why = ""
    if observed.outputs is None:
        reason = one_line(observed.why[AS_IT_IS], 300)
        why = f"gives no outputs for the model as it is: it {reason}"
    return Chain(
        runtime,
        nodes,
        passed,
        wrong,
        fused,
        dict(left_out.most_common()),
        sampled,
        (),
        observed.outputs is not None,
        why,
    )


def not_judged(runtime: str, nodes: int, why: str) -> Chain:
    """The chain of a model that could not be run."""
    return Chain(runtime, nodes, 0, (), (), {}, 0, (), None, why)


def _confirmed(
    doubted: Sequence[tuple[WrongNode, Mapping[str, bytes]]], alone: Alone
) -> tuple[tuple[WrongNode, ...], tuple[WrongNode, ...]]:
    """The nodes that are wrong when they run alone, too, and those that are not."""
    if not doubted:
        return (), ()
    observations = alone({str(index): files for index, (_, files) in enumerate(doubted)})
    wrong: list[WrongNode] = []
    fused: list[WrongNode] = []
    for index, (node, files) in enumerate(doubted):
        observation = observations[str(index)]
        right = (
            isinstance(observation, Outputs)
            and _judged(vector_of(files, node.node), files, observation).verdict is Verdict.PASS
        )
        (fused if right else wrong).append(node)
    return tuple(wrong), tuple(fused)


def _in_model(item: ExpectedNode, everything: Mapping[str, Value]) -> Judgement | None:
    """The judgement on a node; None if there is no answer, or nothing to hold against it."""
    if item.files is None or not all(name in everything for name in item.outputs):
        return None
    vector = vector_of(item.files, item.node)
    got = tuple(
        NamedValue(name, everything[value])
        for name, value in zip(vector.outputs, item.outputs, strict=True)
    )
    return _judged(vector, item.files, Outputs((got,)))


def _judged(vector: Vector, files: Mapping[str, bytes], got: Outputs) -> Judgement:
    return judge(
        vector,
        data_sets_of(vector, files, vector.id),
        permitted_outputs_of(vector, files, vector.id),
        got,
        rule_for(vector, ONNX_MODE, IEEE),
    )
