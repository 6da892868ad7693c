"""The answer about a model as a JSON document: what the other forms of the report show.

It has no times and no paths but the model's name: the same model, vectors and results give the
same bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.requirements import full_name, source_of, words_of
from onnx_conformance.core.text import one_line

from ...results.cause_words import happening, others_in_words
from ..facts.public_pages import public_page
from .words import use_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from onnx_conformance.core.corpus.requirements import Requirements

    from ...models.answer import Answer, Line
    from ...models.chain import Chain
    from ...models.evidence import Evidence

MODEL_REPORT_FORMAT = 1
_REQUIREMENTS = 12


def document_of(answer: Answer, chain: Chain | None = None) -> dict[str, Any]:
    """Everything that is known of a model, ready for JSON.

    Args:
        answer: what is known of its uses.
        chain: what became of it as a whole, if it was run.
    """
    model = answer.model
    uses = [_line(answer, line) for line in answer.lines]
    _tell_apart(uses)
    found = {"chain": chain.to_json()} if chain is not None else {}
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
        "corpus": {"version": answer.corpus.version, "digest": answer.corpus.digest},
        "runtimes": [
            {"name": item.name, "version": item.version, "corpora": list(item.corpora)}
            for item in answer.runtimes
        ],
        "summaries": list(answer.summaries),
        "remarks": list(answer.remarks),
        "uses": uses,
    }


def _tell_apart(uses: list[dict[str, Any]]) -> None:
    """Give uses that would read alike the words of their inputs, in which they differ."""
    alike = Counter(use_words(line) for line in uses)
    for line in [line for line in uses if alike[use_words(line)] > 1]:
        line["words"]["apart"] = f"({line['words']['inputs']})"


def render_json(document: dict[str, Any]) -> str:
    """The document as text that ends with a newline."""
    return json.dumps(document, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def _line(answer: Answer, line: Line) -> dict[str, Any]:
    use, coverage = line.use, line.coverage
    return {
        "use": use.digest,
        "operator_version": use.operator_version,
        "name": f"{use.name}-{use.since_version}" if use.since_version else use.name,
        "page": _page(answer.requirements, line),
        **use.to_json(),
        "words": {
            "types": use.type_words,
            "attributes": use.attribute_words,
            "inputs": use.input_words,
            "apart": "",
        },
        "nodes": len(line.places),
        "places": list(line.places),
        "cut": line.cut,
        "coverage": line.cover,
        "vectors": {
            "same": len(coverage.same),
            "exact": coverage.exact,
            "near": len(coverage.near),
            "ids": list(coverage.same or coverage.near),
        },
        "requirements": list(_requirements(answer.requirements, line)),
        "evidence": [
            {"runtime": runtime.name, **_evidence(item, answer.requirements)}
            for runtime, item in zip(answer.runtimes, line.evidence, strict=True)
        ],
    }


def _page(known: Requirements, line: Line) -> str:
    if not line.use.since_version:
        return ""
    name = full_name(known, line.use.name)
    return public_page(name, known.get(name, {}), line.use.since_version)


def _requirements(known: Requirements, line: Line) -> Iterator[dict[str, Any]]:
    for name, count in line.coverage.requirements.items():
        words = words_of(known, line.use.name, name)
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
