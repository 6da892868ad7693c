"""Writes the skeleton of a spec: YAML that the reader accepts, or says what is left to do."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from ..signatures.model import Attribute, Parameter, Signature
from ..signatures.reading import parameter_text
from ..specs.words import ROLES, Role
from .documents import MARK
from .examples import UpstreamExample
from .guesses import family_lines
from .roles import suggested_roles

_HEAD = """\
# yaml-language-server: $schema=schema.json
#
# A skeleton, to be worked off from top to bottom; docs/specs.md says what each key means.
# Take these comments out as you go.
"""
_WIDTH = 100


def skeleton(
    versions: Sequence[Signature],
    document: Sequence[str],
    examples: Sequence[UpstreamExample],
) -> str:
    """The text of the file.

    Args:
        versions: the operator's versions that are not deprecated, ascending.
        document: comment lines with ONNX's text.
        examples: ONNX's node tests of the operator.
    """
    roles = suggested_roles(versions)
    lines = [
        *_HEAD.splitlines(),
        "",
        f"operator: {versions[-1].operator}",
        *([f"domain: {versions[-1].domain}"] if versions[-1].domain else []),
        "",
        "# From schemas.json, which the reader of specs knows too:",
        *_signatures(versions),
        *_roles(roles),
        *_requirements(versions[-1], document),
        *_cases(examples),
        "# Cases from families; `onnx-vectors families` prints their manual. First the guess that",
        "# follows from signature and document.",
        "families:",
        *family_lines(versions, roles, " ".join(document)),
        "",
    ]
    return "\n".join(lines)


def _signatures(versions: Sequence[Signature]) -> Iterator[str]:
    """The content of each version: everything for the first, else only what it changed."""
    before: Signature | None = None
    for version in versions:
        name = f"{version.operator}-{version.since_version}"
        changes = [*_parameters(version, before), *_types(version, before)]
        same = "" if changes else ": nothing changed but the number"
        yield f"#   {name}, {_opsets(version)}{same}"
        for change in changes:
            yield from _wrapped(change)
        before = version


def _opsets(version: Signature) -> str:
    if version.since_version == version.last_opset:
        return f"opset {version.last_opset}"
    return f"opsets {version.since_version} to {version.last_opset}"


def _parameters(version: Signature, before: Signature | None) -> Iterator[str]:
    if before is None or (version.inputs, version.outputs) != (before.inputs, before.outputs):
        yield f"({_list(version.inputs)}) -> ({_list(version.outputs)})"
    known = before.attributes if before else {}
    for attribute in version.attributes.values():
        if known.get(attribute.name) != attribute:
            yield _attribute(attribute)
    gone = sorted(known.keys() - version.attributes.keys())
    if gone:
        yield f"no longer {'attribute' if len(gone) == 1 else 'attributes'} {', '.join(gone)}"


def _list(parameters: Sequence[Parameter]) -> str:
    return ", ".join(map(parameter_text, parameters))


def _attribute(attribute: Attribute) -> str:
    text = f"{attribute.name}: {attribute.type}"
    if attribute.required:
        return f"{text} required"
    return text if attribute.default is None else f"{text} = {attribute.default!r}"


def _types(version: Signature, before: Signature | None) -> Iterator[str]:
    for variable, types in version.types.items():
        known = before.types.get(variable) if before else None
        if known is None:
            yield f"{variable}: {' '.join(types)}"
            continue
        new = [item for item in types if item not in known]
        gone = [item for item in known if item not in types]
        if new:
            yield f"{variable}: also {' '.join(new)}"
        if gone:
            yield f"{variable}: no longer {' '.join(gone)}"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent="#     ",
        subsequent_indent="#       ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _roles(roles: dict[str, Role]) -> Iterator[str]:
    if not roles:
        return
    yield ""
    yield from _comment(
        "What each input is for, guessed from names and types. A role decides what a plain list"
        f" means, which data is made, and which forms apply. There are: {', '.join(ROLES)}."
    )
    yield "roles:"
    for name, role in roles.items():
        yield f"  {name}: {role}"


def _comment(text: str) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False
    )


def _requirements(newest: Signature, document: Sequence[str]) -> Iterator[str]:
    yield ""
    yield from _comment(
        "One requirement for each statement of the text below, in your own words. The lines with"
        f" {MARK} are ONNX's: none may stay, and `onnx-vectors check` says so."
    )
    yield "requirements: []"
    yield "#  - id: ..."
    yield "#    since: ..."
    yield "#    text: ..."
    yield f"#    source: {{document: {newest.operator}-{newest.since_version}, part: Summary}}"
    yield "#"
    yield from document
    yield ""


def _cases(examples: Sequence[UpstreamExample]) -> Iterator[str]:
    yield from _comment(
        "Cases that a person checks: the examples of the page, and what implementations get wrong."
    )
    yield "cases: []"
    yield "#  - id: ..."
    yield "#    documented: ...      # ONNX's name for it"
    yield "#    covers: [...]"
    yield "#    attributes: {...}"
    yield "#    inputs: {...}"
    yield "#    outputs: {...}       # where a person can check them; else the oracle computes them"
    yield "#"
    if not examples:
        yield "# ONNX has no node test of this operator."
    for since in sorted({item.since_version for item in examples}):
        yield f"# ONNX's node tests of version {since}:"
        for example in examples:
            if example.since_version == since:
                yield f"#  - {{documented: {example.name}, {example.assignment}}}"
    yield ""
