"""docs/strength.md: totals by operator, on two screens."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.markdown import table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .owed import Debt
    from .record import Line

PAGE = Path(__file__).resolve().parents[1] / "docs" / "strength.md"
# Rows of the table; operators stand beside each other where they are more.
_MOST_ROWS = 60
# Operators that are named where more have the same.
_SHOWN = 10

_INTRODUCTION = """\
# Strength

How many mutants of each operator its vectors kill. A mutant is the operator's oracle with one
thing wrong: in its code (a comparison, a constant, a dropped statement …) or in what it makes of
its signature (an attribute ignored, a value narrowed on the way, broadcasting dropped …). A vector
kills it where the validator's own judge tells it from a correct runtime. *Killed* is of those that
can be told apart, by a vector or by one of up to a thousand further calls made from the vectors at
random; the others gave the same everywhere, stand in lines that no call reaches, or are argued
away in `strength/equivalents.yaml`. *ONNX's* is what ONNX's own node tests kill of the
same mutants.

`make mutants` measures what has changed since `strength/record.json` and writes that
file, this page, and below `build/strength` what was found of each operator: which mutants the
cases of each requirement kill, which requirements' cases kill nothing (*suspicious*), and which
cases kill nothing that others do not. It asks each mutant first what killed it last (`memory.json`
beside the record); with `MUTANTS_ARGS=--forget` it measures from nothing, which takes more than an
hour of the processor. `make mutants OPERATOR=Add` is for one, while you write its spec. `make
check` fails where an operator has less than 95 %, where something that it depends on has changed
since, and where a few that it measures anew have less than is recorded. Runtimes that are right
about operators and wrong around them (versions, folding, caches, functions, subgraphs, validity)
are measured by `make mutants-around`.
"""


def page(lines: Mapping[str, Line], owed: Mapping[str, Debt]) -> str:
    """The page, from the record and the debts."""
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
        _INTRODUCTION,
        _totals(list(lines.values())),
        table(heading, rows),
        _weak(names, lines) + _suspects(names, lines) + _hurried(lines),
        _owed(lines, owed),
    ]
    return "\n".join(parts)


def _cells(names: Sequence[str], index: int, lines: Mapping[str, Line]) -> list[str]:
    if index >= len(names):
        return ["", "", "", ""]
    line = lines[names[index]]
    theirs = str(line.upstream_killed) if line.upstream_vectors else "·"
    share = f"{line.percent:.1f}".removesuffix(".0")
    return [names[index], f"{line.killed} of {line.killed + line.living}", share, theirs]


def _totals(lines: Sequence[Line]) -> str:
    killed = sum(line.killed for line in lines)
    apart = killed + sum(line.living for line in lines)
    theirs = sum(line.upstream_killed for line in lines)
    vectors = sum(line.vectors for line in lines)
    cases = sum(line.upstream_vectors for line in lines)
    percent = 100.0 * killed / apart if apart else 0.0
    return (
        f"{len(lines)} operators: **{killed:,} of {apart:,} mutants killed ({percent:.1f} %)** by"
        f" {vectors:,} vectors; {theirs:,} by ONNX's {cases:,}."
        f" {sum(line.alike for line in lines):,} gave the same everywhere,"
        f" {sum(line.argued for line in lines):,} are argued away;"
        f" {sum(line.suspicious for line in lines):,} requirements are suspicious.\n"
    )


def _weak(names: Sequence[str], lines: Mapping[str, Line]) -> str:
    weak = [name for name in names if lines[name].living]
    return f"\nSomething lives in {len(weak)} of them: {', '.join(weak)}.\n" if weak else ""


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


def _hurried(lines: Mapping[str, Line]) -> str:
    """Where not everything was asked that could tell a mutant from its oracle."""
    hurried = {name: line.hurried for name, line in lines.items() if line.hurried}
    if not hurried:
        return ""
    most = sorted(hurried, key=lambda name: (-hurried[name], name))[:_SHOWN]
    return (
        f"\n{sum(hurried.values()):,} mutants of {len(hurried)} operators live that were not asked"
        " all that concerns them, as their oracles work long: a dear vector might kill them, or a"
        " dear call tell them apart. Most are of"
        f" {', '.join(f'{name} ({hurried[name]})' for name in most)}.\n"
    )


def _owed(lines: Mapping[str, Line], owed: Mapping[str, Debt]) -> str:
    """What is less than is asked, and what is not measured: strength/owed.yaml."""
    short = [
        f"{name} {lines[name].percent:.1f} %"
        for name, debt in sorted(owed.items())
        if debt.least is not None and name in lines
    ]
    unknown = [name for name, debt in sorted(owed.items()) if debt.least is None]
    parts = [
        f"\nUnder 95 %, and owed: {', '.join(short)}.\n" if short else "",
        f"\nNot measured, and owed: {', '.join(unknown)}.\n" if unknown else "",
    ]
    return "".join(parts)
