"""Describes how two snapshots of ONNX's schemas differ."""

from __future__ import annotations

from collections.abc import Iterator

from .model import Attribute, Parameter, Signature
from .reading import Signatures, parameter_text

_FLAGS = {
    "deprecated": "deprecated",
    "function": "defined by a function body",
    "context_function": "defined by a function body that depends on the node",
}


def differences(snapshot: Signatures, installed: Signatures) -> Iterator[str]:
    """A line for each operator version, type, parameter, attribute or opset that differs.

    The first argument is called `the snapshot` in these lines, the second `onnx`.
    """
    yield from _opsets(snapshot, installed)
    ours, theirs = _by_id(snapshot), _by_id(installed)
    for identity in sorted(ours.keys() | theirs.keys()):
        name = version_name(*identity)
        if identity not in ours:
            yield f"{name}: onnx has this version, the snapshot lacks it"
        elif identity not in theirs:
            yield f"{name}: the snapshot has this version, onnx lacks it"
        elif ours[identity] != theirs[identity]:
            for line in _of_version(ours[identity], theirs[identity]):
                yield f"{name}: {line}"


def version_name(domain: str, operator: str, since_version: int) -> str:
    """`Reshape-14`, `ai.onnx.ml.Scaler-1`."""
    return f"{domain}.{operator}-{since_version}" if domain else f"{operator}-{since_version}"


def _by_id(signatures: Signatures) -> dict[tuple[str, str, int], Signature]:
    return {
        (domain, operator, version.since_version): version
        for domain, operator in signatures.operators()
        for version in signatures.versions(domain, operator)
    }


def _opsets(snapshot: Signatures, installed: Signatures) -> Iterator[str]:
    for domain in sorted(snapshot.opsets.keys() | installed.opsets.keys()):
        where = f"domain '{domain}'" if domain else "the default domain"
        ours, theirs = snapshot.opsets.get(domain), installed.opsets.get(domain)
        if ours is None:
            yield f"{where}: onnx has it, the snapshot lacks it"
        elif theirs is None:
            yield f"{where}: the snapshot has it, onnx lacks it"
        elif ours != theirs:
            yield f"{where}: its newest opset is {ours} in the snapshot, {theirs} in onnx"


def _of_version(ours: Signature, theirs: Signature) -> Iterator[str]:
    for flag, words in _FLAGS.items():
        if getattr(ours, flag) != getattr(theirs, flag):
            side = "the snapshot" if getattr(ours, flag) else "onnx"
            yield f"{words} in {side} only"
    yield from _parameters("input", ours.inputs, theirs.inputs)
    yield from _parameters("output", ours.outputs, theirs.outputs)
    yield from _sets("type variable", set(ours.types), set(theirs.types))
    for name in sorted(ours.types.keys() & theirs.types.keys()):
        yield from _sets(f"type of {name}", set(ours.types[name]), set(theirs.types[name]))
    yield from _sets("attribute", set(ours.attributes), set(theirs.attributes))
    for name in sorted(ours.attributes.keys() & theirs.attributes.keys()):
        yield from _attribute(ours.attributes[name], theirs.attributes[name])


def _parameters(
    what: str, ours: tuple[Parameter, ...], theirs: tuple[Parameter, ...]
) -> Iterator[str]:
    if ours != theirs:
        here, there = (", ".join(map(parameter_text, side)) for side in (ours, theirs))
        yield f"{what}s: the snapshot has ({here}), onnx ({there})"


def _sets(what: str, ours: set[str], theirs: set[str]) -> Iterator[str]:
    for item in sorted(ours - theirs):
        yield f"the snapshot has {what} '{item}', onnx lacks it"
    for item in sorted(theirs - ours):
        yield f"onnx has {what} '{item}', the snapshot lacks it"


def _attribute(ours: Attribute, theirs: Attribute) -> Iterator[str]:
    if ours != theirs:
        yield (
            f"attribute '{ours.name}': {_attribute_words(ours)} in the snapshot,"
            f" {_attribute_words(theirs)} in onnx"
        )


def _attribute_words(attribute: Attribute) -> str:
    required = ", required" if attribute.required else ""
    default = "" if attribute.default is None else f", default {attribute.default!r}"
    return f"{attribute.type}{required}{default}"
