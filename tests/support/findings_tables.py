"""The tables of docs/findings.md, from the baselines: `python tests/support/findings_tables.py`.

A baseline holds the verdict of every vector that does not pass, and the gate holds it against a
run. So the tables are those of a run, without one.
"""

from __future__ import annotations

import re
from collections import Counter

from committed_corpus import published_kinds
from places import ROOT
from small_corpus import entries_of

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.validator.gate.entries import read_baseline
from onnx_conformance.validator.gate.expectations import expectations_of

PAGE = ROOT / "docs/findings.md"
BACKENDS = ("onnxruntime", "onnxruntime-noopt", "reference", "checker")
RESULTS = "| backend |"
FINDINGS = "| finding |"
OPERATORS = ("reshape-", "shape-", "size-")  # those that the page is about


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def renewed(page: str) -> str:
    """The page with both tables as the baselines and the corpus have them."""
    every = entries_of(published_kinds(), published_kinds())
    entries = {name: entry for name, entry in every.items() if name.startswith(OPERATORS)}
    verdicts: dict[str, Counter[str]] = {}
    links: Counter[tuple[str, str]] = Counter()
    for backend in BACKENDS:
        baseline = read_baseline(ROOT / "baselines" / f"{backend}.yaml")
        expected = expectations_of(baseline, every).of
        listed = {name: entry for name, entry in expected.items() if name in entries}
        verdicts[backend] = Counter(word for entry in listed.values() for word in entry.verdicts)
        unlisted = [entry for name, entry in entries.items() if name not in listed]
        verdicts[backend]["latitude"] = sum(entry.kind == Kind.LATITUDE for entry in unlisted)
        verdicts[backend]["pass"] = len(unlisted) - verdicts[backend]["latitude"]
        for entry in listed.values():
            links[(entry.link or "").partition("#")[2], backend] += 1
    failures = {word for counts in verdicts.values() for word in counts} - {"pass", "latitude"}
    words = ["pass", *sorted(failures), "latitude"]
    results = [
        *_head(RESULTS, [*words, "all"]),
        *(
            _row(backend, [*(verdicts[backend][word] for word in words), len(entries)])
            for backend in BACKENDS
        ),
    ]
    findings = [
        *_head(FINDINGS, BACKENDS),
        *(
            _row(
                f"[{heading}](#{slug(heading)})", [links[slug(heading), item] for item in BACKENDS]
            )
            for heading in re.findall(r"^## (.+)$", page, re.MULTILINE)
            if heading != "Results"
        ),
    ]
    return _replaced(_replaced(page, RESULTS, results), FINDINGS, findings)


def _head(first: str, columns: list[str] | tuple[str, ...]) -> list[str]:
    return [f"{first} {' | '.join(columns)} |", "|---|" + "---:|" * len(columns)]


def _row(first: str, counts: list[int]) -> str:
    return f"| {first} | {' | '.join(f'{count:,}' if count else '·' for count in counts)} |"


def _replaced(page: str, first: str, table: list[str]) -> str:
    """The page with the table that begins so replaced by another."""
    found = re.search(rf"^{re.escape(first)}.*\n(\|.*\n)+", page, re.MULTILINE)
    if found is None:
        raise ValueError(f"no table begins with '{first}'")
    return page[: found.start()] + "\n".join(table) + "\n" + page[found.end() :]


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
