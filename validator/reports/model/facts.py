"""The answer about a model as a JSON document: what the other forms of the report show.

It has no times and no paths but the model's name: the same model, vectors and results give the
same bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.corpus import Corpus
from onnx_conformance.core.corpus.requirements import (
    Requirements,
    full_name,
    requirements,
    source_of,
    words_of,
)
from onnx_conformance.core.models.uses import Found, Use
from onnx_conformance.core.text import one_line, quantity

from ...models.coverage import Catalogue, Coverage
from ...models.evidence import STATUSES, Evidence, Runtime, Status, evidence_of
from ...results.cause_words import happening, others_in_words
from ..facts.public_pages import public_page
from .words import use_words

if TYPE_CHECKING:
    from onnx_conformance.core.models.cutting import CutReport
    from onnx_conformance.core.models.listing import ModelUses

    from ...models.chain import Chain

MODEL_REPORT_FORMAT = 1
_REQUIREMENTS = 12
# In the order in which they are counted, each with its words.
_COVERAGES = {"same": "covered by vectors", "near": "near to vectors", "none": "without any vector"}
_STATUSES = {
    **{item.value: item.value for item in (Status.PASS, *STATUSES)},
    Status.NOT_COVERED.value: "not covered by any vector",
}


def document_of(
    model: ModelUses,
    corpus: Corpus,
    runtimes: Sequence[Runtime],
    report: CutReport | None = None,
    chain: Chain | None = None,
) -> dict[str, Any]:
    """Everything that is known of a model, ready for JSON; its uses, the worst first.

    Args:
        model: its uses.
        corpus: the vectors that they are looked up in.
        runtimes: the columns: what they made of vectors.
        report: what became of cutting the model, if it was cut.
        chain: what became of it as a whole, if it was run.
    """
    catalogue, known = Catalogue(corpus), requirements(corpus.root)
    coverages = [catalogue.coverage(found.use) for found in model.found]
    uses = [
        _use(found, coverage, runtimes, report, known)
        for found, coverage in zip(model.found, coverages, strict=True)
    ]
    uses.sort(key=_badness)
    _tell_apart(uses)
    found = {"chain": chain.to_json()} if chain is not None else {}
    unread = sum(coverage.unread for coverage in coverages)
    return {
        **found,
        "format": MODEL_REPORT_FORMAT,
        "model": {
            "file": model.opened.path.name,
            "sha256": model.opened.digest,
            "ir_version": model.opened.proto.ir_version,
            "opsets": {name or "ai.onnx": version for name, version in model.imports.items()},
            "producer": one_line(model.producer, 80),
            "nodes": model.nodes,
            "external_files": dict(sorted(model.opened.beside.items())),
        },
        "corpus": {"version": corpus.version, "digest": corpus.digest},
        "runtimes": [
            {"name": item.name, "version": item.version, "corpora": list(item.corpora)}
            for item in runtimes
        ],
        "summaries": list(_summaries(model, runtimes, uses)),
        "remarks": [
            *model.remarks,
            *(report.remarks if report else ()),
            *([_UNREAD.format(quantity(unread, "use"))] if unread else ()),
        ],
        "uses": uses,
    }


_UNREAD = (
    "the vectors of {} are not on this machine, so that attributes were not compared:"
    " `onnx-vectors generate --output DIR` writes them, --vectors DIR reads them"
)


def _summaries(
    model: ModelUses, runtimes: Sequence[Runtime], uses: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """One sentence for each runtime, or one about coverage where there are no results."""
    heading = f"{quantity(model.nodes, 'node')}, {quantity(len(uses), 'use')}"
    if not runtimes:
        yield f"{heading}: {_counted((line['coverage'] for line in uses), _COVERAGES)}"
    for place, runtime in enumerate(runtimes):
        found = _counted((line["evidence"][place]["status"] for line in uses), _STATUSES)
        yield f"{f'{runtime.name} {runtime.version}'.strip()}: {heading}: {found or 'none'}"


def _counted(items: Iterable[str], words: Mapping[str, str]) -> str:
    counts = Counter(items)
    return ", ".join(f"{counts[name]} {text}" for name, text in words.items() if counts[name])


def _badness(line: Mapping[str, Any]) -> tuple[int, int, int, str]:
    """Sort key: the worst status of any runtime, then what vectors miss, then the most nodes."""
    worst = min((STATUSES.index(item["status"]) for item in line["evidence"]), default=0)
    missing = -[*_COVERAGES].index(line["coverage"])
    return worst, missing, -line["nodes"], line["name"]


def _tell_apart(uses: list[dict[str, Any]]) -> None:
    """Give uses that would read alike the words of their inputs, in which they differ."""
    alike = Counter(use_words(line) for line in uses)
    for line in [line for line in uses if alike[use_words(line)] > 1]:
        line["words"]["apart"] = f"({line['words']['inputs']})"


def render_json(document: dict[str, Any]) -> str:
    """The document as text that ends with a newline."""
    return json.dumps(document, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def _use(
    found: Found,
    coverage: Coverage,
    runtimes: Sequence[Runtime],
    report: CutReport | None,
    known: Requirements,
) -> dict[str, Any]:
    """One use of the model: its nodes, the vectors that concern it, and what became of these."""
    use = found.use
    return {
        "use": use.digest,
        "operator_version": use.operator_version,
        "name": f"{use.name}-{use.since_version}" if use.since_version else use.name,
        "page": _page(known, use),
        **use.to_json(),
        "words": {
            "types": use.type_words,
            "attributes": use.attribute_words,
            "inputs": use.input_words,
            "apart": "",
        },
        "nodes": len(found.places),
        "places": list(found.places),
        "cut": _cut_words(report, use.digest),
        "coverage": "same" if coverage.same else "near" if coverage.near else "none",
        "vectors": {
            "same": len(coverage.same),
            "exact": coverage.exact,
            "near": len(coverage.near),
            "ids": list(coverage.same or coverage.near),
        },
        "requirements": list(_requirements(known, use, coverage)),
        "evidence": [
            {"runtime": runtime.name, **_evidence(evidence_of(runtime, use, coverage), known)}
            for runtime in runtimes
        ],
    }


def _cut_words(report: CutReport | None, use: str) -> str:
    """What became of cutting a use, by its digest; empty if it was not tried."""
    if report is None:
        return ""
    if use in report.refused:
        return f"not cut: {report.refused[use]}"
    some = "own shapes, of which some elements of the result are compared"
    if use in report.reduced:
        smaller = "smaller shapes than the model's"
        return f"{smaller}; {some}" if use in report.sampled else smaller
    return some if use in report.sampled else "own shapes"


def _page(known: Requirements, use: Use) -> str:
    if not use.since_version:
        return ""
    name = full_name(known, use.name)
    return public_page(name, known.get(name, {}), use.since_version)


def _requirements(known: Requirements, use: Use, coverage: Coverage) -> Iterator[dict[str, Any]]:
    for name, count in coverage.requirements.items():
        words = words_of(known, use.name, name)
        yield {
            "id": name,
            "text": str(words.get("text", "")),
            "source": source_of(words),
            "vectors": count,
        }


def _evidence(item: Evidence, known: Requirements) -> dict[str, Any]:
    return {
        "status": item.status.value,
        "vectors_of": "the model" if item.own else "the corpus",
        "verdicts": dict(sorted(item.counts.items())),
        "causes": [
            {
                "example": one_line(cause.example.id),
                "what": happening(cause, known),
                "others": others_in_words(cause),
                "vectors": len(cause.rows),
            }
            for cause in item.causes
        ],
        "readings_taken": dict(item.taken),
    }


def shown_requirements(line: dict[str, Any]) -> tuple[list[dict[str, Any]], int]:
    """The requirements that most vectors of a use exercise, and how many more there are."""
    found = line["requirements"]
    return found[:_REQUIREMENTS], max(0, len(found) - _REQUIREMENTS)
