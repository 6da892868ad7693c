"""docs/strength.md: totals by operator, on two screens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.markdown import table

from .allowances import Allowance
from .sizes import read_sizes, sizes_part

if TYPE_CHECKING:
    from .record import Line

# Rows of the table; operators are beside each other where they are more.
_MOST_ROWS = 60
# Operators that are named where more have the same.
_SHOWN = 10

#: What the page begins with: what the figures are, how to get them, where to add to them.
_INTRODUCTION = Path(__file__).with_name("page.txt")


def page(lines: Mapping[str, Line], allowed: Mapping[str, Allowance]) -> str:
    """The page, from the record and the allowances."""
    names = sorted(lines, key=str.lower)
    columns = max(2, ceil(len(names) / _MOST_ROWS))
    height = ceil(len(names) / columns)
    rows = [
        [
            text
            for column in range(columns)
            for text in _cells(names[column * height : (column + 1) * height], index, lines)
        ]
        for index in range(height)
    ]
    heading = ["operator", "killed", "%", "ONNX's"] * columns
    parts = [
        _INTRODUCTION.read_text(encoding="utf-8"),
        _totals(list(lines.values())),
        table(heading, rows),
        _weak(names, lines) + _suspects(names, lines) + _partly_tried(lines),
        _allowed(lines, allowed) + sizes_part(read_sizes()),
    ]
    return "\n".join(parts)


def _cells(names: Sequence[str], index: int, lines: Mapping[str, Line]) -> list[str]:
    if index >= len(names):
        return ["", "", "", ""]
    line = lines[names[index]]
    theirs = str(line.upstream_killed) if line.upstream_vectors else "·"
    share = f"{line.percent:.1f}".removesuffix(".0")
    return [names[index], f"{line.killed} of {line.killed + line.survived}", share, theirs]


def _totals(lines: Sequence[Line]) -> str:
    killed = sum(line.killed for line in lines)
    apart = killed + sum(line.survived for line in lines)
    theirs = sum(line.upstream_killed for line in lines)
    vectors = sum(line.vectors for line in lines)
    cases = sum(line.upstream_vectors for line in lines)
    percent = 100.0 * killed / apart if apart else 0.0
    return (
        f"{len(lines)} operators: **{killed:,} of {apart:,} mutants killed ({percent:.1f} %)** by"
        f" {vectors:,} vectors; {theirs:,} by ONNX's {cases:,}."
        f" {sum(line.equivalent for line in lines):,} are equivalent or not covered,"
        f" {sum(line.argued for line in lines):,} are argued to be equivalent;"
        f" {sum(line.suspicious for line in lines):,} requirements are suspicious.\n"
    )


def _weak(names: Sequence[str], lines: Mapping[str, Line]) -> str:
    weak = [name for name in names if lines[name].survived]
    return f"\nSome survived in {len(weak)} of them: {', '.join(weak)}.\n" if weak else ""


def _suspects(names: Sequence[str], lines: Mapping[str, Line]) -> str:
    """The suspicious requirements, with the operators that have them."""
    found: dict[str, list[str]] = {}
    for name in names:
        for requirement in lines[name].suspects:
            found.setdefault(requirement, []).append(name)
    if not found:
        return ""
    ordered = sorted(found, key=lambda item: (-len(found[item]), item))
    listed = "; ".join(f"`{item}` ({', '.join(found[item])})" for item in ordered)
    return (
        "\nSuspicious requirements, whose cases kill nothing (mostly what a mutant refuses"
        " whatever is wrong in it: it stumbles, or what refuses is not in the oracle's modules):"
        f" {listed}.\n"
    )


def _partly_tried(lines: Mapping[str, Line]) -> str:
    """Where not everything was tried that could tell a mutant from its oracle."""
    found = {name: line.partly_tried for name, line in lines.items() if line.partly_tried}
    if not found:
        return ""
    most = sorted(found, key=lambda name: (-found[name], name))[:_SHOWN]
    return (
        f"\n{sum(found.values()):,} mutants of {len(found)} operators that survived or are"
        " equivalent were not tried on all that concerns them, as their oracles work long: a costly"
        " vector might kill them, or a costly call tell them apart. Most are of"
        f" {', '.join(f'{name} ({found[name]})' for name in most)}.\n"
    )


def _allowed(lines: Mapping[str, Line], allowed: Mapping[str, Allowance]) -> str:
    """What is less than is demanded, and what is not measured: allowances.yaml."""
    short = [
        f"{name} {lines[name].percent:.1f} %"
        for name, allowance in sorted(allowed.items())
        if allowance.least is not None and name in lines
    ]
    unknown = [name for name, allowance in sorted(allowed.items()) if allowance.least is None]
    parts = [
        f"\nUnder 95 %, which is allowed: {', '.join(short)}.\n" if short else "",
        f"\nNot measured, which is allowed: {', '.join(unknown)}.\n" if unknown else "",
    ]
    return "".join(parts)
