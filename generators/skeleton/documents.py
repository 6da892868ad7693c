"""The text of an operator's documents, from the installed onnx: for the author of a spec to read.

Requirements are written in our words, so the text is only in a skeleton, as marked comments; a spec
that still has such a comment is not finished.
"""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.text import quantity, unwrapped

if TYPE_CHECKING:
    import onnx

# Begins each comment line that holds text of a document.
MARK = "#|"

_WIDTH = 98


def document_comments(domain: str, operator: str, versions: Sequence[int]) -> Iterator[str]:
    """Comment lines: the whole newest document, then the changes of each version.

    Args:
        domain: the operator's domain; empty for the default one.
        operator: its name.
        versions: its since_versions in the installed onnx, ascending.
    """
    import onnx

    texts = [list(_document(onnx.defs.get_schema(operator, number, domain))) for number in versions]
    yield f"# {operator}-{versions[-1]}"
    for line in texts[-1]:
        yield from _comment(line)
    for position in range(len(versions) - 1, 0, -1):
        changes = list(_changes(texts[position - 1], texts[position]))
        yield "#"
        yield (
            f"# {operator}-{versions[position - 1]} became {operator}-{versions[position]}: "
            + ("text taken out (-) and put in (+)" if changes else "the text is the same")
        )
        for line in changes:
            yield from _comment(line)


def copied_text(path: Path) -> str | None:
    """Where a spec still has ONNX's own text, and what to do about it; None if it has none."""
    lines = path.read_text("utf-8").splitlines()
    marked = [number for number, line in enumerate(lines, 1) if line.lstrip().startswith(MARK)]
    if not marked:
        return None
    return (
        f"{path}:{marked[0]}: {quantity(len(marked), 'line')} of ONNX's own text; state the"
        " requirements in your own words and take it out"
    )


def _document(schema: onnx.defs.OpSchema) -> Iterator[str]:
    """The lines of a version's document: summary, parameters, attributes, type constraints."""
    yield from textwrap.dedent(schema.doc or "").strip().splitlines()
    for what, parameters in (("Input", schema.inputs), ("Output", schema.outputs)):
        for parameter in parameters:
            yield f"{what} {parameter.name}: {unwrapped(parameter.description)}"
    for name in sorted(schema.attributes):
        yield f"Attribute {name}: {unwrapped(schema.attributes[name].description)}"
    for constraint in schema.type_constraints:
        yield f"Types {constraint.type_param_str}: {unwrapped(constraint.description)}"


def _changes(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Removed lines, with `- `, and new lines, with `+ `; changes of white space do not count."""
    ours, theirs = ([unwrapped(line) for line in text if line.strip()] for text in (before, after))
    for line in difflib.ndiff(ours, theirs):
        if line[0] in "-+":
            yield line


def _comment(line: str) -> list[str]:
    """A line of text as comment lines that fit into a spec's width."""
    indent = " " * (len(line) - len(line.lstrip()))
    wrapped = textwrap.wrap(
        line,
        _WIDTH - len(MARK) - 1,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=True,
    )
    return [f"{MARK} {part}".rstrip() for part in wrapped or [""]]
