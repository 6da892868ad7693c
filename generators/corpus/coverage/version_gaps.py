"""What each version of an operator is asked: its attributes, optional inputs and optional outputs.

A runtime that ignores an attribute at one version passes all its vectors of that version, if none
gives the attribute a value that differs from the default; other versions do not help, as runtimes
have kernels for each. So each version has a valid or latitude vector in which an attribute is given
with such a value, or with any where the schema has no default; and each optional input and output
is there in one and left out in another.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from onnx_conformance.core.corpus.vectors import Kind

from ...planning.plans import Plan
from ...signatures.model import Attribute, Parameter
from ...situations.given import given_attributes, requested_outputs
from ...specs.model import OperatorVersion, Spec
from .oracles import names

_CURE = "; give it in a case that holds there, or say `spread: versions` of one that does it"


def version_gaps(spec: Spec, planned: Sequence[Plan]) -> Iterator[str]:
    """A line for each attribute, optional input and optional output that a version never shows."""
    found: dict[int, dict[str, Plan]] = defaultdict(dict)
    for plan in planned:
        if plan.kind != Kind.INVALID:
            found[plan.version.since_version].setdefault(plan.base_id, plan)
    for number, version in spec.versions.items():
        plans = tuple(found[number].values())
        where = f"{spec.path}: {spec.operator}-{number} has no vector"
        for gap in (*_attribute_gaps(spec, version, plans), *_optional_gaps(version, plans)):
            yield f"{where} {gap}"


def _attribute_gaps(spec: Spec, version: OperatorVersion, planned: Sequence[Plan]) -> Iterator[str]:
    # Graphs are given in every vector of an operator that has them.
    given: dict[str, list[object]] = defaultdict(list)
    for plan in planned:
        for item in given_attributes(plan):
            given[item.name].append(item.value)
    for attribute in version.attributes.values():
        values = given[attribute.name]
        if not all(_is_default(attribute, value) for value in values):
            continue
        usual = f"another '{attribute.name}' than its default {attribute.default}"
        unknown = "" if names(spec, attribute.name) else ", which its oracle does not know either"
        yield f"with {usual if values else repr(attribute.name)}{unknown}{_CURE}"


def _is_default(attribute: Attribute, value: object) -> bool:
    """Whether a value is the default; a spec may write a float with fewer digits than float32."""
    default = attribute.default
    if isinstance(default, float) and isinstance(value, (int, float)):
        return struct.pack("<f", default) == struct.pack("<f", value)
    return default is not None and value == default


def _optional_gaps(version: OperatorVersion, planned: Sequence[Plan]) -> Iterator[str]:
    inputs = [tuple(plan.case.examples[0].inputs) for plan in planned]
    outputs = [requested_outputs(plan, plan.case.examples[0]) for plan in planned]
    every = tuple(item.name for item in version.outputs)
    yield from _unseen("input", version.inputs, inputs)
    yield from _unseen("output", version.outputs, [names or every for names in outputs])


def _unseen(
    what: str, parameters: Iterable[Parameter], shown: Sequence[tuple[str, ...]]
) -> Iterator[str]:
    for item in parameters:
        if not item.optional:
            continue
        present = [any(map(item.has_instance, names)) for names in shown]
        if not any(present):
            yield f"with the optional {what} '{item.name}'{_CURE}"
        elif all(present):
            yield f"without the optional {what} '{item.name}'; add a case that leaves it out"
