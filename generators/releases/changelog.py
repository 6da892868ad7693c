"""The changelog of vectors, as Markdown for people and as JSON for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.markdown import cell, code, table
from onnx_conformance.core.text import one_line, quantity

if TYPE_CHECKING:
    from .changes import Changes, Corrected, Gone
    from .contents import ReleasedVector

_UNKNOWN = "(no requirement is known)"
NO_RULING = "no ruling is given"
LOST = "lost: nobody withdrew it"
_SHOWN = 8  # ids of one ruling that the page names; JSON has all


def as_markdown(changes: Changes) -> str:
    """The page: what was added by operator and requirement, what was corrected and withdrawn."""
    old, new = changes.old, changes.new
    parts = [
        f"# Vectors: {one_line(old.name)} to {one_line(new.name)}",
        _summary(changes),
    ]
    if changes.added:
        lines = [
            [cell(operator), f"{len(items):,}", _requirements(items)]
            for operator, items in _by_operator(changes.added)
        ]
        parts += ["## Added", table(["operator", "vectors", "by requirement"], lines)]
    if changes.corrected:
        parts += ["## Corrected", *_corrected(changes.corrected)]
    if changes.withdrawn:
        parts += ["## Withdrawn", *_withdrawn(changes.withdrawn)]
    return "\n\n".join(parts) + "\n"


def _summary(changes: Changes) -> str:
    return (
        f"{len(changes.old.vectors):,} vectors then, {len(changes.new.vectors):,} now:"
        f" {len(changes.added):,} added, {len(changes.corrected):,} corrected,"
        f" {len(changes.withdrawn):,} withdrawn."
    )


def as_document(changes: Changes) -> dict[str, Any]:
    """The same with every id, for programs."""
    return {
        "old": {"name": changes.old.name, "corpus": changes.old.version}
        | {"count": len(changes.old.vectors)},
        "new": {"name": changes.new.name, "corpus": changes.new.version}
        | {"count": len(changes.new.vectors)},
        "added": [
            {"id": item.id, "operator": item.operator, "covers": list(item.covers)}
            | {"digest": item.digest}
            for item in changes.added
        ],
        "corrected": [
            {
                "id": item.vector.id,
                "operator": item.vector.operator,
                "old": item.old,
                "new": item.vector.digest,
                "release": item.ruling.release if item.ruling else None,
                "ruling": item.ruling.words if item.ruling else None,
            }
            for item in changes.corrected
        ],
        "withdrawn": [
            {
                "id": item.vector.id,
                "operator": item.vector.operator,
                "digest": item.vector.digest,
                "release": item.release,
                "reason": item.reason,
            }
            for item in changes.withdrawn
        ],
    }


def _by_operator(items: Iterable[ReleasedVector]) -> list[tuple[str, list[ReleasedVector]]]:
    found: dict[str, list[ReleasedVector]] = {}
    for item in items:
        found.setdefault(item.operator, []).append(item)
    return sorted(found.items(), key=lambda pair: pair[0].lower())


def _requirements(items: Iterable[ReleasedVector]) -> str:
    counts = Counter(name for item in items for name in item.covers or (_UNKNOWN,))
    return ", ".join(f"{cell(name)} {count:,}" for name, count in sorted(counts.items()))


def _corrected(items: Sequence[Corrected]) -> list[str]:
    return _by_words(
        (
            item.ruling.words if item.ruling else NO_RULING,
            f"- {code(item.vector.id)}: digest {was} became {code(item.vector.digest[:12])}",
        )
        for item in items
        for was in [code(item.old[:12])]
    )


def _withdrawn(items: Sequence[Gone]) -> list[str]:
    return _by_words((item.reason or LOST, f"- {code(item.vector.id)}") for item in items)


def _by_words(lines: Iterable[tuple[str, str]]) -> list[str]:
    """A heading for all that has one reason, and some of the lines that have it."""
    found: dict[str, list[str]] = {}
    for words, line in lines:
        found.setdefault(words, []).append(line)
    return [
        part
        for words, those in found.items()
        for part in (
            f"{quantity(len(those), 'vector')}: {one_line(words)}",
            "\n".join([*those[:_SHOWN], *_more(len(those))]),
        )
    ]


def _more(count: int) -> list[str]:
    return [f"- and {count - _SHOWN:,} more"] if count > _SHOWN else []
