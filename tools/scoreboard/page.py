"""docs/scoreboard.md, from the results of `make validate` and of `make scoreboard`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from onnx_conformance.validator.reports import scoreboard
from onnx_conformance.validator.results.merging import read_sources, runs_of
from onnx_conformance.validator.results.records import Results

from . import kept

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
    at_hand = _columns(folder, validated)
    columns = _of_one_corpus(at_hand, digest)
    if not any(is_whole(item) for item in columns) and page.startswith(scoreboard.TITLE):
        columns = []  # of nothing but parts no page is: it stays one of the corpus that it is of
    if not at_hand or not (columns or page):
        return ""
    own = _of_one_corpus(_read(folder / "onnx"))
    _, heading, before = page.partition(scoreboard.OWN_HEADING)
    more = (
        kept.section(
            [*(scoreboard.render(group) for group in _by_corpus(at_hand, columns)), page],
            [item.header.backend for item in columns] or kept.names(page),
        ),
        scoreboard.render_own(own) if own else heading + before,
    )
    following = "\n".join(filter(None, more))
    if columns:
        return scoreboard.render(columns, following)
    return f"{kept.main(page)}\n\n{following.rstrip()}\n"


def is_whole(results: Results) -> bool:
    """Whether a runtime was run on all vectors of its corpus, and not on a part."""
    extra = results.header.extra
    return not extra.get("selection") and not extra.get("missing_shards")


def _by_corpus(at_hand: Sequence[Results], but: Sequence[Results]) -> Iterator[Sequence[Results]]:
    """The columns that are not on the page itself, those of each corpus together."""
    groups: dict[str | None, list[Results]] = {}
    for item in at_hand:
        if item not in but:
            groups.setdefault(_digest(item), []).append(item)
    yield from groups.values()


def left_out(folder: Path, validated: Sequence[Results], digest: str) -> list[str]:
    """In words, the backends without a column on the corpus of the page, and why."""
    columns = _columns(folder, validated)
    there = {item.header.backend for item in columns}
    said = [
        f"{name}: was never run; `make validate` runs it" for name in FIRST if name not in there
    ]
    said += [
        f"{item.header.backend}: its results are of another corpus, under which it stands"
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
