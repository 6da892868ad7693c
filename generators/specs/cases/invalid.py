"""Reads invalid cases: each is a valid case, its control, with one change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.yaml.nodes import Node

from ..model import Case, Example, Fault
from ..values_reading import dimensions, empty_or_text
from ..versions_reading import TYPE_NAMES
from .context import CaseContext
from .given import CaseValues

WRAPPINGS = ("sequence", "optional")
#: The keys below `fault`.
FAULTS = ("arguments", "results", "repeat", "declare_types", "declare_shapes", "ranks", "wrap")


def changed_from(
    control: Case, written: Case, document: Mapping[str, Node], values: CaseValues
) -> Case:
    """The invalid case: what it does not give is as in its control.

    Args:
        control: the valid case.
        written: what the case says besides its values.
        document: its keys.
        values: reads inputs and attributes.
    """
    attributes = document["attributes"].mapping() if "attributes" in document else {}
    inputs = values.inputs(document.get("inputs"), document.get("data"))
    named = set(document["inputs"].mapping()) if "inputs" in document else set()
    replaced = {_parameter(values, name) for name in named}
    kept = {
        name: value
        for name, value in control.examples[0].inputs.items()
        if _parameter(values, name) not in replaced
    }
    given = values.attributes(document.get("attributes"), of_the_operator=False)
    unchanged = (item for item in control.attributes if item.name not in attributes)
    return replace(
        written,
        kind=Kind.INVALID,
        attributes=(*unchanged, *given),
        examples=(Example({**kept, **inputs}, None),),
        since=written.since or control.since,
        until=written.until or control.until,
        types=written.types or control.types,
        bind={**control.bind, **written.bind},
        requested=control.requested if written.requested is None else written.requested,
        control=control.id,
    )


def _parameter(values: CaseValues, name: str) -> str:
    """The parameter that an instance name such as `inputs_1` belongs to."""
    found = values.parameter(name)
    return name if found is None else found.name


def read_fault(node: Node | None, context: CaseContext, values: CaseValues) -> Fault:
    """What is below `fault`: how the model differs from a well-formed one."""
    if node is None:
        return Fault()
    document = node.mapping((), FAULTS)

    def each(key: str) -> Mapping[str, Node]:
        if key not in document:
            return {}
        document[key].mapping()
        document[key].only_keys(tuple(context.outputs))
        return document[key].mapping()

    return Fault(
        arguments=_arguments(document, context),
        results=_results(document, context),
        repeat=values.attributes(document.get("repeat"), of_the_operator=False),
        declare_types={
            name: value.one_of(TYPE_NAMES, "element type")
            for name, value in each("declare_types").items()
        },
        declare_shapes={name: dimensions(value) for name, value in each("declare_shapes").items()},
        ranks={name: value.integer(0, 64) for name, value in each("ranks").items()},
        wrap=document["wrap"].one_of(WRAPPINGS, "wrapping") if "wrap" in document else None,
    )


def _arguments(document: Mapping[str, Node], context: CaseContext) -> tuple[str, ...] | None:
    """Inputs of the node, only from the operator's: other names would be a second fault."""
    if "arguments" not in document:
        return None
    known = list(context.inputs)
    if "wrap" in document:
        known.append(f"{known[0]}_wrapped")
    return tuple(
        empty_or_text(item) and item.one_of(known, "input")
        for item in document["arguments"].sequence()
    )


def _results(document: Mapping[str, Node], context: CaseContext) -> tuple[str, ...] | None:
    """Outputs of the node, with all of the operator's: graph outputs must have a producer."""
    if "results" not in document:
        return None
    results = tuple(empty_or_text(item) for item in document["results"].sequence())
    for name in context.outputs:
        if name not in results:
            raise document["results"].error(
                f"output '{name}' is missing: the graph gives it, so that the model would have"
                " a second fault"
            )
    return results
