"""Makes a node with its values a call of an oracle: types, attributes, parameters by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from onnx_conformance.core.values.tensors import Value

from ...oracle.registry import Call, CallAttribute
from ...signatures.model import Option, Parameter, Signature
from .words import fits, fuller, word_of

# Called with the name of a rule that is broken, and how.
Refuse = Callable[[str, str], None]


def make_call(
    signature: Signature,
    attributes: Mapping[str, CallAttribute],
    values: Sequence[Value | None],
    outputs: Sequence[str],
    refuse: Refuse,
) -> Call:
    """The call that a node makes.

    Args:
        signature: the signature of the operator version.
        attributes: the node's attributes; defaults of the schema are added.
        values: the inputs by position; None is an absent one.
        outputs: names by position; an empty name is not requested.
        refuse: called with a rule and a reason if the signature does not list a type, or if there
            are too few or too many inputs or outputs, or a required input is absent.
    """
    check_counts(signature, [value is not None for value in values], outputs, refuse)
    inputs: dict[str, Value | tuple[Value, ...]] = {}
    for position, parameter in enumerate(signature.inputs):
        if parameter.option == Option.VARIADIC:
            given = [value for value in values[position:] if value is not None]
            if given:
                inputs[parameter.name] = tuple(given)
        elif position < len(values):
            value = values[position]
            if value is not None:
                inputs[parameter.name] = value
    words = [None if value is None else word_of(value) for value in values]
    return Call(
        since_version=signature.since_version,
        attributes=with_defaults(signature, attributes),
        inputs=inputs,
        operator=signature.operator,
        domain=signature.domain,
        outputs=requested(signature, outputs),
        types=bind_types(signature, words, refuse),
    )


def with_defaults(
    signature: Signature, attributes: Mapping[str, CallAttribute]
) -> dict[str, CallAttribute]:
    """The attributes, with the schema's defaults for those that are not given."""
    complete: dict[str, CallAttribute] = {
        item.name: item.default
        for item in signature.attributes.values()
        if item.default is not None
    }
    complete.update(attributes)
    return complete


def parameter_at(parameters: Sequence[Parameter], position: int) -> Parameter | None:
    """The parameter at a position; a variadic one has all positions that are left."""
    if position < len(parameters):
        return parameters[position]
    last = parameters[-1] if parameters else None
    return last if last is not None and last.option == Option.VARIADIC else None


def requested(signature: Signature, outputs: Sequence[str]) -> tuple[str, ...]:
    """The names of the signature's requested outputs; a variadic one once for each value."""
    names = []
    for position, name in enumerate(outputs):
        parameter = parameter_at(signature.outputs, position)
        if name and parameter is not None:
            names.append(parameter.name)
    return tuple(names)


def bind_types(signature: Signature, words: Sequence[str | None], refuse: Refuse) -> dict[str, str]:
    """The type that each type variable of the inputs is bound to.

    Args:
        signature: the signature of the operator version.
        words: the type of each input; None if it is absent or unknown.
        refuse: called with a rule and a reason if a type is not listed, or if a variable is
            bound to two types.
    """
    bound: dict[str, str] = {}
    for position, word in enumerate(words):
        parameter = parameter_at(signature.inputs, position)
        if word is None or parameter is None:
            continue
        allowed = signature.types_of(parameter)
        if not any(fits(word, item) for item in allowed):
            refuse(
                "inputs-are-of-listed-types",
                f"{signature.operator}-{signature.since_version} takes no {word} as"
                f" '{parameter.name}'",
            )
        if parameter.type not in signature.types or not parameter.homogeneous:
            continue
        known = bound.setdefault(parameter.type, word)
        if not fits(known, word):
            refuse(
                "a-variable-is-one-type",
                f"{signature.operator}: '{parameter.name}' is {word} where {parameter.type} is"
                f" {known}",
            )
        bound[parameter.type] = fuller(known, word)
    return bound


def check_counts(
    signature: Signature, inputs: Sequence[object], outputs: Sequence[str], refuse: Refuse
) -> None:
    """Refuse a node with too few or too many inputs or outputs, or without a required one.

    Args:
        signature: the signature of the operator version.
        inputs: by position, names or anything else that is true where an input is there.
        outputs: names by position.
        refuse: called with a rule and a reason.
    """
    name = f"{signature.operator}-{signature.since_version}"
    _check_count(name, "inputs", len(inputs), (signature.min_inputs, signature.max_inputs), refuse)
    _check_count(
        name, "outputs", len(outputs), (signature.min_outputs, signature.max_outputs), refuse
    )
    for parameter, given in zip(signature.inputs, inputs, strict=False):
        if parameter.option == Option.SINGLE and not given:
            refuse("inputs-are-there", f"{name}: input '{parameter.name}' is absent")


def _check_count(
    name: str, what: str, count: int, limits: tuple[int, int | None], refuse: Refuse
) -> None:
    least, most = limits
    if count < least or (most is not None and count > most):
        limit = (
            f"{least}" if least == most else f"{least} to {'any number' if most is None else most}"
        )
        refuse(f"as-many-{what}", f"{name} has {count} {what}, not {limit}")
