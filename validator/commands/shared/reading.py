"""Shared by the commands that read results files: what is read of them, and when it is too little.

The guards are the same everywhere, so that no command takes half a run for a whole one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from onnx_conformance.core.corpus.corpus import Corpus
from onnx_conformance.core.errors import BadInputError, ExitCode, IncompleteError
from onnx_conformance.core.text import quantity

from ...reports.facts.completeness import gaps, reused_in_words
from ...reports.terminal import printable
from ...results.claimed import claimed_part
from ...results.merging import merge, read_sources, runs_of
from ...results.records import Results, Row


def reused_in_gate(results: Results, *, allowed: bool) -> tuple[str, ...]:
    """The sentence that a gate uses verdicts of earlier runs, where that is not permitted."""
    if allowed or not results.reused:
        return ()
    return (f"{reused_in_words(results)}; run without --reuse, or permit it with --allow-reused",)


def read_columns(paths: Sequence[Path], *, unclaimed: bool = False) -> list[Results]:
    """One Results for each backend in the files; BadInputError if they contradict each other.

    What a run's profile does not claim is counted apart, and listed only if `unclaimed`.
    """
    merged = merge(read_sources(paths))
    return merged if unclaimed else [claimed_part(item) for item in merged]


def read_runs(paths: Sequence[Path]) -> list[Results]:
    """One Results for each run in the files, in their order; shards of a run are put together.

    What a run's profile does not claim is counted apart.
    """
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
