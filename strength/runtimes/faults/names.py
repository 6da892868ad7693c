"""Inputs, outputs and the names of values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from onnx_conformance.core.values.tensors import Tensor, Value
from onnx_conformance.generators.interpreter.outcomes import RefusedError

from ..registry import wrong
from ..steps import DeclaredStep, KeepStep, NodesStep, NodeStep, RunStep, Start, StartStep, Values

Outputs = dict[str, Value]

AREA = "names"


# --- which value goes where ----------------------------------------------------------------------


def _by_use(step: RunStep) -> list[str]:
    read = [name for node in step.graph.nodes for name in node.inputs]
    return sorted(step.feeds, key=lambda it: read.index(it) if it in read else len(read))


@wrong(
    AREA,
    RunStep,
    variants={"order of use": (_by_use,), "order of the alphabet": (lambda it: sorted(it.feeds),)},
    held_out=True,
)
def inputs_are_bound_in_the(step: RunStep, order: Callable[[RunStep], list[str]]) -> Outputs:
    """Inputs are bound in another order than that of the graph."""
    return step.right(dict(zip(order(step), step.feeds.values(), strict=True)))


@wrong(AREA, RunStep, held_out=True)
def outputs_are_in_the_order_of_nodes(step: RunStep) -> Outputs:
    """Outputs are given in the order in which nodes make them."""
    outputs = step.right()
    made = [name for node in step.graph.nodes for name in node.outputs]
    order = sorted(outputs, key=lambda it: made.index(it) if it in made else -1)
    return dict(zip(outputs, (outputs[name] for name in order), strict=True))


@wrong(AREA, RunStep, held_out=True)
def equal_outputs_are_one(step: RunStep) -> Outputs:
    """Two outputs of equal values are one, of the first one's shape."""
    outputs = step.right()
    seen: dict[object, Tensor] = {}
    for name, value in outputs.items():
        if isinstance(value, Tensor):
            outputs[name] = seen.setdefault((value.type, value.data), value)
    return outputs


@wrong(AREA, held_out=True)
def absent_inputs_close_up(step: NodeStep) -> Values:
    """Inputs with an empty name are left out, and later ones move up."""
    kept = [at for at, name in enumerate(step.node.inputs) if name]
    node = replace(step.node, inputs=tuple(step.node.inputs[at] for at in kept))
    return step.right(node=node, values=[step.values[at] for at in kept])


@wrong(AREA, KeepStep, held_out=True)
def absent_outputs_close_up(step: KeepStep) -> None:
    """Outputs with an empty name are left out, and the results of later ones move up."""
    named = tuple(name for name in step.node.outputs if name)
    step.right(replace(step.node, outputs=named))


# --- names that are taken for others -------------------------------------------------------------


_RENAMES: dict[str, Callable[[str], str]] = {
    "of any case": str.lower,
    "up to a colon": lambda name: name.split(":")[0] or name,
    "with underscores for signs": lambda name: (
        name.replace("/", "_").replace(".", "_").replace("-", "_")
    ),
    "of 64 characters": lambda name: name[:64],
}


@wrong(
    AREA,
    NodesStep,
    variants={words: (rename,) for words, rename in _RENAMES.items()},
    held_out=True,
)
def one_value_for_names(step: NodesStep, rename: Callable[[str], str]) -> None:
    """Names are told apart by a part of them."""
    values = step.frame.scope.values
    for name in list(values):
        values.setdefault(rename(name), values[name])
    for node in step.nodes:
        inputs, outputs = tuple(map(rename, node.inputs)), tuple(map(rename, node.outputs))
        step.right((replace(node, inputs=inputs, outputs=outputs),))
        for name in filter(None, node.outputs):
            values[name] = values.get(rename(name))
    for name in list(values):
        if rename(name) in values:
            values[name] = values[rename(name)]


# --- what is refused -----------------------------------------------------------------------------


def _read(step: RunStep) -> set[str]:
    return {name for node in step.graph.nodes for name in node.inputs}


def _made(step: RunStep) -> list[str]:
    return [name for node in step.graph.nodes for name in node.outputs]


def _outputs(step: RunStep) -> set[str]:
    return {item.name for item in step.graph.outputs}


def _has_idle_nodes(step: RunStep) -> bool:
    needed = _read(step) | _outputs(step)
    nodes = step.graph.nodes
    subgraphs = any(item.type == "graph" for node in nodes for item in node.attributes)
    return not subgraphs and any(needed.isdisjoint(node.outputs) for node in nodes)


def _has_idle_imports(step: RunStep) -> bool:
    model = step.session.model
    used = {node.domain for node in model.graph.nodes} | {key[0] for key in model.functions}
    return bool(model.imports.keys() - used - {""})


def _has_idle_functions(step: RunStep) -> bool:
    model = step.session.model
    nodes = [*model.graph.nodes, *(it for made in model.functions.values() for it in made.nodes)]
    return bool({key[1] for key in model.functions} - {node.operator for node in nodes})


_REFUSALS: dict[str, Callable[[RunStep], bool]] = {
    "inputs that no node takes": lambda it: bool(it.feeds.keys() - _read(it) - _outputs(it)),
    "inputs that are outputs": lambda it: bool(it.feeds.keys() & _outputs(it)),
    "initializers that are outputs": lambda it: bool(
        it.graph.initializers.keys() & _outputs(it),
    ),
    "initializers that no node takes": lambda it: bool(
        it.graph.initializers.keys() - _read(it) - _outputs(it)
    ),
    "initializers without elements": lambda it: any(
        not item.element_count for item in it.graph.initializers.values()
    ),
    "outputs that no node makes": lambda it: bool(_outputs(it).difference(_made(it))),
    "outputs that other nodes take": lambda it: bool(
        (_outputs(it) & _read(it)).intersection(_made(it))
    ),
    "graphs without nodes": lambda it: not it.graph.nodes,
    "nodes that nobody needs": _has_idle_nodes,
    "names that are no identifiers": lambda it: any(
        name and not name.isidentifier() for name in (*_read(it), *_made(it))
    ),
    "values that a node takes twice": lambda it: any(
        len(set(node.inputs)) < len(node.inputs) for node in it.graph.nodes if all(node.inputs)
    ),
    "empty names among inputs": lambda it: "" in _read(it),
    "empty names among outputs": lambda it: "" in _made(it),
    "imports that no node uses": _has_idle_imports,
    "functions that no node calls": _has_idle_functions,
}


@wrong(AREA, RunStep, variants={words: (item,) for words, item in _REFUSALS.items()})
def no(step: RunStep, is_refused: Callable[[RunStep], bool]) -> Outputs:
    """What the standard permits is refused."""
    if is_refused(step):
        raise RefusedError("this is not supported")
    return step.right()


@wrong(AREA, DeclaredStep)
def no_scalar_outputs(step: DeclaredStep) -> None:
    """A graph output without dimensions is refused."""
    if step.what == "graph output" and isinstance(step.value, Tensor) and not step.value.shape:
        raise RefusedError("an output without dimensions")
    step.right()


@wrong(AREA, StartStep)
def no_inputs_of_unknown_dimensions(step: StartStep) -> Start:
    """A graph input whose dimensions are not numbers is refused."""
    for item in step.graph.inputs:
        if item.shape is not None and not all(isinstance(size, int) for size in item.shape):
            raise RefusedError(f"'{item.name}' has dimensions that are not known")
    return step.right()
