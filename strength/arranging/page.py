"""docs/arrangements.md: totals, and by operator what survives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..records.allowances import Allowance
    from .record import Line

PAGE = Path(__file__).resolve().parents[2] / "docs" / "arrangements.md"
_INTRODUCTION = Path(__file__).with_name("page.txt")


def page(lines: Mapping[str, Line], allowed: Mapping[str, Allowance]) -> str:
    """The page, from the record and what may have less or be unmeasured."""
    killed = sum(line.killed for line in lines.values())
    survived = sum(len(line.survived) for line in lines.values())
    argued = sum(len(line.argued) for line in lines.values())
    equivalent = sum(line.equivalent for line in lines.values())
    percent = 100.0 * killed / (killed + survived) if killed + survived else 0.0
    worst = min(lines, key=lambda name: lines[name].percent, default="")
    parts = [
        _INTRODUCTION.read_text(encoding="utf-8"),
        f"{len(lines)} operators: **{killed:,} of {killed + survived:,} mutants killed"
        f" ({percent:.1f} %)**, the least of one operator {lines[worst].percent:.1f} % ({worst})."
        f" {equivalent:,} are equivalent or meet nothing that they change, {argued:,} are argued."
        if worst
        else "Nothing is measured.",
        "",
        *_unmeasured(lines, allowed),
        "What survives, each of which a call at random tells apart and no vector does:",
        "",
    ]
    for name in sorted(lines, key=str.lower):
        line = lines[name]
        if line.survived:
            words = "; ".join(_short(item) for item in line.survived)
            parts.append(f"* {name} ({line.killed} of {line.killed + len(line.survived)}): {words}")
    weak = [name for name in sorted(allowed, key=str.lower) if allowed[name].least is not None]
    if weak:
        parts += ["", "What has less than is demanded, and why:", ""]
        parts += [
            f"* {name}, at least {allowed[name].least:g} %: {allowed[name].reason}" for name in weak
        ]
    return "\n".join([*parts, ""])


def _unmeasured(lines: Mapping[str, Line], allowed: Mapping[str, Allowance]) -> list[str]:
    names = [name for name in sorted(allowed, key=str.lower) if name not in lines]
    return [f"Not measured as they are now: {', '.join(names)}.", ""] if names else []


def _short(name: str) -> str:
    kind, _, rest = name.partition(": ")
    return rest if kind == "arranged" else f"`{rest}`"
