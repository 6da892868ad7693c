"""The strength of both suites, as text and as docs/strength.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .registry import all_mutants

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .measuring import Conviction, Finding
    from .registry import Mutant

PARTS = {
    "slices": "Shape: start and end",
    "dimensions": "Shape: dimensions and result",
    "counts": "Size",
    "targets": "Reshape: dimensions of the result",
    "copies": "Reshape: elements and their type",
    "folding": "Constant folding, initializers",
    "inference": "Shape inference",
    "fusing": "Fusion, common subexpressions",
    "caching": "Caches and buffers",
    "functions": "Functions and subgraphs",
    "versions": "Versions",
    "validity": "Checks of validity",
}

_PAGE = """\
# How strong the vectors are

Written by `make mutants`; do not edit.

A mutant is a backend that is correct but for one realistic bug. Each is judged by the validator on
every vector of this corpus, and on ONNX's own {cases} cases of the three operators. A vector
convicts a mutant by any verdict other than `pass`; `inconclusive` does not count.

* This corpus, {vectors} vectors: {ours}.
* ONNX's own cases, {cases}: {theirs}.
* {equivalent} further mutants cannot be told from a correct backend, or not by a vector of 64 KiB;
  the arguments are at the end.
* {count} correct backends that work in different ways ({innocents}) pass every vector.

Mutants are assessed in one process by the validator's own judge. Each is then started as a child
process, and must get the same verdict from the whole validator on the first vector that convicts
it. {whole} mutants and the plain correct backend run the whole corpus that way, and must get the
same verdict on every vector; the other correct backends run every sixth vector.

The code is in `benchmarks/mutants`. Any mutant can be run by hand:

    PYTHONPATH=benchmarks onnx-validate run --backend 'command:python -m mutants serve NAME'

| part of a runtime | mutants | this corpus | ONNX's cases |
|---|--:|--:|--:|
"""


def line(mutant: Mutant, finding: Finding) -> str:
    """One line for a terminal: the mutant and what convicts it in each suite."""
    ours = (
        _short(finding.ours)
        if finding.ours.count
        else ("equivalent" if mutant.equivalent else "SURVIVES")
    )
    theirs = _short(finding.theirs) if finding.theirs.count else "-"
    return f"{mutant.name:44} {ours:64} {theirs}"


def _short(conviction: Conviction) -> str:
    return f"{conviction.count:4} {conviction.first.removeprefix('node/')} {conviction.verdict}"


def faults(innocents: Sequence[Finding], found: Mapping[str, Finding]) -> list[str]:
    """What makes the measurement fail, a line each."""
    lines = [
        f"the correct backend '{item.name}' is convicted by {item.ours.first or item.theirs.first}"
        for item in innocents
        if item.ours.count or item.theirs.count
    ]
    for name, mutant in all_mutants().items():
        finding = found[name]
        if mutant.equivalent and finding.ours.count:
            lines.append(f"'{name}' is listed as equivalent and convicted by {finding.ours.first}")
        elif not mutant.equivalent and not finding.ours.count:
            lines.append(f"'{name}' survives: {mutant.bug}")
        if finding.ours.errors:
            lines.append(f"'{name}' fails by itself on {finding.ours.errors[0]}: mend the mutant")
    for finding in (*innocents, *found.values()):
        lines += [f"'{finding.name}': {item}" for item in finding.differences]
    return lines


def summary(found: Mapping[str, Finding], vectors: int, cases: int) -> list[str]:
    """How many mutants each suite notices."""
    apart = [item for item in all_mutants().values() if not item.equivalent]
    ours = sum(1 for item in apart if found[item.name].ours.count)
    theirs = sum(1 for item in apart if found[item.name].theirs.count)
    whole = len(apart)
    return [
        f"{len(all_mutants())} mutants, {whole} of which can be told from a correct backend",
        f"this corpus ({vectors} vectors) convicts {ours} of {whole}: {ours / whole:.1%}",
        f"ONNX's own cases ({cases}) convict {theirs} of {whole}: {theirs / whole:.1%}",
    ]


def markdown(
    innocents: Sequence[Finding], found: Mapping[str, Finding], vectors: int, cases: int
) -> str:
    """docs/strength.md."""
    mutants = all_mutants()
    apart, ours, theirs = _totals(list(mutants.values()), found)
    equivalent = [item for item in mutants.values() if item.equivalent]
    lines = _PAGE.format(
        vectors=vectors,
        cases=cases,
        ours=f"**{ours} of {apart}** ({ours / apart:.1%})",
        theirs=f"**{theirs} of {apart}** ({theirs / apart:.1%})",
        equivalent=len(equivalent),
        innocents=", ".join(item.name for item in innocents),
        count=len(innocents),
        whole=_whole(found, vectors),
    ).splitlines()
    for part, title in PARTS.items():
        of_part = [item for item in mutants.values() if item.part == part]
        lines.append("| [{}](#{}) | {} | {} | {} |".format(title, part, *_totals(of_part, found)))
    lines.append(f"| all | {apart} | {ours} | {theirs} |")
    for part, title in PARTS.items():
        lines += ["", f'<a id="{part}"></a>', "", f"## {title}", ""]
        lines += ["| bug | first vector that convicts it | of | ONNX's first | of |"]
        lines += ["|---|---|--:|---|--:|"]
        lines += [
            _row(item, found[item.name])
            for item in mutants.values()
            if item.part == part and not item.equivalent
        ]
    lines += ["", "## Equivalent mutants", ""]
    lines += ["| bug | why it cannot be told |", "|---|---|"]
    lines += [f"| {_bug(item)} | {_cell(item.equivalent)} |" for item in equivalent]
    return "\n".join(lines) + "\n"


def _totals(mutants: Sequence[Mutant], found: Mapping[str, Finding]) -> tuple[int, int, int]:
    apart = [item for item in mutants if not item.equivalent]
    ours = sum(1 for item in apart if found[item.name].ours.count)
    theirs = sum(1 for item in apart if found[item.name].theirs.count)
    return len(apart), ours, theirs


def _whole(found: Mapping[str, Finding], vectors: int) -> int:
    return sum(1 for item in found.values() if item.real >= vectors)


def _row(mutant: Mutant, finding: Finding) -> str:
    ours, theirs = finding.ours, finding.theirs
    cells = [_bug(mutant)]
    cells += [f"`{ours.first}` {ours.verdict}" if ours.count else "**none**", str(ours.count)]
    cells += [f"`{theirs.first.removeprefix('node/')}`" if theirs.count else "none"]
    cells += [str(theirs.count)]
    return f"| {' | '.join(cells)} |"


def _bug(mutant: Mutant) -> str:
    origin = f" ({mutant.origin})" if mutant.origin else ""
    return f"`{mutant.name}` {_cell(mutant.bug + origin)}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
