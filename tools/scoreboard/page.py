"""docs/scoreboard.md, from the results of `make validate` and of `make scoreboard`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.validator.reports import scoreboard
from onnx_conformance.validator.results.merging import read_sources, runs_of

from . import kept

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results

# As `make validate` shows them; the others follow.
FIRST = ("reference", "checker", "onnxruntime")


def written(
    folder: Path, page: str, validated: Sequence[Results] = (), digest: str | None = None
) -> str:
    """The page; empty without any results on the standard corpus.

    Args:
        folder: where `make scoreboard` keeps results, those of ONNX's own tests below `onnx`.
        page: the page as it is: what it says of other runtimes stays, and of ONNX's own tests where
            they were not run.
        validated: what `make validate` found, instead of what the folder has of these backends.
        digest: the corpus that the page is of; without one, that of the first backend.
    """
    columns = _of_one_corpus(_columns(folder, validated), digest)
    if not columns:
        return ""
    own = _of_one_corpus(_read(folder / "onnx"))
    _, heading, before = page.partition(scoreboard.OWN_HEADING)
    more = (
        kept.section(page, [item.header.backend for item in columns]),
        scoreboard.render_own(own) if own else heading + before,
    )
    return scoreboard.render(columns, "\n".join(filter(None, more)))


def left_out(folder: Path, validated: Sequence[Results], digest: str) -> list[str]:
    """In words, the backends that the page of a corpus does not show, and why."""
    columns = _columns(folder, validated)
    there = {item.header.backend for item in columns}
    said = [
        f"{name}: was never run; `make validate` runs it" for name in FIRST if name not in there
    ]
    said += [
        f"{item.header.backend}: its results are of another corpus; run it again"
        for item in columns
        if _digest(item) != digest
    ]
    return said


def _columns(folder: Path, validated: Sequence[Results]) -> list[Results]:
    known = {column.header.backend for column in validated}
    return [*validated, *(item for item in _read(folder) if item.header.backend not in known)]


def _read(folder: Path) -> list[Results]:
    found = runs_of(read_sources(sorted(folder.glob("*.jsonl"))))
    order = {name: number for number, name in enumerate(FIRST)}
    return sorted(found, key=lambda item: order.get(item.header.backend, len(order)))


def _of_one_corpus(columns: Sequence[Results], digest: str | None = None) -> list[Results]:
    """Those of a corpus; by default that of the first, which `make validate` runs before others."""
    if not columns:
        return []
    digest = digest or _digest(columns[0])
    return [item for item in columns if _digest(item) == digest]


def _digest(column: Results) -> str | None:
    found: str | None = column.header.corpus.get("digest")
    return found
