"""Open questions in words: a line each, the text of an issue each, and what contradicts what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from onnx_conformance.core.markdown import cell, escaped, table
from onnx_conformance.core.text import quantity
from onnx_conformance.core.witnesses.readings import NONE_OF_THESE

if TYPE_CHECKING:
    from .joining import Open

_PAGE = "https://onnx.ai/onnx/operators/onnx_{}_{}.html"
#: What a reading may follow other than the page, and how the specs name it.
_SOURCES = {
    "function body": re.compile(r"\bbod(y|ies)\b"),
    "ONNX's examples or tests": re.compile(r"\b(tests?|examples?)\b", re.IGNORECASE),
    "onnx.reference": re.compile(r"\breference\b"),
    "shape inference or schema": re.compile(r"\b(inference|schemas?|checker)\b"),
    "another version's page": re.compile(r"\bversions? \d+\b"),
}


def sources_of(item: Open) -> tuple[str, ...]:
    """What the readings of a question follow other than the page, which then contradicts it."""
    words = " ".join((item.question.text, *item.question.readings.values()))
    return tuple(name for name, expression in _SOURCES.items() if expression.search(words))


def title(item: Open) -> str:
    """`Max: nan among inputs`."""
    return f"{item.operator}: {item.question.id.replace('-', ' ')}"


def address(item: Open) -> str:
    """The address of the operator's page."""
    domain, _, name = item.operator.rpartition(".")
    return _PAGE.format(domain.replace(".", ""), name) if domain else _PAGE.format("", name)


def listed(items: Iterable[Open]) -> Iterator[str]:
    """A line for each question."""
    for item in items:
        count = len(item.runtimes)
        if item.asked is None:
            told = "no vector asks it"
        elif item.differing:
            told = f"{item.differing} of {quantity(count, 'runtime')} differ"
        else:
            told = f"{quantity(count, 'runtime')} agree" if count else "no runtime answered"
        yield f"{title(item)} ({told}): {item.question.text}"


def issue(item: Open, corpus: str) -> str:
    """The text of an issue about a question, which can be filed as it is."""
    question = item.question
    readings = [f"* `{name}`: {words}" for name, words in question.readings.items()]
    parts = [
        f"### {title(item)}",
        question.text,
        f"Page: [{question.document}]({address(item)}), {question.part}.",
        "It can be read so:\n\n" + "\n".join(readings),
    ]
    if item.asked is None:
        parts.append("No test model asks it yet.")
    else:
        models = quantity(item.asked.vectors, "test model")
        parts.append(
            f"What runtimes do with the {models} of onnx-conformance {corpus} that"
            f" {'asks' if item.asked.vectors == 1 else 'ask'} it, such as `{item.asked.example}`:"
        )
        rows = [[escaped(str(engine)), _words(taken)] for engine, taken in item.runtimes]
        parts.append(table(["runtime", "takes"], rows) if rows else "None of them runs these.")
    named = sources_of(item)
    if named:
        parts.append(f"Readings also follow: {', '.join(named)}.")
    parts.append("Which is meant? A sentence on the page, or a test that settles it, would do.")
    return "\n\n".join(parts) + "\n"


def _words(taken: Mapping[str, int]) -> str:
    ordered = sorted(taken.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(
        f"{cell(name) if name != NONE_OF_THESE else 'none of these'} {count}"
        for name, count in ordered
    )


def sections(items: Sequence[Open], corpus: str) -> Iterator[str]:
    """The texts of questions on which runtimes differ, those together on which as many do."""
    seen = 0
    for item in items:
        if item.differing != seen:
            seen = item.differing
            yield f"## {quantity(seen, 'runtime')} {'differs' if seen == 1 else 'differ'} from most"
        yield issue(item, corpus).rstrip("\n")
