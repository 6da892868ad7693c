"""`onnx-validate profile`: profiles of what a runtime claims to support."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors_folder import add_vectors_argument, open_vectors
from onnx_conformance.core.errors import BadInputError, ExitCode, IncompleteError
from onnx_conformance.core.files import require_own_files, write_whole
from onnx_conformance.core.text import one_line, quantity

from ..profiles.claiming import claimed_of, reasons_in_words, require_any
from ..profiles.given import given_profile
from ..profiles.known import known_profile, names
from ..profiles.suggesting import Draft, Tried, suggested
from ..profiles.writing import profile_text
from ..reports.terminal import title
from ..results.claimed import needs_of_row
from ..results.records import Results
from .shared.reading import read_columns

if TYPE_CHECKING:
    import argparse


EPILOG = """\
docs/profiles.md says what a profile is. exit codes: 0; 2 usage; 3 a file cannot be used; 5 nothing
is claimed: results without an answer, or a profile that fits no vector
"""
_LISTED = 40


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands."""
    parser.epilog = EPILOG
    parts = parser.add_subparsers(dest="part", metavar="PART", required=True)
    suggest = parts.add_parser(
        "suggest",
        help="write a profile from the results of a first run",
        description="Write a profile of what a runtime answered in a first run.",
    )
    suggest.add_argument(
        "results", nargs="+", type=Path, metavar="RESULTS", help="results of one backend"
    )
    suggest.add_argument(
        "--output", type=Path, metavar="FILE", help="write it there, not on standard output"
    )
    suggest.set_defaults(execute=_suggest)
    listing = parts.add_parser("list", help="list the profiles that come along")
    listing.set_defaults(execute=_list)
    show = parts.add_parser(
        "show",
        help="show a profile, and how much of the corpus it claims",
        description="Print a profile as YAML, and count the vectors that it claims.",
    )
    show.add_argument("profile", metavar="PROFILE", help="a file, or a name of `profile list`")
    add_vectors_argument(show)
    show.set_defaults(execute=_show)


def _suggest(arguments: argparse.Namespace) -> int:
    require_own_files(
        [
            *((f"the results {path}", path) for path in arguments.results),
            ("--output", arguments.output),
        ]
    )
    columns = read_columns(arguments.results, unclaimed=True)
    if len(columns) > 1:
        names = ", ".join(f"'{item.header.backend}'" for item in columns)
        raise BadInputError(f"the results are of several backends ({names}); a profile is of one")
    results = columns[0]
    tried = [
        Tried(needs_of_row(row), row.kind, row.verdict, refused=row.taken == "rejected")
        for row in results.rows
    ]
    draft = suggested(tried)
    if not draft.profile.operators:
        raise IncompleteError(
            f"{one_line(results.header.backend, 80)} answered none of"
            f" {quantity(len(results.rows), 'vector')} with values: there is nothing to claim"
        )
    claimed = [item for item in tried if draft.profile.why_not(item.needs) is None]
    before, after = _comments(results, draft, claimed)
    text = profile_text(draft.profile, before, after)
    if arguments.output is None:
        sys.stdout.write(text)
    else:
        write_whole(arguments.output, text)
    passed = sum(item.verdict == "pass" for item in claimed)
    print(
        f"onnx-validate: it claims {quantity(len(draft.profile.operators), 'operator')} with"
        f" {len(claimed):,} of {quantity(len(tried), 'vector')}, of which {passed:,} pass;"
        f" {quantity(len(draft.left_out), 'operator')} without any answer left out",
        file=sys.stderr,
    )
    return ExitCode.OK


def _comments(
    results: Results, draft: Draft, claimed: Sequence[object]
) -> tuple[list[str], list[str]]:
    """The lines before and after the suggested profile."""
    before = [
        f"From {title(results)}, of which it claims {len(claimed):,}: what",
        "was answered with values at least once, rightly or not. Claim what the runtime is meant",
        "to support: what is claimed and refused is a failure, what is not claimed is not run.",
    ]
    after = []
    if draft.left_out:
        after = ["", "Left out, because no vector of it was answered:"]
        after += [f"  {name}: {_verdicts(counts)}" for name, counts in draft.left_out.items()]
        if len(draft.left_out) > _LISTED:
            total: Counter[str] = sum(draft.left_out.values(), Counter())
            operators = quantity(len(draft.left_out), "operator")
            refused = _verdicts(total)
            after = ["", f"Left out: {operators} of which no vector was answered ({refused})."]
    return before, after


def _verdicts(counts: Counter[str]) -> str:
    return ", ".join(f"{number:,} {verdict}" for verdict, number in counts.most_common())


def _list(_arguments: argparse.Namespace) -> int:
    for name in names():
        profile = known_profile(name)
        if profile is not None:
            operators = quantity(len(profile.operators or ()), "operator")
            print(f"{name:16} {operators:14} {profile.source}")
    return ExitCode.OK


def _show(arguments: argparse.Namespace) -> int:
    profile = given_profile(arguments.profile)
    corpus = open_vectors(arguments.vectors)
    entries = tuple(corpus.entries.values())
    claimed = claimed_of(profile, arguments.profile, corpus, entries)
    require_any(claimed)
    sys.stdout.write(profile_text(profile))
    counts = f"{len(claimed.entries):,} of {quantity(len(entries), 'vector')}"
    print(f"# claims {quantity(claimed.operators, 'operator')} with {counts} of {corpus.root}")
    if claimed.left_out:
        print(f"# not claimed: {reasons_in_words(claimed.not_claimed)}")
    for sentence in claimed.unknown:
        print(f"# {sentence}")
    return ExitCode.OK
