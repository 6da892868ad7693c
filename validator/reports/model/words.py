"""Cells and sentences that the text, the Markdown and the page of a model have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from onnx_conformance.core.text import one_line, quantity

_PLACES = 3


def use_words(line: Mapping[str, Any]) -> str:
    """A use on one line: `Conv-22 float32 kernel_shape=[3,3]`."""
    words = line["words"]
    where = "" if line["form"] == "graph" else f"in a {line['form']}"
    parts = (
        line["name"],
        words["types"],
        words["attributes"],
        where,
        line["quantized"],
        words["apart"],
    )
    return one_line(" ".join(item for item in parts if item))


def vector_words(line: Mapping[str, Any]) -> str:
    """How many vectors there are for a use: `14`, `0 (25 near)`, `none`."""
    vectors = line["vectors"]
    if vectors["same"]:
        return f"{vectors['same']}"
    return f"0 ({vectors['near']} near)" if vectors["near"] else "none"


def status_words(evidence: Mapping[str, Any]) -> str:
    """What became of the vectors of a use: `fail (3 of 14)`, `pass`."""
    verdicts = evidence["verdicts"]
    total = sum(verdicts.values())
    words = str(evidence["status"])
    if total and evidence["status"] == "fail":
        fine = sum(verdicts.get(name, 0) for name in ("pass", "unsupported", "inconclusive"))
        words += f" ({total - fine} of {total})"
    if evidence["vectors_of"] == "the model":
        words += ", its own"
    return words


def places_words(line: Mapping[str, Any]) -> str:
    """The first nodes of a use by name."""
    places = line["places"]
    shown = ", ".join(one_line(item, 80) for item in places[:_PLACES])
    more = len(places) - _PLACES
    return f"{shown} and {more} more" if more > 0 else shown


def detail_lines(line: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a use on each runtime, one sentence a line."""
    if line["cut"].startswith("not cut"):
        yield line["cut"]
    for evidence in line["evidence"]:
        for cause in evidence["causes"]:
            yield f"{evidence['runtime']}: {cause['example']}: {cause['what']}"
            if cause["others"]:
                yield f"  {cause['others']}"
        for taken, count in evidence["readings_taken"].items():
            yield (
                f"{evidence['runtime']}: takes the reading '{one_line(taken, 60)}' of what the"
                f" document leaves open, in {quantity(count, 'vector')}"
            )


def heading_words(document: Mapping[str, Any]) -> str:
    """The model in a sentence: its file, its opsets and what wrote it."""
    model = document["model"]
    opsets = ", ".join(
        f"opset {version}" if name == "ai.onnx" else f"{one_line(name, 60)} {version}"
        for name, version in model["opsets"].items()
    )
    producer = f", written by {model['producer']}" if model["producer"] else ""
    return f"{one_line(model['file'], 120)}: {opsets}{producer}"


def corpus_words(document: Mapping[str, Any]) -> str:
    """The vectors that the uses were looked up in."""
    return f"vectors of corpus {one_line(str(document['corpus']['version']), 60)}"


def notable(line: Mapping[str, Any]) -> bool:
    """Whether a use is anything but passing, or has no vector of its own."""
    statuses = {item["status"] for item in line["evidence"]}
    return bool(statuses - {"pass"}) or (not statuses and line["coverage"] != "same")
