"""The command: select vectors, evaluate them version by version, report."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.commandline import Parser
from onnx_conformance.core.corpus.corpus import Corpus, Entry, read_metadata
from onnx_conformance.core.corpus.listing.model import MANIFEST_FILE
from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.corpus.vectors_folder import (
    DEFAULT,
    STANDARD,
    add_vectors_argument,
    open_vectors,
)
from onnx_conformance.core.errors import ConformanceError, ExitCode, UsageError

from .judging import Opinion
from .report import Report, lines, page
from .rulings import RULINGS, read_rulings, ruled, stale

if TYPE_CHECKING:
    import argparse


_PROGRAM = "second_opinion"
_LISTED = DEFAULT / "standard"
_LONG = 40
EPILOG = """\
exit codes: 0 all agree or have a ruling, 1 a disagreement without a ruling or a ruling that nothing
needs, 2 usage, 3 a file cannot be used, 5 nothing selected or nothing answered
"""


def main(arguments: Sequence[str]) -> int:
    """Run the command line; the result is the exit code."""
    parser = Parser(prog=_PROGRAM, description=__doc__, epilog=EPILOG)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="operators or ids: Conv")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default: 1)")
    parser.add_argument(
        "--most", type=int, default=_LONG, metavar="N", help=f"lines of each list (default {_LONG})"
    )
    parser.add_argument("--rulings", type=Path, default=RULINGS, metavar="FILE")
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="write the page, of the whole corpus only"
    )
    add_vectors_argument(parser)
    given = parser.parse_args(list(arguments))
    try:
        return _run(given)
    except ConformanceError as error:
        print(f"{_PROGRAM}: {error}", file=sys.stderr)
        return error.exit_code


def _run(given: argparse.Namespace) -> int:
    if given.page is not None and given.patterns:
        raise UsageError("--page is about the whole corpus; leave the patterns away")
    if given.jobs < 1:
        raise UsageError("--jobs is at least 1")
    rulings = read_rulings(given.rulings)
    corpus = open_vectors(given.vectors or _everything())
    entries = _selected(corpus, given.patterns)
    if not entries:
        print(f"{_PROGRAM}: no valid or latitude vector is selected: 0 judged", file=sys.stderr)
        return ExitCode.INCOMPLETE
    corpus.provide(entries)
    opinions = _opinions(entries, given.jobs)
    wrong = [item.id for item in opinions if item.answer.value == "disagree"]
    report = Report(opinions, _operators(entries), ruled(rulings, wrong))
    for line in lines(report, given.most):
        print(line)
    judged = (item.id for item in opinions)
    needless = list(stale(rulings, wrong, judged, all_=not given.patterns))
    for line in needless:
        print(f"{_PROGRAM}: {line}", file=sys.stderr)
    if given.page is not None:
        from onnx_conformance.core.files import write_whole

        write_whole(given.page, page(report, corpus.version))
    return _exit_code(report, needless)


def _exit_code(report: Report, needless: Sequence[str]) -> int:
    if report.answered == 0:
        print(f"{_PROGRAM}: 0 vectors answered; nothing was compared", file=sys.stderr)
        return ExitCode.INCOMPLETE
    return ExitCode.UNEXPECTED if report.unruled or needless else ExitCode.OK


def _everything() -> Path | None:
    """In a checkout all vectors: those that are written, else those that today's manifests list."""
    try:
        written, listed = (path / MANIFEST_FILE for path in (STANDARD, _LISTED))
        if written.read_bytes() == listed.read_bytes():
            return STANDARD
    except OSError:
        pass
    return _LISTED if (_LISTED / MANIFEST_FILE).is_file() else None


def _selected(corpus: Corpus, patterns: Sequence[str]) -> list[Entry]:
    """The vectors with results that match a pattern; UsageError for one that matches nothing."""
    entries = corpus.entries
    if patterns:
        index = IdIndex(entries)
        chosen: dict[str, None] = {}
        for pattern in patterns:
            found = index.matching(pattern.lower().replace(":", "."))
            if not found:
                raise UsageError(index.explain(pattern))
            chosen.update(dict.fromkeys(found))
        entries = {key: entries[key] for key in entries if key in chosen}
    return [item for item in entries.values() if item.kind is not Kind.INVALID]


def _operators(entries: Iterable[Entry]) -> dict[str, str]:
    """The operator of each operator version, as documents spell it."""
    found: dict[str, str] = {}
    for item in entries:
        if item.operator_version not in found:
            vector = read_metadata(item)
            name = f"{vector.domain}.{vector.operator}" if vector.domain else vector.operator
            found[item.operator_version] = name
    return found


def _opinions(entries: Sequence[Entry], jobs: int) -> list[Opinion]:
    groups: dict[str, list[Entry]] = {}
    for item in entries:
        groups.setdefault(item.operator_version, []).append(item)
    if jobs == 1:
        return [item for group in groups.values() for item in _judged(group)]
    with ProcessPoolExecutor(jobs) as pool:
        return [item for part in pool.map(_judged, groups.values()) for item in part]


def _judged(entries: Sequence[Entry]) -> list[Opinion]:
    import warnings

    from .judging import opinion_of

    with warnings.catch_warnings():
        # What overflows or has no number is compared like everything else.
        warnings.simplefilter("ignore", RuntimeWarning)
        return [opinion_of(item) for item in entries]
