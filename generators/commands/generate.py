"""`onnx-vectors generate`: write the vectors that the specs declare."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from ...validator.errors import ExitCode
from .arguments import add_output, add_specs

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_specs(parser)
    add_output(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Check the specs against their witnesses, write the corpus, and say what changed."""
    from ..corpus_making import ask_witnesses, plan_corpus
    from ..corpus_writing import write_corpus
    from ..schema_check import check_against_schemas

    started = time.perf_counter()
    corpus = plan_corpus(arguments.specs, arguments.profile)
    check_against_schemas(corpus.specs)
    if sys.stderr.isatty():
        print(f"building {len(corpus.plans)} vectors ...", file=sys.stderr)
    ask_witnesses(corpus)
    written = write_corpus(corpus, arguments.output)
    seconds = time.perf_counter() - started
    print(
        f"{arguments.output}: {len(corpus.plans)} vectors: {written.added} added,"
        f" {written.changed} changed, {written.unchanged} unchanged, {written.removed} removed"
        f" ({seconds:.1f} s)"
    )
    return ExitCode.OK
