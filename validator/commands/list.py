"""`onnx-validate list`: the vectors that match a selection."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors_folder import add_vectors_argument, open_vectors
from onnx_conformance.core.errors import ExitCode

from ..running.selecting import add_arguments, from_arguments, select
from ..running.sharing.sharding import by_time
from .shared.options import add_profile_argument

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_vectors_argument(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object a line: the data.json")
    add_profile_argument(parser, "; only vectors that it claims are listed")
    parser.add_argument("--count", action="store_true", help="print only how many there are")
    add_arguments(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Print the ids, one a line."""
    corpus = open_vectors(arguments.vectors)
    entries = select(corpus, by_time(corpus, from_arguments(arguments), arguments.by_time)[0])
    if arguments.profile is not None:
        from ..profiles.claiming import claimed_of, require_any
        from ..profiles.given import given_profile

        claimed = claimed_of(given_profile(arguments.profile), arguments.profile, corpus, entries)
        for sentence in claimed.unknown:
            print(f"onnx-validate: note: in the profile: {sentence}", file=sys.stderr)
        require_any(claimed)
        entries = claimed.entries
    if arguments.count:
        print(len(entries))
    elif arguments.json:
        import json

        from onnx_conformance.core.corpus.corpus import read_metadata
        from onnx_conformance.core.corpus.metadata import to_json

        corpus.provide(entries)
        for entry in entries:
            print(json.dumps(to_json(read_metadata(entry)), separators=(",", ":")))
    else:
        for entry in entries:
            print(entry.id)
    return ExitCode.OK
