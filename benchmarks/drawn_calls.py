"""How many of the drawn calls are permitted, and how long a call takes, operator by operator.

    python benchmarks/drawn_calls.py [--count N] [--seed S] [OPERATOR ...]

Draws N calls (20 by default) of each version of each operator from its signature, in the plain
form, and as many graphs for each opset, and asks the oracles. Operators of which fewer than nine in
ten are permitted come first, with the reason given most often; the exit code is 1 if there are any.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import replace

from onnx_conformance.generators.exploring.calls import DrawnCall
from onnx_conformance.generators.exploring.corpus import chosen, graph_opsets
from onnx_conformance.generators.exploring.drawing import Drawer, NotDrawnError, drawer_of
from onnx_conformance.generators.situations.permitting.permitted import NotPermittedError

_DUE = 0.9


def main() -> int:
    """Entry point: returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("operators", nargs="*")
    arguments = parser.parse_args()
    rows = [
        (slug, *_measured(drawer_of("d"), versions, arguments.count, arguments.seed))
        for slug, versions in chosen(arguments.operators).items()
    ]
    if not arguments.operators:
        graphs = tuple(f"graph-{opset}" for opset in graph_opsets())
        rows.append(("graph", *_measured(drawer_of("g"), graphs, arguments.count, arguments.seed)))
    rows = [row for row in rows if row[1]]
    rows.sort(key=lambda row: row[2] / row[1])
    for slug, asked, good, seconds, why in rows:
        reason = why.most_common(1)[0][0] if why else ""
        print(f"{slug:40} {good / asked:6.1%} {1000 * seconds / asked:8.1f} ms  {reason}"[:150])
    asked, good = sum(row[1] for row in rows), sum(row[2] for row in rows)
    seconds = sum(row[3] for row in rows)
    poor = sum(row[2] / row[1] < _DUE for row in rows)
    share, speed = f"{good / asked:.2%} permitted", f"{asked / seconds:.0f} a second"
    print(f"{asked:,} calls, {share}, {speed}; {poor} operators below nine in ten")
    return 1 if poor else 0


def _measured(
    drawer: Drawer, subjects: tuple[str, ...] | list[str], count: int, seed: int
) -> tuple[int, int, float, Counter[str]]:
    """Calls that were drawn, those that are permitted, processor seconds, and reasons."""
    asked = good = 0
    why: Counter[str] = Counter()
    began = time.process_time()
    for subject in subjects:
        for index in range(count):
            try:
                drawing = drawer.draw(subject, seed, index)
                if isinstance(drawing, DrawnCall):
                    drawing = replace(drawing, form="static")
                asked += 1
                drawing.made(f"explore/{subject}/x{seed:x}.{index}")
                good += 1
            except NotDrawnError:
                break
            except NotPermittedError as error:
                why[f"{subject}: {error.refusal.value}: {error}"] += 1
            except Exception as error:
                why[f"{subject}: FAULT {type(error).__name__}: {error}"] += 1
    return asked, good, time.process_time() - began, why


if __name__ == "__main__":
    sys.exit(main())
