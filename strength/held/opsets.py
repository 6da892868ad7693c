"""Faults of opsets and of what is checked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.tensors import Tensor
from onnx_conformance.generators.interpreter.outcomes import RefusedError
from onnx_conformance.generators.interpreter.running import Session

from .mechanism import BINARY, first_tensor, held, unchecked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from onnx_conformance.generators.interpreter.model import Node

    from .mechanism import Given


OPSETS = "opsets and checks"


def _at(
    session: Given, node: Node, imports: Mapping[str, int], choose: Callable[[int], int]
) -> Given:
    opset = imports.get(node.domain, 0)
    return Session.signature(session, node, {**imports, node.domain: choose(opset)})


@held(OPSETS, "signature")
def opset_rounds_up(session: Given, right: Given, node: Given, imports: Given) -> Given:
    """An opset between two versions of an operator means the later one."""
    versions = session.signatures.versions(node.domain, node.operator)
    opset = imports.get(node.domain, 0)
    later = [item for item in versions if item.since_version >= opset]
    return later[0] if later and not later[0].deprecated else right(node, imports)


@held(OPSETS, "signature")
def opsets_below_seven_are_seven(
    session: Given, right: Given, node: Given, imports: Given
) -> Given:
    """Opsets before 7 are run as 7."""
    return (
        _at(session, node, imports, lambda it: max(it, 7))
        if not node.domain
        else right(node, imports)
    )


@held(OPSETS, "signature")
def opsets_eight_to_twelve_are_eight(
    session: Given, right: Given, node: Given, imports: Given
) -> Given:
    """Opsets 8 to 12 are run as 8 where the operator exists then."""
    if not node.domain and 8 < imports.get("", 0) <= 12:
        try:
            return _at(session, node, imports, lambda _: 8)
        except RefusedError:
            pass
    return right(node, imports)


@held(OPSETS, "signature")
def opsets_after_twenty_one_are_twenty_one(
    session: Given, right: Given, node: Given, imports: Given
) -> Given:
    """Opsets after 21 are run as 21 where the operator exists then."""
    if not node.domain and imports.get("", 0) > 21:
        try:
            return _at(session, node, imports, lambda _: 21)
        except RefusedError:
            pass
    return right(node, imports)


@held(OPSETS, "signature")
def opsets_sixteen_and_seventeen_are_unknown(
    _session: Given, right: Given, node: Given, imports: Given
) -> Given:
    """A list of known opsets lacks 16 and 17."""
    if not node.domain and imports.get("", 0) in {16, 17}:
        raise RefusedError("unknown opset")
    return right(node, imports)


@held(OPSETS, "signature")
def opsets_of_two_digits_are_read_by_one(
    session: Given, right: Given, node: Given, imports: Given
) -> Given:
    """Opsets are compared as texts, so that 6 to 9 are later than 10 to 28."""
    versions = session.signatures.versions(node.domain, node.operator)
    opset = str(imports.get(node.domain, 0))
    fitting = [
        item for item in versions if str(item.since_version) <= opset and not item.deprecated
    ]
    last = max(fitting, key=lambda item: str(item.since_version), default=None)
    return last or right(node, imports)


@held(OPSETS, "signature")
def domains_share_an_opset(session: Given, right: Given, node: Given, imports: Given) -> Given:
    """Operators of other domains are of their newest version."""
    if node.domain and node.domain in session.signatures.opsets:
        return _at(session, node, imports, lambda _: session.signatures.opsets[node.domain])
    return right(node, imports)


@unchecked(OPSETS, "attributes-are-known")
def unknown_attributes_of_old_versions(checker: Given, _message: Given) -> bool:
    """Attributes that do not exist are ignored before opset 13."""
    return checker.model.imports.get("", 99) < 13


@unchecked(OPSETS, "attributes-are-known")
def unknown_attributes_of_new_versions(checker: Given, _message: Given) -> bool:
    """Attributes that do not exist are ignored since opset 22."""
    return checker.model.imports.get("", 0) >= 22


@unchecked(OPSETS, "attributes-have-their-type")
def ints_are_floats(_checker: Given, message: Given) -> bool:
    """An integer is taken where an attribute is a float."""
    return "is float, not int" in message


def as_lists(session: Given, right: Given, node: Given, values: Given, frame: Given) -> Given:
    """Integers where the operator has lists are lists of one."""
    if (node.domain, node.operator, node.overload) in session.model.functions:
        return right(node, values, frame)
    known = session.signature(node, frame.imports).attributes
    attributes = tuple(
        replace(it, type="ints", value=(it.value,))
        if it.type == "int" and it.name in known and known[it.name].type == "ints"
        else it
        for it in node.attributes
    )
    return right(replace(node, attributes=attributes), values, frame)


@unchecked(OPSETS, "attributes-have-their-type", taken=as_lists)
def one_is_a_list_of_one(_checker: Given, message: Given) -> bool:
    """An integer is taken where an attribute is a list of integers."""
    return "is ints, not int" in message


@unchecked(OPSETS, "inputs-are-of-listed-types")
def any_float_will_do(_checker: Given, message: Given) -> bool:
    """Types of 16 bits are taken where they are not listed."""
    return "float16" in message


@unchecked(OPSETS, "inputs-are-of-listed-types")
def unsigned_will_do(_checker: Given, message: Given) -> bool:
    """Unsigned types are taken where they are not listed."""
    return "takes no tensor(uint" in message or "takes no uint" in message


def as_the_first(_session: Given, right: Given, node: Given, values: Given, frame: Given) -> Given:
    """Further inputs are read as of the type of the first."""
    first = first_tensor(values)
    if first and node.operator in BINARY | {"Concat", "Equal", "Greater", "Less", "Sum"}:
        values = [
            _read_as(first.type, it) if isinstance(it, Tensor) and it.type != first.type else it
            for it in values
        ]
    return right(node, values, frame)


def _read_as(type_name: str, tensor: Tensor) -> Tensor:
    """The bytes of a tensor as those of another type, cut off or filled up."""
    if isinstance(tensor.data, tuple):
        return tensor
    length = (tensor.element_count * element_type(type_name).bits + 7) // 8
    return Tensor(type_name, tensor.shape, tensor.data[:length].ljust(length, b"\0"))


@unchecked(OPSETS, "a-variable-is-one-type", taken=as_the_first)
def types_of_one_size_are_one(_checker: Given, _message: Given) -> bool:
    """Two inputs of one variable may have two types: the second is read as the first."""
    return True


@unchecked(OPSETS, "as-many-inputs")
def inputs_beyond_the_last_are_ignored(_checker: Given, _message: Given) -> bool:
    """More inputs than an operator takes are ignored."""
    return True


@unchecked(OPSETS, "as-many-outputs")
def outputs_beyond_the_last_are_ignored(_checker: Given, _message: Given) -> bool:
    """More outputs than an operator gives are accepted."""
    return True


@unchecked(OPSETS, "outputs-have-the-declared-type", "values-have-the-declared-type")
def outputs_may_lie(_checker: Given, _message: Given) -> bool:
    """The declared type of an output is not looked at."""
    return True
