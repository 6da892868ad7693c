"""The pages that count what runtimes do count the same vectors in the same way."""

from __future__ import annotations

import json
import re

from places import ROOT
from tools.figures import operators

README = (ROOT / "README.md").read_text(encoding="utf-8")
SCOREBOARD = (ROOT / "docs" / "scoreboard.md").read_text(encoding="utf-8")
NUMBER = r"([\d,]+|·)"


def number(text: str) -> int:
    return int(text.replace(",", "")) if text != "·" else 0


def scoreboard() -> dict[str, tuple[int, int, int]]:
    """Pass, latitude and total of each backend of the first table: those of whole columns."""
    row = rf"^\| `([^`]+)` \| {NUMBER} \|.*\| {NUMBER} \| {NUMBER} \|$"
    found: dict[str, tuple[int, int, int]] = {}
    table = next(part for part in SCOREBOARD.split("\n\n") if part.startswith("| backend"))
    for name, *counts in re.findall(row, table, re.MULTILINE):
        passed, latitude, total = map(number, counts)
        found[name] = passed, latitude, total
    return found


def readme() -> dict[str, tuple[int, int, int]]:
    """The same, by what the README shows of `make validate`."""
    block = README.split("Side by side")[1].split("gate green")[0]
    rows = [line.split() for line in block.splitlines()]
    return {
        row[0].rstrip(":"): (number(row[1]), number(row[-2]), number(row[-1]))
        for row in rows
        if len(row) == 8 and row[0] != "pass"
    }


def corpus_of(text: str) -> str:
    """The corpus that the first table of a page is about."""
    return re.findall(r"corpus `?([\d.]+\d)`?", text)[0]


def test_the_readme_has_the_numbers_of_the_scoreboard() -> None:
    shown, expected = readme(), scoreboard()
    assert len(shown) >= 2
    if corpus_of(README.split("## What you see")[1]) == corpus_of(SCOREBOARD):
        assert {name: expected[name] for name in shown} == shown


def test_a_scoreboard_of_an_earlier_corpus_counts_the_vectors_of_its_release() -> None:
    # `make scoreboard` takes hours: until it ran again, the page is of the corpus that it names.
    versions = json.loads((ROOT / "vectors/standard/releases.json").read_text("utf-8"))["releases"]
    manifest = json.loads((ROOT / "vectors/standard/manifest.json").read_text("utf-8"))
    counts = {manifest["corpus"]: manifest["count"]}
    counts |= {version: release["count"] for version, release in versions.items()}
    assert {counts[corpus_of(SCOREBOARD)]} == {total for _, _, total in scoreboard().values()}


def test_the_rows_of_the_readme_add_up_to_what_stands_side_by_side() -> None:
    block = README.split("## What you see")[1].split("Side by side")[0]
    title = re.search(r"(\S+) \S+ on ([\d,]+) vectors", block)
    assert title is not None
    (counts,) = [line.split()[1:] for line in block.splitlines() if line.strip().startswith("all ")]
    beside = README.split("Side by side")[1]
    (same,) = [line.split()[1:] for line in beside.splitlines() if line.split()[:1] == [title[1]]]
    assert same == counts
    assert title[2] == counts[-1]
    failed = re.search(r"^ *fail: (.*)$", block, re.MULTILINE)
    assert failed is not None
    assert number(counts[1]) == sum(map(number, re.findall(r"([\d,]+) [a-z]", failed[1])))


def test_the_pages_count_operators_as_the_page_of_coverage_does() -> None:
    coverage = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    covered, known = operators(coverage)
    # `make vectors` writes them.
    assert [(covered, known)] == re.findall(r"(\d+) of ONNX's (\d+) operators", README)
    assert [covered] == re.findall(r"^- Specs for (\d+) operators", changes, re.MULTILINE)


def test_the_gate_of_the_readme_has_the_numbers_of_its_table() -> None:
    line = (
        r"(\S+): gate green: (\d+) pass, (\d+) latitude, (\d+) fail as listed"
        r"(?:, (\d+) listed as flaky)?"
    )
    gates = re.findall(line, README)
    assert len(gates) >= 2
    for name, *counts in gates:
        passed, latitude, failed, flaky = (int(item or 0) for item in counts)
        table = readme()[name]
        assert passed + latitude + failed + flaky == table[2]
        # What is listed as flaky passes, or is latitude, or fails.
        assert passed <= table[0] <= passed + flaky
        assert latitude <= table[1] <= latitude + flaky


def test_no_other_page_has_a_table_of_what_runtimes_pass() -> None:
    table = re.compile(r"^\|[^|\n]*\b(backend|column)\b[^|\n]*\|.*\bpass\b.*\|$", re.MULTILINE)
    known = {"findings.md", "scoreboard.md", "reports.md"}  # these count our vectors
    pages = [
        path
        for path in (ROOT / "docs").glob("*.md")
        if path.name not in known and not path.name.startswith("upstream")
    ]
    assert [] == [page.name for page in pages if table.search(page.read_text(encoding="utf-8"))]
