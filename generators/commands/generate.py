"""`onnx-vectors generate`: write the vectors that the specs declare."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode, UsageError

from .arguments import add_specs

if TYPE_CHECKING:
    import argparse

_DEFAULT_OUTPUT = Path("vectors")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_specs(parser)
    parser.add_argument("--output", type=Path, metavar="DIR", help="the vectors (./vectors)")
    parser.add_argument(
        "--archive",
        type=Path,
        metavar="FILE",
        help="write the release archive instead of a folder: FILE.tar or FILE.tar.gz",
    )
    parser.add_argument(
        "selection",
        nargs="*",
        metavar="ID",
        help="only these, with their controls: ids or patterns, e.g. 'reshape-14/*'",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Check the specs against their witnesses, write the corpus, and say what changed."""
    from ..corpus.archiving import write_archive
    from ..corpus.making import ask_witnesses, plan_corpus
    from ..corpus.writing import write_corpus
    from ..specs.schema_check import check_against_schemas

    if arguments.archive is not None and arguments.output is not None:
        raise UsageError("--archive and --output exclude each other")
    if (
        arguments.archive is None
        and arguments.output is None
        and (arguments.selection or arguments.profile != "standard")
    ):
        raise UsageError(
            "a selection or another profile needs --output DIR: DIR then holds what is asked for"
            " and nothing else"
        )
    output = arguments.output or _DEFAULT_OUTPUT
    started = time.perf_counter()
    corpus = plan_corpus(arguments.specs, arguments.profile, arguments.selection)
    check_against_schemas(corpus.specs)
    if sys.stderr.isatty():
        print(f"building {len(corpus.plans)} vectors ...", file=sys.stderr)
    ask_witnesses(corpus)
    if arguments.archive is not None:
        size = write_archive(corpus, arguments.archive)
        print(f"{arguments.archive}: {len(corpus.plans)} vectors, {size:,} bytes")
        return ExitCode.OK
    written = write_corpus(corpus, output)
    seconds = time.perf_counter() - started
    print(
        f"{output}: {len(corpus.plans)} vectors: {written.added} added,"
        f" {written.changed} changed, {written.unchanged} unchanged, {written.removed} removed"
        f" ({seconds:.1f} s)"
    )
    return ExitCode.OK
