"""What is known of runtimes that were not run on the corpus of the scoreboard: it stays on it.

Some columns take hours, and their results files are on one machine. So a page keeps the lines of
runtimes that were not run since, under the corpus that they are of, instead of losing them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

HEADING = "## On other corpora"
_INTRODUCTION = (
    "These were not run on the corpus above, or on a part of it alone. What they did when they were"
    " run last stands under the corpus that it is of: another one has a few other vectors, so that"
    " counts of two corpora are not comparable. Who is not said to have run a part has run all."
)
_CORPUS = re.compile(r"corpus `[^`\n]+`(?: \(manifest `[0-9a-f]+`…\))?")
_ROW = re.compile(r"\| `([^`]+)` \|")
_RUNTIME = re.compile(r"- `([^`]+)`: ")
_RULE = "|---|"


@dataclass(frozen=True)
class Kept:
    """Runtimes on one corpus, as a page shows them.

    Attributes:
        corpus: which, in the page's words.
        tables: of each, the heading with the rule below it, and the line of each runtime.
        who: the lines that say who each runtime was.
    """

    corpus: str
    tables: tuple[tuple[str, dict[str, str]], ...]
    who: dict[str, str]

    def without(self, names: Collection[str]) -> Kept:
        """What is left without these runtimes."""
        tables = [
            (heading, {name: line for name, line in rows.items() if name not in names})
            for heading, rows in self.tables
        ]
        return Kept(self.corpus, tuple(item for item in tables if item[1]), self.who)

    def __add__(self, other: Kept) -> Kept:
        """The runtimes of both, on the same corpus."""
        return Kept(self.corpus, self.tables + other.tables, {**other.who, **self.who})

    @property
    def names(self) -> tuple[str, ...]:
        """The runtimes, in order."""
        return tuple(name for _, rows in self.tables for name in rows)

    def text(self) -> str:
        """The part of the page."""
        tables = ["\n".join([heading, *rows.values()]) for heading, rows in self.tables]
        who = "\n".join(self.who[name] for name in self.names if name in self.who)
        return "\n\n".join([f"### On {self.corpus}", *tables, *([who] if who else [])])


def section(pages: Sequence[str], names: Collection[str]) -> str:
    """The section about the runtimes of pages that are not among `names`; empty without any.

    A runtime that is on several stays as the first has it.
    """
    seen, found = set(names), dict[str, Kept]()
    for kept in (item for page in pages for item in _of_page(page)):
        left = kept.without(seen)
        seen.update(left.names)
        if left.tables:
            there = found.get(left.corpus)
            found[left.corpus] = there + left if there else left
    if not found:
        return ""
    return "\n\n".join([HEADING, _INTRODUCTION, *(item.text() for item in found.values())]) + "\n"


def names(page: str) -> tuple[str, ...]:
    """The runtimes of the page's own corpus."""
    return next((kept.names for kept in _of_page(main(page))), ())


def main(page: str) -> str:
    """What a page says of its own corpus."""
    return re.split(rf"\n(?:{HEADING}|## ONNX's)", page)[0].rstrip()


def _of_page(page: str) -> Iterator[Kept]:
    """The runtimes of a page: those of its corpus first, then those of earlier ones."""
    earlier = page.partition(f"\n{HEADING}\n")[2].partition("\n## ")[0]
    for part in (main(page), *earlier.split("\n### ")[1:]):
        corpus = _CORPUS.search(part)
        if corpus is not None:
            yield Kept(corpus[0], tuple(_tables(part)), dict(_who(part)))


def _tables(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    for block in text.split("\n\n"):
        heading, *lines = block.strip().split("\n")
        if lines and lines[0].startswith(_RULE):
            rows = {found[1]: line for line in lines[1:] if (found := _ROW.match(line))}
            yield f"{heading}\n{lines[0]}", rows


def _who(text: str) -> Iterator[tuple[str, str]]:
    """Each runtime's line of the list, with the remarks below it."""
    for entry in re.split(r"\n(?=- )", f"\n{text}"):
        found = _RUNTIME.match(entry)
        if found is not None:
            yield found[1], entry.split("\n\n")[0].rstrip()
