"""What the command prints, and the page that it writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.markdown import code, escaped, table
from onnx_conformance.core.text import quantity

from .judging import Answer, Opinion

if TYPE_CHECKING:
    from .rulings import Ruling

#: From how many ulps on an element within limits is not the nearest value of what was computed.
APART = 2
_COLUMNS = (Answer.AGREE, Answer.DISAGREE, Answer.OPEN, Answer.NO_EVALUATOR, Answer.CANNOT)


@dataclass(frozen=True)
class Report:
    """All opinions of a run.

    Attributes:
        opinions: in the order of the corpus.
        operators: name of the operator of each operator version, as documents spell it.
        rulings: of the disagreements that have one, by id.
    """

    opinions: Sequence[Opinion]
    operators: Mapping[str, str]
    rulings: Mapping[str, Ruling]

    def of(self, *answers: Answer) -> list[Opinion]:
        """The opinions with one of these answers."""
        return [item for item in self.opinions if item.answer in answers]

    @property
    def disagreeing(self) -> list[Opinion]:
        """The worst first."""
        return sorted(self.of(Answer.DISAGREE), key=lambda item: (-item.far, item.id))

    @property
    def unruled(self) -> list[Opinion]:
        """Disagreements that nobody looked into, the worst first."""
        return [item for item in self.disagreeing if item.id not in self.rulings]

    @property
    def apart(self) -> list[Opinion]:
        """Those that agree by their limits, and compute another nearest value: the farthest first.

        Where terms cancel that is the precision of an evaluator; else a mistake behind wide limits.
        """
        found = [
            replace(item, words=f"{item.apart:,} ulps")
            for item in self.of(Answer.AGREE)
            if item.apart >= APART
        ]
        return sorted(found, key=lambda item: (-item.apart, item.id))

    @property
    def answered(self) -> int:
        """How many vectors the second opinion has an answer for."""
        return len(self.of(Answer.AGREE, Answer.DISAGREE, Answer.OPEN))


def version_of(opinion: Opinion) -> str:
    """The operator version of a vector: the first part of its id."""
    return opinion.id.partition("/")[0]


def by_operator(report: Report) -> dict[str, Counter[Answer]]:
    """How many vectors of each operator have which answer."""
    found: dict[str, Counter[Answer]] = {}
    for item in report.opinions:
        found.setdefault(report.operators[version_of(item)], Counter())[item.answer] += 1
    return found


def lines(report: Report, most: int) -> Iterator[str]:
    """The report for a terminal.

    Args:
        report: the opinions.
        most: how many disagreements and reasons are shown at most of each kind.
    """
    yield from _counts(report)
    yield from _listed("disagree, and no ruling says why", report.unruled, most)
    yield from _listed(
        f"agree, but lie {APART} ulps or more from an expected element", report.apart, most
    )
    known = [item for item in report.disagreeing if item.id in report.rulings]
    if known:
        yield f"{quantity(len(known), 'disagreement')} with a ruling"
    yield from _listed("open: another result than those permitted", report.of(Answer.OPEN), most)
    yield from _reasons("no evaluator", report.of(Answer.NO_EVALUATOR), most)
    yield from _reasons("cannot answer", report.of(Answer.CANNOT), most)
    yield _total(report)


def _counts(report: Report) -> Iterator[str]:
    rows = by_operator(report)
    width = max(map(len, rows), default=0)
    yield " " * width + "".join(f"{name.value:>15}" for name in _COLUMNS)
    for name, counts in rows.items():
        if counts[Answer.AGREE] == counts.total() and len(rows) > 1:
            continue
        yield f"{name:<{width}}" + "".join(f"{counts[item] or '·':>15}" for item in _COLUMNS)
    total: Counter[Answer] = Counter()
    for counts in rows.values():
        total.update(counts)
    yield f"{'all':<{width}}" + "".join(f"{total[item]:>15,}" for item in _COLUMNS)


def _listed(title: str, opinions: Sequence[Opinion], most: int) -> Iterator[str]:
    if not opinions:
        return
    yield ""
    yield f"{title}: {len(opinions):,}"
    for item in opinions[:most]:
        yield f"  {item.id}  {item.words}"
    if len(opinions) > most:
        yield f"  … and {len(opinions) - most:,} more"


def _reasons(title: str, opinions: Sequence[Opinion], most: int) -> Iterator[str]:
    """Vectors of one operator version with one reason in one line, the first id first."""
    if not opinions:
        return
    groups = grouped(opinions)
    yield ""
    yield f"{title}: {len(opinions):,}"
    for first, count, words in groups[:most]:
        more = f" and {count - 1:,} more" if count > 1 else ""
        yield f"  {first}{more}  {words}"
    if len(groups) > most:
        yield f"  … and {quantity(len(groups) - most, 'more reason')}"


def grouped(opinions: Iterable[Opinion]) -> list[tuple[str, int, str]]:
    """First id, number and reason of the vectors of each operator version with the same reason."""
    found: dict[tuple[str, str], list[str]] = {}
    for item in opinions:
        found.setdefault((version_of(item), item.words), []).append(item.id)
    return [(ids[0], len(ids), words) for (_, words), ids in found.items()]


def _total(report: Report) -> str:
    versions = {version_of(item) for item in report.opinions}
    vectors = quantity(len(report.opinions), "vector")
    return (
        f"{vectors} of {quantity(len(versions), 'operator version')},"
        f" {report.answered:,} answered ({sum(item.elements for item in report.opinions):,}"
        f" elements): {len(report.of(Answer.AGREE)):,} agree,"
        f" {len(report.disagreeing):,} disagree ({len(report.unruled):,} without a ruling),"
        f" {len(report.of(Answer.OPEN)):,} open"
    )


# --- the page ---------------------------------------------------------------------------------

#: What the page begins with.
HEAD = Path(__file__).with_name("page.md")


_APART_HEAD = f"""\
## Within limits, and not the same

Expected elements with limits are to be the representable values nearest to the exact results. In
all other vectors that agree the second opinion's elements are these or their neighbours; here they
lie {APART} ulps or more apart. Where terms cancel, 64 digits are too few.
"""


def page(report: Report, corpus: str) -> str:
    """The page docs/second-opinion.md."""
    parts = [HEAD.read_text("utf-8"), f"## Results\n\nCorpus {corpus}. {_total(report)}.\n"]
    valid = [item for item in report.opinions if item.kind is Kind.VALID]
    share = sum(item.answer in (Answer.AGREE, Answer.DISAGREE) for item in valid)
    parts.append(f"Of {len(valid):,} valid vectors {share:,} are answered.\n")
    heading = ("operator", "versions", *(name.value for name in _COLUMNS))
    parts.append(table(heading, _page_rows(report), numbers=True) + "\n")
    if report.rulings:
        parts.append("## Rulings\n")
        rows = [
            (code(item.id), item.words, report.rulings[item.id].cause, report.rulings[item.id].why)
            for item in report.disagreeing
            if item.id in report.rulings
        ]
        cells = [tuple(map(escaped, row)) for row in rows]
        parts.append(table(("vector", "what differs", "cause", "why"), cells) + "\n")
    if report.apart:
        parts.append(_APART_HEAD)
        far = [(code(item.id), item.words) for item in report.apart]
        parts.append(table(("vector", "apart"), far) + "\n")
    unanswered = [item for item in valid if item.answer in (Answer.NO_EVALUATOR, Answer.CANNOT)]
    if unanswered:
        parts.append("## Valid vectors without an answer\n")
        reasons = [
            (code(first), f"{count:,}", escaped(words))
            for first, count, words in grouped(unanswered)
        ]
        parts.append(table(("first", "vectors", "why"), reasons) + "\n")
    return "\n".join(parts)


def _page_rows(report: Report) -> Iterator[tuple[str, ...]]:
    versions: dict[str, list[str]] = {}
    for version, name in report.operators.items():
        versions.setdefault(name, []).append(version.rpartition("-")[2])
    for name, counts in by_operator(report).items():
        yield (
            name,
            ", ".join(sorted(versions[name], key=int)),
            *(f"{counts[item]:,}" if counts[item] else "" for item in _COLUMNS),
        )
