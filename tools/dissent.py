"""Where runtimes agree with each other and not with the corpus: our own mistakes show there first.

    python -m tools.dissent RESULTS...

Independent implementations rarely make one mistake. Each vector that two or more of the given
runtimes fail in the same way (the same values, or a rejection by each) is put with its cause; the
causes that most runtimes share come first. A verdict stands when the document says so, whoever
disagrees; but the document is to be read again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from onnx_conformance.core.errors import ConformanceError
from onnx_conformance.core.text import one_line, quantity
from onnx_conformance.validator.judging.verdicts import Verdict
from onnx_conformance.validator.results.causes import JUDGED
from onnx_conformance.validator.results.file_format import read_results
from onnx_conformance.validator.results.records import Results, Row

# Of a rejection it counts that it is one: the words are each runtime's own.
_ALIKE = (*JUDGED, Verdict.REJECTED)


def main() -> int:
    """Print what the runtimes agree on; 0 whatever is found, 3 where a file cannot be used."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("results", nargs="+", type=Path, help="results files, one of each runtime")
    parser.add_argument("--least", type=int, default=2, help="runtimes that must agree (2)")
    arguments = parser.parse_args()
    try:
        columns = [read_results(path) for path in arguments.results]
    except ConformanceError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    for line in lines(columns, arguments.least):
        print(line)
    return 0


def lines(columns: Sequence[Results], least: int) -> Iterator[str]:
    """One line for each case in which at least so many runtimes do the same wrong thing."""
    groups: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for answers in _by_vector(columns).values():
        shared = Counter(key for key, _ in answers.values())
        (same, number), *_ = shared.most_common(1)
        if number < least:
            continue
        who = tuple(name for name, (key, _) in answers.items() if key == same)
        row = next(row for key, row in answers.values() if key == same)
        requirement = row.covers[0] if row.covers else ""
        groups[(row.operator, requirement, row.verdict, *who)].append(row)
    found = sorted(groups.items(), key=lambda item: (-len(item[0]), -len(item[1])))
    for (operator, requirement, verdict, *names), rows in found:
        yield (
            f"{one_line(rows[0].id)}: {verdict}, {', '.join(names)}:"
            f" {one_line(rows[0].message, 160)} ({operator} {requirement},"
            f" {quantity(len(rows), 'vector')})"
        )
    if not found:
        yield "no two of these runtimes do the same wrong thing"


def _by_vector(columns: Sequence[Results]) -> dict[str, dict[str, tuple[str, Row]]]:
    """Vector -> runtime -> what it did wrong, comparable between runtimes, and its row."""
    answers: dict[str, dict[str, tuple[str, Row]]] = defaultdict(dict)
    for column in columns:
        for row in column.rows:
            if row.verdict in _ALIKE:
                got = json.dumps(row.got, sort_keys=True) if row.verdict in JUDGED else ""
                answers[row.id][column.header.backend] = (f"{row.verdict} {got}", row)
    return answers


if __name__ == "__main__":
    sys.exit(main())
