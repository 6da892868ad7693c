"""Shared by the commands that read results files: how files are given, and when too few are.

The guards are the same everywhere, so that no command takes half a run for a whole one.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import BadInputError, ExitCode, IncompleteError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from onnx_conformance.core.corpus.corpus import Corpus

    from ...results.records import Results, Row


def add_results(parser: argparse.ArgumentParser, count: str = "+") -> None:
    """Declare RESULTS, as many as argparse's `count` says, and the guard on their number."""
    parser.add_argument(
        "results",
        nargs=count,
        type=Path,
        metavar="RESULTS",
        help="results file of a run; several where it was sharded",
    )
    add_min_cases(parser, "have a verdict")


def add_min_cases(parser: argparse._ActionsContainer, what: str) -> None:
    """Declare `--min-cases`; `what` completes the help: which vectors count."""
    parser.add_argument(
        "--min-cases",
        type=positive,
        metavar="N",
        help=f"exit code 5 where fewer vectors than this {what}",
    )


def add_include_from(parser: argparse._ActionsContainer) -> None:
    """Declare `--include-from`, for commands that read a baseline."""
    parser.add_argument(
        "--include-from",
        type=Path,
        metavar="DIR",
        help="the baseline may include files of this folder, too, not of its own alone",
    )


def add_allow_reused(parser: argparse._ActionsContainer) -> None:
    """Declare `--allow-reused`, for commands that hold results against a baseline."""
    parser.add_argument(
        "--allow-reused",
        action="store_true",
        help="do not be red where verdicts were taken over from an earlier run with --reuse",
    )


def reused_in_gate(results: Results, *, allowed: bool) -> tuple[str, ...]:
    """The sentence that a gate uses verdicts of earlier runs, where that is not permitted."""
    if allowed or not results.reused:
        return ()
    from ...reports.facts.completeness import reused_in_words

    return (f"{reused_in_words(results)}; run without --reuse, or permit it with --allow-reused",)


def add_max_lost(parser: argparse._ActionsContainer, default: str) -> None:
    """Declare `--max-lost-children`; `default` completes the help: how many by default."""
    parser.add_argument(
        "--max-lost-children",
        type=_not_negative,
        metavar="N",
        help="be red where more children of the backend than this are lost between vectors, or with"
        f" a vector that is answered when it runs alone (default: {default})",
    )


def _not_negative(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is negative")
    return value


def add_strict_new(parser: argparse._ActionsContainer) -> None:
    """Declare `--strict-new`, for commands that hold results against a baseline."""
    parser.add_argument(
        "--strict-new",
        action="store_true",
        help="be red also where vectors fail that are newer than the corpus of the baseline",
    )


def positive(text: str) -> int:
    """A number of at least 1, for argparse."""
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def read_columns(paths: Sequence[Path], *, unclaimed: bool = False) -> list[Results]:
    """One Results for each backend in the files; BadInputError if they contradict each other.

    What a run's profile does not claim is counted apart, and listed only if `unclaimed`.
    """
    from ...results.claimed import claimed_part
    from ...results.merging import merge, read_sources

    merged = merge(read_sources(paths))
    return merged if unclaimed else [claimed_part(item) for item in merged]


def read_runs(paths: Sequence[Path]) -> list[Results]:
    """One Results for each run in the files, in their order; shards of a run are put together.

    What a run's profile does not claim is counted apart.
    """
    from ...results.claimed import claimed_part
    from ...results.merging import read_sources, runs_of

    return [claimed_part(item) for item in runs_of(read_sources(paths))]


def read_one_backend(paths: Sequence[Path], corpus: Corpus) -> Results:
    """The results of one backend on exactly this corpus, from one file or all of its shards."""
    columns = read_columns(paths)
    if len(columns) > 1:
        names = ", ".join(f"'{column.header.backend}'" for column in columns)
        raise BadInputError(f"the results are of several backends ({names}); a baseline is of one")
    results = columns[0]
    digest = results.header.corpus.get("digest")
    if digest != corpus.digest:
        raise BadInputError(
            f"{paths[0]}: is of corpus {results.header.corpus.get('version')}, whose manifest has"
            f" another digest than that of {corpus.root}; name the right folder with --vectors,"
            " or run the backend again"
        )
    return results


def shortfalls(results: Results, min_cases: int | None = None) -> tuple[str, ...]:
    """One sentence for each thing that these results lack; empty if nothing is missing."""
    from onnx_conformance.core.text import quantity

    from ...reports.facts.completeness import gaps

    found = gaps(results)
    if min_cases is not None and len(results.rows) < min_cases:
        judged = quantity(len(results.rows), "vector with a verdict", "vectors with a verdict")
        found.append(f"{judged}, fewer than --min-cases {min_cases}")
    return tuple(found)


def refuse_shortfalls(results: Results, min_cases: int | None = None) -> None:
    """Raise IncompleteError if anything is missing."""
    found = shortfalls(results, min_cases)
    if found:
        raise IncompleteError("; ".join(found))


def say_shortfalls(columns: Sequence[Results], min_cases: int | None = None) -> ExitCode:
    """Print on standard error what is missing; return INCOMPLETE if anything is, else OK."""
    from ...reports.terminal import printable

    code = ExitCode.OK
    for results in columns:
        for sentence in shortfalls(results, min_cases):
            line = f"onnx-validate: {results.header.backend}: {sentence}\n"
            sys.stderr.write(printable(line, sys.stderr))
            code = ExitCode.INCOMPLETE
    return code


def rows_of(
    paths: Sequence[Path], backend: str, corpus: Corpus, note: Callable[[str], None]
) -> dict[str, Row]:
    """The rows of earlier results by id; a note where they are of another backend or corpus."""
    rows: dict[str, Row] = {}
    for column in read_columns(paths, unclaimed=True) if paths else ():
        if column.header.backend != backend:
            note(f"note: --known has results of '{column.header.backend}', and this is '{backend}'")
        if column.header.corpus.get("digest") not in (None, corpus.digest):
            note(f"note: --known is of corpus {column.header.corpus.get('version')}")
        rows.update({row.id: row for row in column.rows})
    return rows
