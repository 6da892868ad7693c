"""docs/scoreboard.md, from the results of `make validate` and of `make scoreboard`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx_conformance.validator.reports import scoreboard
from onnx_conformance.validator.results.merging import merge, read_sources

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results

# As `make validate` shows them; the others follow.
FIRST = ("reference", "checker", "onnxruntime")


def written(folder: Path, page: str, validated: Sequence[Results] = ()) -> str:
    """The page; empty without any results on the standard corpus.

    Args:
        folder: where `make scoreboard` keeps results, those of ONNX's own tests below `onnx`.
        page: the page as it is: what it says of ONNX's own tests stays where they were not run.
        validated: what `make validate` found, instead of what the folder has of these backends.
    """
    known = {column.header.backend for column in validated}
    others = [column for column in _read(folder) if column.header.backend not in known]
    columns = _of_one_corpus([*validated, *others])
    if not columns:
        return ""
    own = _of_one_corpus(_read(folder / "onnx"))
    _, heading, kept = page.partition(scoreboard.OWN_HEADING)
    return scoreboard.render(columns, scoreboard.render_own(own) if own else heading + kept)


def _read(folder: Path) -> list[Results]:
    found = [merge(read_sources([path]))[0] for path in sorted(folder.glob("*.jsonl"))]
    order = {name: number for number, name in enumerate(FIRST)}
    return sorted(found, key=lambda item: order.get(item.header.backend, len(order)))


def _of_one_corpus(columns: Sequence[Results]) -> list[Results]:
    """Those of the corpus of the first: of make validate, or else of a backend it would run."""
    if not columns:
        return []
    digest = columns[0].header.corpus.get("digest")
    return [item for item in columns if item.header.corpus.get("digest") == digest]
