"""Faults of functions and subgraphs, and of inputs, outputs and names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter.outcomes import RefusedError
from onnx_conformance.generators.interpreter.running import Session
from onnx_conformance.generators.interpreter.scopes import Frame, Scope

from .mechanism import held

if TYPE_CHECKING:
    from collections.abc import Callable

    from .mechanism import Given


FUNCTIONS = "functions and subgraphs"


@held(FUNCTIONS, "resolved")
def references_go_by_their_own_name(
    _session: Given, right: Given, node: Given, frame: Given
) -> Given:
    """A reference to an attribute takes the one of its own name."""
    attributes = tuple(
        replace(it, reference=it.name) if it.reference else it for it in node.attributes
    )
    return right(replace(node, attributes=attributes), frame)


@held(FUNCTIONS, "call_function")
def defaults_of_functions_are_lost(
    _session: Given, right: Given, function: Given, attributes: Given, values: Given
) -> Given:
    """The defaults of a function's attributes are not given to its nodes."""
    return right(replace(function, defaults=()), attributes, values)


@held(FUNCTIONS, "call_function")
def defaults_of_functions_win(
    _session: Given, right: Given, function: Given, attributes: Given, values: Given
) -> Given:
    """The default of a function's attribute wins over what is given."""
    names = {it.name for it in function.defaults}
    return right(function, [it for it in attributes if it.name not in names], values)


@held(FUNCTIONS)
def inlining_clobbers_names(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Functions are inlined without new names, which write over values around the call."""
    function = session.model.functions.get((node.domain, node.operator, node.overload))
    if function is None:
        return right(node, values, frame)
    given = {it.name: it for it in (*function.defaults, *session.resolved(node, frame))}
    scope = frame.scope
    padded = [*values, *[None] * (len(function.inputs) - len(values))]
    scope.values.update(zip(function.inputs, padded, strict=True))
    session.run_nodes(function.nodes, Frame(function.imports, given, scope, function.nodes))
    return [scope.value(name) if name else None for name in function.outputs]


@held(FUNCTIONS)
def overloads_are_one(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """The first function of a name is called, whatever the overload."""
    for domain, name, overload in session.model.functions:
        if (domain, name) == (node.domain, node.operator):
            return right(replace(node, overload=overload), values, frame)
    return right(node, values, frame)


@held(FUNCTIONS)
def standard_names_win(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A function with the name of a standard operator is taken for that operator."""
    if node.domain and (node.domain, node.operator, node.overload) in session.model.functions:
        try:
            return Session.execute(
                session,
                replace(node, domain="", overload=""),
                values,
                replace(frame, imports={**session.model.imports, **frame.imports}),
            )
        except RefusedError:
            pass
    return right(node, values, frame)


@held(FUNCTIONS, "run_subgraph")
def branches_share_initializers(
    session: Given, right: Given, graph: Given, frame: Given, values: Given
) -> Given:
    """Initializers of subgraphs are hoisted: the first of a name is that of all."""
    kept = {name: session.memory.setdefault(name, it) for name, it in graph.initializers.items()}
    return right(replace(graph, initializers=kept), frame, values)


@held(FUNCTIONS, "run_subgraph")
def subgraph_outputs_in_order_of_nodes(
    _session: Given, right: Given, graph: Given, frame: Given, values: Given
) -> Given:
    """The outputs of a subgraph are in the order in which its nodes make them."""
    made = [name for node in graph.nodes for name in node.outputs]
    order = sorted(graph.outputs, key=lambda it: made.index(it.name) if it.name in made else -1)
    return right(replace(graph, outputs=tuple(order)), frame, values)


@held(FUNCTIONS, "run_subgraph")
def captures_of_the_first_run(
    session: Given, right: Given, graph: Given, frame: Given, values: Given
) -> Given:
    """What a subgraph takes from outside is kept from its first run."""
    key = (id(graph), "scope")
    if key not in session.memory:
        names = frame.scope.names()
        session.memory[key] = {name: frame.scope.value(name) for name in names}
    return right(
        graph, replace(frame, scope=Scope({}, Scope(session.memory[key], frame.scope))), values
    )


@held(FUNCTIONS)
def loops_run_once_at_least(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """The first condition of a Loop is not looked at."""
    given = list(values)
    if node.operator == "Loop" and len(values) > 1 and isinstance(values[1], Tensor):
        given[1] = replace(values[1], data=b"\1" * len(values[1].data))
    return right(node, given, frame)


@held(FUNCTIONS, "call_function")
def absent_inputs_close_up(
    _session: Given, right: Given, function: Given, attributes: Given, values: Given
) -> Given:
    """Absent inputs of a function's call are left out, and later ones move up."""
    return right(function, attributes, [it for it in values if it is not None])


@held(FUNCTIONS)
def functions_inherit_attributes(
    session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """A function that is called in a function sees the attributes of that one."""
    function = session.model.functions.get((node.domain, node.operator, node.overload))
    if function is not None and frame.given:
        known = {it.name for it in node.attributes}
        wanted = {*function.attributes, *(it.name for it in function.defaults)}
        more = tuple(it for name, it in frame.given.items() if name in wanted - known)
        node = replace(node, attributes=node.attributes + more)
    return right(node, values, frame)


@held(FUNCTIONS)
def captured_names_are_of_the_model(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """The else-branch of an If in a function is taken whatever the condition."""
    given = list(values)
    if node.operator == "If" and frame.given is not None and isinstance(values[0], Tensor):
        given[0] = replace(values[0], data=b"\0" * len(values[0].data))
    return right(node, given, frame)


NAMES = "inputs, outputs, names"


@held(NAMES, "run")
def outputs_in_order_of_nodes(session: Given, right: Given, feeds: Given) -> Given:
    """Outputs are given in the order in which nodes make them."""
    outputs, graph = right(feeds), session.model.graph
    made = [name for node in graph.nodes for name in node.outputs]
    order = sorted(outputs, key=lambda it: made.index(it) if it in made else -1)
    return dict(zip(outputs, (outputs[name] for name in order), strict=True))


@held(NAMES, "run")
def inputs_in_order_of_use(session: Given, right: Given, feeds: Given) -> Given:
    """Inputs are bound in the order in which nodes read them."""
    graph = session.model.graph
    read = [name for node in graph.nodes for name in node.inputs]
    order = sorted(feeds, key=lambda it: read.index(it) if it in read else len(read))
    return right(dict(zip(order, feeds.values(), strict=True)))


@held(NAMES, "run")
def inputs_in_alphabetical_order(_session: Given, right: Given, feeds: Given) -> Given:
    """Inputs are bound in the order of the alphabet."""
    return right(dict(zip(sorted(feeds), feeds.values(), strict=True)))


def _renamed(right: Given, nodes: Given, frame: Frame, rename: Callable[[str], str]) -> Given:
    values = frame.scope.values
    for name in list(values):
        values.setdefault(rename(name), values[name])
    for node in nodes:
        right(
            (
                replace(
                    node,
                    inputs=tuple(map(rename, node.inputs)),
                    outputs=tuple(map(rename, node.outputs)),
                ),
            ),
            frame,
        )
        for name in node.outputs:
            if name:
                values[name] = values.get(rename(name))
    for name in list(values):
        if rename(name) in values:
            values[name] = values[rename(name)]


@held(NAMES, "run_nodes")
def names_are_of_any_case(_session: Given, right: Given, nodes: Given, frame: Given) -> Given:
    """Names are compared without regard to case."""
    _renamed(right, nodes, frame, str.lower)


@held(NAMES, "run_nodes")
def names_end_at_a_colon(_session: Given, right: Given, nodes: Given, frame: Given) -> Given:
    """Names end at a colon."""
    _renamed(right, nodes, frame, lambda it: it.split(":")[0] or it)


@held(NAMES, "run_nodes")
def names_end_at_a_slash(session: Given, right: Given, nodes: Given, frame: Given) -> Given:
    """Slashes and points in names are made underscores."""
    _renamed(
        session,
        right,
        nodes,
        frame,
        lambda it: it.replace("/", "_").replace(".", "_").replace("-", "_"),
    )


@held(NAMES, "run_nodes")
def names_are_of_64_bytes(_session: Given, right: Given, nodes: Given, frame: Given) -> Given:
    """Names are cut after 64 characters."""
    _renamed(right, nodes, frame, lambda it: it[:64])


@held(NAMES, "run")
def unused_inputs_are_gone(session: Given, right: Given, feeds: Given) -> Given:
    """A graph input that no node reads is dropped, and may not be fed."""
    graph = session.model.graph
    text = repr(graph.nodes) + repr(graph.outputs)
    if any(repr(name) not in text for name in feeds):
        raise RefusedError("an input is not known")
    return right(feeds)


@held(NAMES, "run")
def inputs_are_no_outputs(session: Given, right: Given, feeds: Given) -> Given:
    """A graph output must be made by a node."""
    made = {name for node in session.model.graph.nodes for name in node.outputs}
    if any(it.name not in made for it in session.model.graph.outputs):
        raise RefusedError("an output that no node makes")
    return right(feeds)


@held(NAMES)
def absent_inputs_move_up(
    _session: Given, right: Given, node: Given, values: Given, frame: Given
) -> Given:
    """Inputs with an empty name are left out, and later ones move up."""
    kept = [at for at, name in enumerate(node.inputs) if name]
    return right(
        replace(node, inputs=tuple(node.inputs[at] for at in kept)),
        [values[at] for at in kept],
        frame,
    )


@held(NAMES, "keep")
def absent_outputs_move_up(
    _session: Given, right: Given, node: Given, results: Given, scope: Given
) -> Given:
    """Outputs with an empty name are left out, and the results of later ones move up."""
    right(replace(node, outputs=tuple(it for it in node.outputs if it)), results, scope)


@held(NAMES, "initial_values")
def defaults_must_be_fed(_session: Given, right: Given, graph: Given, feeds: Given) -> Given:
    """An input with an initializer must be fed all the same."""
    if any(it.name in graph.initializers and it.name not in feeds for it in graph.inputs):
        raise RefusedError("an input is not fed")
    return right(graph, feeds)


@held(NAMES, "run")
def an_output_twice_is_once(_session: Given, right: Given, feeds: Given) -> Given:
    """Two outputs of equal values are one, of the first one's shape."""
    outputs, seen = right(feeds), {}
    for name, value in outputs.items():
        if isinstance(value, Tensor):
            outputs[name] = seen.setdefault((value.type, value.data), value)
    return outputs
