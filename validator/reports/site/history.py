"""What became of a runtime over its runs: a line for each count that matters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from onnx_conformance.core.text import one_line

from ...results.records import Results
from ..facts.tally import CRASHED, FAIL, PASS, UNSUPPORTED, Tally, as_seen, total_tally
from .pages import moment

# In percent from the top: where the lowest and the highest count of a line stand.
_BOTTOM, _TOP = 86, 14


def history(runs: Sequence[Results]) -> list[dict[str, Any]]:
    """Lines over the runs of one runtime, the oldest first; none for a single run.

    Each has a scale of its own, a point for each run, and a step from each point to the next. A run
    is counted on its own vectors: `words` of a point name how many those are.
    """
    if len(runs) < 2:
        return []
    seen = [total_tally(as_seen(run)) for run in runs]
    names = [_name(run) for run in runs]
    counts = {
        "fail or crash": [item.of(FAIL) + item.of(CRASHED) for item in seen],
        "pass": [item.of(PASS) for item in seen],
        "unsupported": [item.of(UNSUPPORTED) for item in seen],
    }
    return [_line(name, numbers, names, seen) for name, numbers in counts.items()]


def _name(run: Results) -> str:
    version = one_line(str(run.header.describe.get("version", "")), 60)
    return f"{version}, {moment(run.header.started)}"


def _line(
    name: str, numbers: Sequence[int], runs: Sequence[str], seen: Sequence[Tally]
) -> dict[str, Any]:
    least, most = min(numbers), max(numbers)
    points = [
        {
            # In percent from the left and from the top.
            "x": f"{2 + 96 * place / (len(numbers) - 1):.1f}",
            "y": round(_BOTTOM - (_BOTTOM - _TOP) * (number - least) / (most - least or 1)),
            "words": f"{run}: {number:,} {name} of {tally.total:,}",
        }
        for place, (number, run, tally) in enumerate(zip(numbers, runs, seen, strict=True))
    ]
    change = numbers[-1] - numbers[0]
    words = f"{numbers[0]:,} → {numbers[-1]:,} ({change:+,})" if change else f"{numbers[-1]:,}"
    steps = list(pairwise(points))
    return {"name": name, "points": points, "steps": steps, "words": words}
