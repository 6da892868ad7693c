"""Subgraphs of If, Loop and Scan, and what they take from around them."""

from __future__ import annotations

from dataclasses import replace

from onnx_conformance.core.values.tensors import Tensor, Value
from onnx_conformance.generators.interpreter.outcomes import RefusedError
from onnx_conformance.generators.interpreter.scopes import Scope

from ..registry import wrong
from ..steps import NodeStep, SubgraphStep, Values
from ..tensors import has_type, int64, shapes_of
from .operators import ELEMENT_TYPES

Outputs = tuple[Value, ...]

AREA = "subgraphs"


@wrong(AREA, of=("If",))
def the_other_branch_is_run(step: NodeStep) -> Values:
    """If runs the branch of the other condition."""
    names = {"then_branch": "else_branch", "else_branch": "then_branch"}
    swapped = tuple(replace(item, name=names[item.name]) for item in step.node.attributes)
    return step.right(node=replace(step.node, attributes=swapped))


@wrong(AREA, of=("If",), held_out=True)
def the_else_branch_is_run_in_functions(step: NodeStep) -> Values:
    """The else-branch of an If in a function is taken whatever the condition."""
    condition = step.tensor()
    if condition is None or not step.in_function:
        return step.right()
    no = replace(condition, data=b"\0" * len(condition.data))
    return step.right(values=step.with_input(0, no))


@wrong(AREA, of=("Loop",))
def loops_run_once_less(step: NodeStep) -> Values:
    """A Loop with a trip count runs once less."""
    count = step.integers(0)
    if not count:
        return step.right()
    less = int64([count[0] - 1], getattr(step.values[0], "shape", None))
    return step.right(values=step.with_input(0, less))


@wrong(AREA, of=("Loop",), held_out=True)
def loops_run_once_at_least(step: NodeStep) -> Values:
    """The first condition of a Loop is not looked at."""
    condition = step.tensor(1)
    if condition is None:
        return step.right()
    yes = replace(condition, data=b"\1" * len(condition.data))
    return step.right(values=step.with_input(1, yes))


@wrong(AREA, SubgraphStep)
def only_graph_inputs_are_captured(step: SubgraphStep) -> Outputs:
    """A subgraph sees the graph's inputs and initializers, not what nodes computed before it."""
    graph, scope = step.session.model.graph, step.frame.scope
    names = {item.name for item in graph.inputs} | set(graph.initializers)
    kept = {name: item for name, item in scope.values.items() if name in names}
    return step.right(frame=replace(step.frame, scope=Scope(kept, scope.outer)))


@wrong(AREA, SubgraphStep, held_out=True)
def captures_stay_those_of_the_first_run(step: SubgraphStep) -> Outputs:
    """What a subgraph takes from outside is kept from its first run."""
    scope = step.frame.scope
    known = step.session.kept(
        id(step.graph), lambda: {name: scope.value(name) for name in scope.names()}
    )
    inner = Scope({}, Scope(known, scope))
    return step.right(frame=replace(step.frame, scope=inner))


@wrong(AREA, SubgraphStep)
def subgraphs_are_refused(step: SubgraphStep) -> Outputs:
    """Whatever has a subgraph is refused."""
    raise RefusedError(f"subgraph '{step.graph.name}'")


@wrong(AREA, SubgraphStep, variants={name: (name,) for name in ELEMENT_TYPES})
def no_subgraphs_that_give(step: SubgraphStep, name: str) -> Outputs:
    """A subgraph that gives one type is refused."""
    results = step.right()
    if has_type(results, name):
        raise RefusedError(f"a subgraph gives {name}")
    return results


@wrong(AREA, SubgraphStep, held_out=True)
def initializers_of_branches_are_shared(step: SubgraphStep) -> Outputs:
    """Initializers of subgraphs are hoisted: the first of a name is that of all."""
    memory = step.session.memory
    kept = {name: memory.setdefault(name, item) for name, item in step.graph.initializers.items()}
    return step.right(graph=replace(step.graph, initializers=kept))


@wrong(AREA, SubgraphStep, held_out=True)
def outputs_are_in_the_order_of_nodes(step: SubgraphStep) -> Outputs:
    """The outputs of a subgraph are in the order in which its nodes make them."""
    made = [name for node in step.graph.nodes for name in node.outputs]
    order = sorted(
        step.graph.outputs, key=lambda it: made.index(it.name) if it.name in made else -1
    )
    return step.right(graph=replace(step.graph, outputs=tuple(order)))


@wrong(AREA, SubgraphStep, held_out=True)
def carried_values_are_written_over(step: SubgraphStep) -> Outputs:
    """What a Loop carries is written over the value that it began with."""
    results, values = step.right(), step.frame.scope.values
    for before, after in zip(step.values[2:], results[1:], strict=False):
        same = isinstance(before, Tensor) and shapes_of([before]) == shapes_of([after])
        for name, value in list(values.items()) if same else ():
            if value is before:
                values[name] = after
    return results
