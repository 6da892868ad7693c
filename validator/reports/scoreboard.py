"""The scoreboard: runtimes side by side, in Markdown, with every column and no percentage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.core.markdown import code

from .facts.completeness import gaps, notes
from .facts.tally import shown_groups, total_tally
from .markdown import legend, side_by_side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..results.records import Results


_INTRODUCTION = (
    "What each runtime does on the vectors of {corpus}. The columns add up to the total; no column"
    " is a success but `pass`, and none is a ranking: a runtime that implements less, or whose API"
    " carries fewer types, has more under `unsupported`. By operator, requirement, form and vector:"
    " `onnx-validate site`."
)

OWN_HEADING = "## ONNX's own node tests"
_OWN_INTRODUCTION = (
    "The same columns on the node tests of the onnx package ({corpus}), judged with their own"
    " tolerances: `onnx-vectors import onnx`. They are fewer, all valid, and mostly float32."
)


def render(results: Sequence[Results], own: str = "") -> str:
    """The scoreboard of several backends as a Markdown document, ending with a newline.

    `own` is the section about ONNX's own tests (`render_own`), if there is one.
    """
    header = results[0].header
    digest = str(header.corpus.get("digest") or "")[:12]
    corpus = f"corpus {code(str(header.corpus.get('version', 'unversioned')))}"
    if digest:
        corpus += f" (manifest {code(digest)}…)"
    groups = shown_groups([total_tally(item) for item in results])
    parts = [
        "# Scoreboard",
        _INTRODUCTION.format(corpus=corpus),
        side_by_side(results),
        legend(groups),
        "## Who was judged",
        "\n".join(_who(item) for item in results),
        *([own.rstrip()] if own else []),
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
    remarks = [f"  - {code(remark)}" for remark in notes(results)]
    remarks += [f"  - **incomplete:** {code(gap)}" for gap in gaps(results)]
    return "\n".join([line, *remarks])
