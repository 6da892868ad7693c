"""The scoreboard: runtimes side by side, in Markdown, with every column and no percentage."""

from __future__ import annotations

from collections.abc import Sequence

from onnx_conformance.core.markdown import code
from onnx_conformance.core.text import one_line

from ..results.records import Results
from .facts.completeness import gaps, notes
from .facts.tally import shown_groups, total_tally
from .markdown import legend, side_by_side

# Values of one option that a line names.
_MOST = 5

_INTRODUCTION = (
    "What each runtime does on the vectors of {corpus}. The columns add up to the total; no column"
    " is a success but `pass`, and none is a ranking: a runtime that implements less, or whose API"
    " carries fewer types, has more under `unsupported`. By operator, requirement, form and vector:"
    " `onnx-validate site`."
)

_WHOLE = "Whole columns: {columns}, each of all {vectors:,} vectors."
_SELECTED = "Columns of all {vectors:,} vectors that were asked for: {columns}."
_PARTS = (
    "The others were run on a part of them, which is named below (*Who was judged*): their totals"
    " say of how many, and their counts are not comparable with those above."
)

TITLE = "# Scoreboard"
OWN_HEADING = "## ONNX's own node tests"
_OWN_INTRODUCTION = (
    "The same columns on the node tests of the onnx package ({corpus}), judged with their own"
    " tolerances: `onnx-vectors import onnx`. They are fewer, all valid, and mostly float32."
)


def render(results: Sequence[Results], more: str = "") -> str:
    """The scoreboard of several backends as a Markdown document, ending with a newline.

    `more` are sections that follow, such as that about ONNX's own tests (`render_own`).
    """
    header = results[0].header
    digest = str(header.corpus.get("digest") or "")[:12]
    corpus = f"corpus {code(str(header.corpus.get('version', 'unversioned')))}"
    if digest:
        corpus += f" (manifest {code(digest)}…)"
    groups = shown_groups([total_tally(item) for item in results])
    most = max(len(item.header.planned) for item in results)
    whole = [item for item in results if len(item.header.planned) == most]
    others = [item for item in results if len(item.header.planned) != most]
    words = _SELECTED if any(_selected(item) for item in whole) else _WHOLE
    parts = [
        TITLE,
        _INTRODUCTION.format(corpus=corpus),
        *((words.format(columns=len(whole), vectors=most),) if others else ()),
        side_by_side(whole),
        *((_PARTS, side_by_side(others)) if others else ()),
        legend(groups),
        "## Who was judged",
        "\n".join(_who(item) for item in results),
        *([more.rstrip()] if more else []),
    ]
    return "\n\n".join(parts) + "\n"


def render_own(results: Sequence[Results]) -> str:
    """The section about ONNX's own node tests: what the same backends do on those."""
    corpus = code(str(results[0].header.corpus.get("version", "unversioned")))
    parts = [
        OWN_HEADING,
        _OWN_INTRODUCTION.format(corpus=corpus),
        side_by_side(results),
        "\n".join(_who(item) for item in results),
    ]
    return "\n\n".join(parts) + "\n"


def _who(results: Results) -> str:
    header = results.header
    name, version = (str(header.describe.get(key, "")) for key in ("name", "version"))
    runtime = " ".join(code(item) for item in (name, version) if item)
    day = header.started.split("T", 1)[0]
    line = f"- {code(header.backend)}: {runtime}" + (f", run on {code(day)}" if day else "")
    remarks = [f"  - a part: {code(_selected(results))}"] if _selected(results) else []
    remarks += [f"  - {code(remark)}" for remark in notes(results)]
    remarks += [f"  - **incomplete:** {code(gap)}" for gap in gaps(results)]
    return "\n".join([line, *remarks])


def _selected(results: Results) -> str:
    """The options by which the vectors of a run were selected, in words; empty for all."""
    selection = results.header.extra.get("selection", {})
    if not isinstance(selection, dict):
        return ""
    words = []
    for name, value in selection.items():
        values = value if isinstance(value, list) else [value]
        if value is True:
            words.append(name)
        elif len(values) > _MOST:
            words.append(f"{len(values)} {name}")
        else:
            words.append(f"{name} {', '.join(one_line(str(item), 40) for item in values)}")
    return "; ".join(words)
