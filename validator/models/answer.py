"""The whole answer about a model: its uses with their vectors and evidence, the worst first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.requirements import requirements
from onnx_conformance.core.text import quantity

from .coverage import Catalogue
from .evidence import STATUSES, Status, evidence_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.corpus.corpus import Corpus
    from onnx_conformance.core.corpus.requirements import Requirements
    from onnx_conformance.core.models.cutting import CutReport
    from onnx_conformance.core.models.listing import ModelUses
    from onnx_conformance.core.models.uses import Found, Use

    from .coverage import Coverage
    from .evidence import Evidence, Runtime


@dataclass(frozen=True)
class Line:
    """One use of the model.

    Attributes:
        use: the use.
        places: the names of its nodes.
        coverage: the vectors that concern it.
        evidence: of each runtime, in the order of the columns.
        cut: what became of cutting it, in words; '' if it was not tried.
    """

    use: Use
    places: tuple[str, ...]
    coverage: Coverage
    evidence: tuple[Evidence, ...]
    cut: str = ""

    @property
    def cover(self) -> str:
        """`same`, `near` or `none`: the vectors that there are for it."""
        return "same" if self.coverage.same else "near" if self.coverage.near else "none"


@dataclass(frozen=True)
class Answer:
    """What is known of a model.

    Attributes:
        model: its uses.
        corpus: the vectors that they were compared with.
        requirements: the texts of the corpus's requirements.
        runtimes: the columns.
        lines: a line for each use, the worst first.
        remarks: what must be said besides, a sentence each.
    """

    model: ModelUses
    corpus: Corpus
    requirements: Requirements
    runtimes: tuple[Runtime, ...]
    lines: tuple[Line, ...]
    remarks: tuple[str, ...]

    @property
    def summaries(self) -> tuple[str, ...]:
        """One sentence for each runtime, or one about coverage where there are no results."""
        nodes = quantity(self.model.nodes, "node")
        uses = quantity(len(self.lines), "use")
        if not self.runtimes:
            return (f"{nodes}, {uses}: {_covered(self.lines)}",)
        found = []
        for index, runtime in enumerate(self.runtimes):
            counts = Counter(line.evidence[index].status for line in self.lines)
            parts = [f"{counts[status]} {_WORDS[status]}" for status in _ORDER if counts[status]]
            heading = f"{runtime.name} {runtime.version}".strip()
            found.append(f"{heading}: {nodes}, {uses}: {', '.join(parts) or 'none'}")
        return tuple(found)


_ORDER = (Status.PASS, *(item for item in STATUSES if item is not Status.PASS))
_WORDS = {
    **{item: item.value for item in STATUSES},
    Status.NOT_COVERED: "not covered by any vector",
}


def _covered(lines: Sequence[Line]) -> str:
    counts = Counter(line.cover for line in lines)
    words = {"same": "covered by vectors", "near": "near to vectors", "none": "without any vector"}
    return ", ".join(f"{counts[name]} {text}" for name, text in words.items() if counts[name])


def answer_of(
    model: ModelUses,
    corpus: Corpus,
    runtimes: Sequence[Runtime],
    report: CutReport | None = None,
) -> Answer:
    """Look up each use of a model in a corpus and in what runtimes made of it.

    Args:
        model: its uses.
        corpus: the vectors.
        runtimes: the columns.
        report: what became of cutting the model, if it was cut.
    """
    catalogue = Catalogue(corpus)
    lines = [_line(found, catalogue, runtimes, report) for found in model.found]
    remarks = [*model.remarks, *(report.remarks if report else ())]
    unread = sum(line.coverage.unread for line in lines)
    if unread:
        remarks.append(
            f"the vectors of {quantity(unread, 'use')} are not on this machine, so that attributes"
            " were not compared: `onnx-vectors generate --output DIR` writes them, --vectors DIR"
            " reads them"
        )
    return Answer(
        model,
        corpus,
        requirements(corpus.root),
        tuple(runtimes),
        tuple(sorted(lines, key=_badness)),
        tuple(remarks),
    )


def _line(
    found: Found, catalogue: Catalogue, runtimes: Sequence[Runtime], report: CutReport | None
) -> Line:
    use = found.use
    coverage = catalogue.coverage(use)
    evidence = tuple(evidence_of(runtime, use, coverage) for runtime in runtimes)
    cut = ""
    if report is not None:
        cut = _cut_words(report, use.digest)
    return Line(use, tuple(found.places), coverage, evidence, cut)


def _cut_words(report: CutReport, use: str) -> str:
    """What became of cutting a use, by its digest."""
    if use in report.refused:
        return f"not cut: {report.refused[use]}"
    some = "own shapes, of which some elements of the result are compared"
    if use in report.reduced:
        smaller = "smaller shapes than the model's"
        return f"{smaller}; {some}" if use in report.sampled else smaller
    return some if use in report.sampled else "own shapes"


def _badness(line: Line) -> tuple[int, int, int, str]:
    """Sort key: the worst status of any runtime, then what vectors miss, then the most nodes."""
    worst = min((STATUSES.index(item.status) for item in line.evidence), default=0)
    return worst, ("none", "near", "same").index(line.cover), -len(line.places), line.use.name
