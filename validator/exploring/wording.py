"""An exploration in words, for a terminal."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from onnx_conformance.core.exploring.explorer import Refusal
from onnx_conformance.core.text import one_line, quantity

from ..judging.verdicts import Verdict
from ..results.wording import verdict_and_message

if TYPE_CHECKING:
    from .causes import Blame, Found
    from .exploration import Exploration, Fault, Tally

_MESSAGE = 240
_NAMES = 8
# Below this share of valid calls an operator is named: its drawer wants care.
_FEW_VALID = 0.5


def cause_lines(found: Found) -> Iterator[str]:
    """A cause: its simplest call with what happened, and below it what was changed."""
    failure = found.failure
    row = failure.row
    verdict, message = verdict_and_message(row.verdict, row.phase, row.message)
    yield f"{row.id}: {row.operator}: {verdict}: {one_line(message, _MESSAGE) or 'no message'}"
    parts = []
    if failure.explored.base:
        parts.append("; ".join(one_line(item, 80) for item in failure.explored.edits))
        parts.append(f"from {failure.explored.base}")
    else:
        parts.append(", ".join(f"{name} {word}" for name, word in sorted(row.types.items())))
        parts.append(f"form {row.form}")
    parts.append(quantity(found.calls, "call"))
    if failure.alone is False:
        parts.append("not again when it ran alone: look at what ran before it")
    elif failure.alone is None and not found.known:
        parts.append("not run alone")
    yield f"    {' · '.join(parts)}"
    if found.blame is not None:
        yield f"    {blame_words(found.blame)}"
    if found.known:
        yield f"    known as {found.known}"
    elif found.perhaps:
        yield f"    {found.perhaps} fails with the same verdict; its cause may be another"


def blame_words(blame: Blame) -> str:
    """What a failure has to do with the optimizer, in a line."""
    if not blame.optimized:
        return "fails without optimization, too"
    words = f"passes without optimization, fails from level {blame.level} on"
    if blame.passes is None:
        return words
    if blame.passes:
        return f"{words}; passes without {' and '.join(blame.passes)}"
    return f"{words}, whatever passes are left out"


def report_lines(
    found: Sequence[Found], exploration: Exploration, seconds: float, seed: int
) -> Iterator[str]:
    """The report: new causes, known ones in a line each, our own faults, what was drawn."""
    new = [item for item in found if not item.known]
    known = [item for item in found if item.known]
    if new:
        yield f"{quantity(len(new), 'cause')} that the corpus does not show on this backend:"
        yield ""
        for item in new:
            yield from cause_lines(item)
            yield ""
    if known:
        yield f"{quantity(len(known), 'cause')} that it shows:"
        yield ""
        for item in known:
            row = item.failure.row
            verdict = verdict_and_message(row.verdict, row.phase, "")[0]
            calls = quantity(item.calls, "call")
            yield f"{row.operator}: {verdict}: {calls}, known as {item.known}"
        yield ""
    if exploration.faults:
        yield "faults of onnx-conformance itself, which say nothing of the backend:"
        yield ""
        for fault in exploration.faults:
            yield fault_line(fault)
        yield ""
    yield from figures(exploration.tallies, seconds, seed)


def fault_line(fault: Fault) -> str:
    """A fault of ours with the first call that shows it."""
    return f"{fault.example}: {fault.message} ({quantity(fault.calls, 'call')})"


def figures(tallies: Mapping[str, Tally], seconds: float, seed: int) -> Iterator[str]:
    """What was drawn and what became of it."""
    verdicts: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    tries = 0
    for tally in tallies.values():
        verdicts.update(tally.verdicts)
        refused.update(tally.refused)
        tries += tally.tries
    ran = verdicts.total()
    each = f", {ran / seconds:,.0f} a second" if seconds else ""
    yield (
        f"seed {seed:x}: {quantity(ran, 'call')} of {quantity(len(tallies), 'operator')} ran in"
        f" {seconds:,.0f} s{each}: {_counts(verdicts) or 'none'}"
    )
    valid = ran + tries + refused[Refusal.INVALID]
    if valid:
        yield f"{ran / valid:.0%} of what was drawn is permitted by the documents"
    rest = Counter({name: count for name, count in refused.items() if name != Refusal.INVALID})
    if rest:
        yield f"not put to the backend: {_counts(rest)}"
    names = [name for name, tally in sorted(tallies.items()) if not tally.ran]
    if names:
        yield f"nothing could be put to the backend of: {_some(names)}"
    poor = [
        f"{name} {tally.valid:.0%}"
        for name, tally in sorted(tallies.items())
        if tally.ran and tally.valid is not None and tally.valid < _FEW_VALID
    ]
    if poor:
        yield f"few valid calls: {_some(poor)}"


def _counts(counts: Counter[str]) -> str:
    ordered = sorted(counts.items(), key=lambda item: (item[0] != Verdict.PASS, -item[1], item[0]))
    return ", ".join(f"{count:,} {name}" for name, count in ordered if count)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return ", ".join(names[:_NAMES]) + more


class Watch:
    """A line on standard error while an exploration runs, if that is a terminal."""

    def __init__(self, exploration: Exploration, budget: float | None, count: int | None) -> None:
        """Watch an exploration of so many seconds, or of so many calls."""
        self._exploration = exploration
        self._budget, self._count = budget, count
        self._began = self._last = time.monotonic()
        self._shown = sys.stderr.isatty()

    def __call__(self) -> None:
        """Show how far it is, now and then."""
        now = time.monotonic()
        if now < self._last + (0.2 if self._shown else 30.0):
            return
        self._last = now
        ran = sum(tally.ran for tally in self._exploration.tallies.values())
        of = f" of {self._count:,}" if self._count else ""
        limit = f" of {self._budget:,.0f}" if self._budget else ""
        text = (
            f"{ran:,}{of} calls, {len(self._exploration.failures):,} failures,"
            f" {now - self._began:,.0f}{limit} s"
        )
        sys.stderr.write(f"\r\x1b[K{text}" if self._shown else f"{text}\n")
        sys.stderr.flush()

    def clear(self) -> None:
        """Remove the line, so that the report can follow."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
