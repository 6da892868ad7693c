"""The answer about a model as text for a terminal: a table, the worst first, then the reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from onnx_conformance.core.text import one_line, shortened

from .words import (
    corpus_words,
    detail_lines,
    heading_words,
    notable,
    places_words,
    status_words,
    use_words,
    vector_words,
)

_ROWS = 25
_DETAILS = 10
_LONGEST_USE = 76
_LONGEST = 400


def lines_of(document: Mapping[str, Any], *, everything: bool = False) -> Iterator[str]:
    """The lines of the report.

    Args:
        document: what `facts.document_of` made.
        everything: whether to list every use, and the nodes and reasons of each.
    """
    yield heading_words(document)
    yield from document["summaries"]
    for sentence in document.get("chain", {}).get("sentences", ()):
        yield one_line(sentence, _LONGEST)
    for remark in document["remarks"]:
        yield f"note: {one_line(remark, _LONGEST)}"
    yield ""
    uses = document["uses"]
    shown = uses if everything else uses[:_ROWS]
    yield from _table(document, shown)
    if len(uses) > len(shown):
        yield f"{len(uses) - len(shown)} more uses, none of them worse (--verbose: all)"
    told = [line for line in uses if notable(line)]
    if told:
        yield ""
    for line in told if everything else told[:_DETAILS]:
        yield f"{use_words(line)}: {places_words(line)}"
        yield from (f"    {one_line(item, _LONGEST)}" for item in detail_lines(line))
    if len(told) > _DETAILS and not everything:
        yield f"{len(told) - _DETAILS} more of these (--verbose: all)"


def _table(document: Mapping[str, Any], uses: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    heading = ["nodes", "use", corpus_words(document)]
    heading += [one_line(item["name"], 30) for item in document["runtimes"]]
    rows = [
        [
            f"{line['nodes']:,}",
            shortened(use_words(line), _LONGEST_USE),
            vector_words(line),
            *(status_words(item) for item in line["evidence"]),
        ]
        for line in uses
    ]
    widths = [max(len(row[at]) for row in (heading, *rows)) for at in range(len(heading))]
    for row in (heading, *rows):
        first, *rest = row
        cells = [first.rjust(widths[0])]
        cells += [text.ljust(width) for text, width in zip(rest, widths[1:], strict=True)]
        yield "  ".join(cells).rstrip()
