"""The pack of an operator as Markdown, made from its document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from onnx_conformance.core.markdown import cell, escaped, table
from onnx_conformance.core.text import quantity

_NONE = "·"


def page(pack: Mapping[str, Any]) -> str:
    """The page, ending with a newline."""
    vectors = pack["vectors"]
    versions = ", ".join(map(str, pack["versions"]))
    heading = (
        f"Versions {versions}; {quantity(len(vectors), 'vector')} of corpus {pack['corpus']}. The"
        " same with every limit of every element: the JSON document beside this page."
    )
    parts = [
        f"# {pack['operator']}",
        heading,
        "## Requirements",
        table(["requirement", "text", "source", "tags", "vectors"], _requirements(pack)),
        *_open(pack),
        "## Strength",
        _strength(pack["strength"]),
        "## Witnesses",
        _witnesses(pack),
        "## Limits",
        *_limits(pack),
        "## Vectors",
        table(["vector", "asks", "covers", "tags", "witnesses", "limits"], _vectors(pack)),
    ]
    return "\n\n".join(parts) + "\n"


def _requirements(pack: Mapping[str, Any]) -> Iterator[list[str]]:
    for item in pack["requirements"]:
        until = item.get("until")
        span = f"from {item.get('since', 1)}" + (f" to {until}" if until else "")
        yield [
            cell(item["id"]),
            escaped(item["text"]),
            escaped(f"{item.get('document', '')}, {item.get('part', '')} ({span})"),
            _tags(item["tags"]),
            str(item["vectors"]),
        ]


def _tags(tags: list[str]) -> str:
    return ", ".join(map(cell, tags)) or _NONE


def _open(pack: Mapping[str, Any]) -> Iterator[str]:
    if pack["open"]:
        yield "## What the document leaves open"
        rows = (
            [
                cell(item["id"]),
                escaped(item["text"]),
                escaped(f"{item['document']}, {item['part']}"),
                escaped("; ".join(f"{name}: {why}" for name, why in item["readings"].items())),
            ]
            for item in pack["open"]
        )
        yield table(["question", "text", "source", "readings"], rows)


def _strength(strength: Mapping[str, Any] | None) -> str:
    if strength is None:
        return "Not measured, or no record of it is at hand (`--strength`)."
    killed, survived = strength["killed"], strength["survived"]
    return (
        f"Of {killed + survived} bugs that machines make in its oracle, and that change some"
        f" result, its vectors notice {killed}; ONNX's own cases notice"
        f" {strength['upstream_killed']}."
    )


def _witnesses(pack: Mapping[str, Any]) -> str:
    counted: Counter[str] = Counter()
    for item in pack["vectors"]:
        found = item["witnesses"]
        counted["unknown" if found is None else str(found["count"])] += 1
    rows = [[name, f"{count:,}"] for name, count in sorted(counted.items())]
    return "Independent engines that agree, and with how many vectors:\n\n" + table(
        ["witnesses", "vectors"], rows
    )


def _limits(pack: Mapping[str, Any]) -> Iterator[str]:
    by_rule: dict[str, list[Any]] = {}
    for item in pack["vectors"]:
        if "rule" in item:
            by_rule.setdefault(item["rule"], []).append(item)
    if not by_rule:
        yield "Every output is exact."
        return
    rows = []
    for rule, items in by_rule.items():
        widest = max(items, key=lambda item: float(item["width"]))
        rows.append(
            [
                escaped(rule),
                str(len(items)),
                f"{float(widest['width']):.3g}",
                cell(widest["id"]),
                escaped(_widest_range(widest)),
            ]
        )
    yield (
        "The rule that made them, and the widest range as a share of the largest value. Vectors"
        " that are not named here are exact."
    )
    yield table(["rule", "vectors", "widest", "in", "for example"], rows)


def _widest_range(item: Mapping[str, Any]) -> str:
    """One element with its limits: the one whose range is widest, of the profile `ieee`."""
    found = [
        (value, low, high, entry["output"])
        for entry in item["limits"]
        if entry["profile"] == "ieee"
        for value, low, high in zip(entry["expected"], entry["low"], entry["high"], strict=True)
        if all(isinstance(one, (int, float)) for one in (value, low, high))
    ]
    if not found:
        return _NONE
    value, low, high, output = max(found, key=lambda one: one[2] - one[1])
    return f"{output}: {value} from {low} to {high}"


def _vectors(pack: Mapping[str, Any]) -> Iterator[list[str]]:
    for item in pack["vectors"]:
        found = item["witnesses"]
        yield [
            cell(item["id"]),
            item["kind"],
            ", ".join(map(cell, item["covers"])),
            _tags(item["tags"]),
            "unknown" if found is None else str(found["count"]),
            escaped(item.get("rule", "exact" if item["kind"] != "invalid" else _NONE)),
        ]
