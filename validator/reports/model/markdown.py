"""The answer about a model as Markdown, as GitHub shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onnx_conformance.core.markdown import cell, code, table

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


def render_markdown(document: Mapping[str, Any]) -> str:
    """The report: a table of all uses, then the reasons of those that are not fine."""
    parts = [f"# {code(heading_words(document))}", ""]
    parts += [f"- {code(item)}" for item in document["summaries"]]
    parts += [f"- {code(item)}" for item in document.get("chain", {}).get("sentences", ())]
    parts += [f"- note: {code(item)}" for item in document["remarks"]]
    heading = ["use", "nodes", corpus_words(document)]
    heading += [cell(item["name"]) for item in document["runtimes"]]
    rows = [
        [
            cell(use_words(line)),
            f"{line['nodes']:,}",
            vector_words(line),
            *(status_words(item) for item in line["evidence"]),
        ]
        for line in document["uses"]
    ]
    parts += ["", table(heading, rows), ""]
    told = [line for line in document["uses"] if notable(line)]
    if told:
        parts += ["## In detail", ""]
    for line in told:
        parts += [f"### {code(use_words(line))}", "", f"Nodes: {code(places_words(line))}", ""]
        parts += [f"- {code(item.strip())}" for item in detail_lines(line)]
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"
