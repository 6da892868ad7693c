"""In words: what fails among vectors that are newer than the corpus that a baseline is of.

Nobody's CI turns red because others wrote vectors: what fails among newer ones is shown apart until
somebody takes it in with `baseline roll`, or asks for it with `--strict-new`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.listing.releases import release_key
from onnx_conformance.core.text import quantity

from ..results.causes import Cause, causes_of
from ..results.records import Results, Row

if TYPE_CHECKING:
    from .baseline import GateOutcome

WHAT_TO_DO = (
    "they turn nothing red until `onnx-validate baseline roll` takes them in; --strict-new is red"
)


def newer_causes(
    outcome: GateOutcome, results: Results
) -> Iterator[tuple[str, int, Sequence[Row], Sequence[Cause]]]:
    """Of each release with newer vectors: how many pass, those that fail, and their causes."""
    by_release: dict[str, list[Row]] = defaultdict(list)
    for row in results.rows:
        if row.id in outcome.newer:
            by_release[outcome.newer[row.id]].append(row)
    for release in sorted(by_release, key=release_key):
        rows = by_release[release]
        failing = [row for row in rows if row.id in outcome.failing_newer]
        yield release, len(rows) - len(failing), failing, causes_of(failing, results.rows)


def newer_headline(release: str, passing: int, failing: int, causes: int) -> str:
    """`new in 0.3.0: 12 fail, 3 causes; 28 are as they should be`."""
    if not failing:
        return f"new in {release}: none of {quantity(passing, 'vector')} fails"
    fine = f"; {passing:,} do not" if passing else ""
    return f"new in {release}: {failing:,} fail, {quantity(causes, 'cause')}{fine}"
