"""docs/errata.md: what ONNX's documents leave open, and where they contradict each other.

    python -m tools.errata_page [--check]

Made from the specs, the ledger of readings (`tools/open_questions.py`) and the baselines of
onnx.reference and the function bodies. `--check` writes nothing, and exits with 1 where the page is
another.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from onnx_conformance.core.files import write_whole
from onnx_conformance.core.markdown import cell, escaped, table
from onnx_conformance.core.text import quantity
from onnx_conformance.core.witnesses.readings import open_ledger
from onnx_conformance.core.yaml.reading import read_yaml
from onnx_conformance.generators.opens.joining import Open, open_questions
from onnx_conformance.generators.opens.wording import listed, sections, sources_of, title
from onnx_conformance.generators.specs.reading import OTHER_FILES

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "errata.md"
SPECS = ROOT / "specs"
BODIES = ROOT / "baselines" / "parts" / "bodies"
REFERENCE = ROOT / "baselines" / "parts" / "reference"
#: Verdicts that say that another result came, or none where one is due; others say that a fault was
#: not looked for, or that nothing ran.
_OTHERWISE = {"wrong-value", "wrong-shape", "wrong-type", "rejected"}

_INTRODUCTION = """\
What the pages of ONNX's operators leave open, and where page, example, function body and
onnx.reference contradict each other. The questions on which runtimes differ are below as texts
that can be filed as issues as they are, those first on which most differ; the others have a line
each. `onnx-vectors opens OPERATOR` prints the text of every question of an operator.

What becomes of a claim about one of our vectors: [disputes.md](disputes.md). How this page is made:
`onnx-validate run --kind latitude` for each runtime, `tools/open_questions.py` for the counts,
`tools/errata_page.py` for the page. "None of these" is a result that no reading permits, or a
refusal that none does."""
_OF_BODIES = (
    "Where the function body gives another result than the page, or none"
    " ([baselines/parts/bodies](../baselines/parts/bodies))."
)
_OF_REFERENCE = (
    "How many entries of [its baseline](../baselines/reference.yaml) say that it gives another"
    " result than the page, or refuses; the reasons are there, and the worst in"
    " [findings.md](findings.md)."
)
_BESIDE = (
    "Questions of which a reading follows another text of ONNX than the page: the two contradict"
    " each other."
)


def page(opens: Sequence[Open], corpus: str) -> str:
    """The page, ending with a newline."""
    differing = [item for item in opens if item.differing]
    both = [item for item in opens if sources_of(item)]
    numbers = (
        f"{len(opens):,} questions of {quantity(len({item.slug for item in opens}), 'operator')};"
        f" on {len(differing):,} runtimes differ; in {len(both):,} a reading follows another"
        " text of ONNX than the page."
    )
    parts = [
        "# What ONNX leaves open",
        _INTRODUCTION,
        numbers,
        "## Contradictions",
        "### Page against body, example, reference or another page",
        _BESIDE,
        table(["question", "readings follow"], _contradicting(both)),
        "### Page against function body",
        _OF_BODIES,
        table(["operator", "vectors", "what the body does"], _bodies()),
        "### Page against onnx.reference",
        _OF_REFERENCE,
        table(["operator", "entries"], _references()),
        "### Page against ONNX's own tests",
        "[upstream-findings.md](upstream-findings.md).",
        "### Pages that changed without a new version",
        table(["operator", "requirement", "before"], sorted(_errata())),
        *sections(differing, corpus),
        "## Questions on which no runtime differs from most",
        "\n".join(f"* {line}" for line in listed(item for item in opens if not item.differing)),
    ]
    return "\n\n".join(parts) + "\n"


def _contradicting(items: Sequence[Open]) -> Iterator[list[str]]:
    for item in sorted(items, key=lambda one: (one.slug, one.question.id)):
        yield [escaped(title(item)), ", ".join(sources_of(item))]


def _entries(folder: Path) -> Iterator[tuple[str, list[str], str, str]]:
    """Name of the file, ids, verdict and reason of each entry of a folder of baselines."""
    for path in sorted(folder.glob("*.yaml")):
        for node in read_yaml(path).mapping()["entries"].sequence():
            entry = node.mapping()
            ids = (
                [item.string() for item in entry["ids"].sequence()]
                if "ids" in entry
                else [entry["id"].string()]
            )
            verdict = entry["verdict"].string() if "verdict" in entry else ""
            yield path.stem, ids, verdict, entry["reason"].string()


def _bodies() -> Iterator[list[str]]:
    for name, ids, verdict, reason in _entries(BODIES):
        if verdict in _OTHERWISE:
            yield [cell(name), ", ".join(map(cell, ids)), escaped(reason)]


def _references() -> Iterator[list[str]]:
    counted = Counter(name for name, _, verdict, _ in _entries(REFERENCE) if verdict in _OTHERWISE)
    for name, count in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])):
        yield [f"[{name}](../baselines/parts/reference/{name}.yaml)", str(count)]


def _errata() -> Iterator[list[str]]:
    for path in sorted(SPECS.glob("*.yaml")):
        if path.name in OTHER_FILES:
            continue
        document = read_yaml(path).mapping()
        for node in document["requirements"].sequence():
            item = node.mapping()
            if "errata" in item:
                operator, name = document["operator"].string(), item["id"].string()
                yield [cell(operator), cell(name), escaped(item["errata"].string())]


def main() -> int:
    """Write the page, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true", help="write nothing; 1 where it differs")
    ledger = open_ledger()
    text = page(open_questions(SPECS, ledger), ledger.corpus)
    if not parser.parse_args().check:
        write_whole(PAGE, text)
        return 0
    if PAGE.is_file() and PAGE.read_text("utf-8") == text:
        return 0
    print(f"{PAGE}: is out of date; run `python -m tools.errata_page`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
