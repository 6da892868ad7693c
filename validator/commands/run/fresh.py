"""`onnx-validate run --fresh SEED`: the derived inputs of the vectors drawn anew."""

from __future__ import annotations

import argparse
import contextlib
import re
from collections.abc import Iterator
from dataclasses import replace

from onnx_conformance.core.errors import UsageError

from ...exploring.supplying.fresh import fresh_corpus
from ...running.run import Run
from .report import print_note

_SEED = re.compile("[A-Za-z0-9_-]{1,32}")
_REASONS = 3


def add_fresh_argument(parser: argparse._ActionsContainer) -> None:
    """Declare `--fresh`."""
    parser.add_argument(
        "--fresh",
        metavar="SEED",
        type=_seed,
        help="draw the derived inputs of the vectors anew, from the same profiles: nobody can know"
        " them; values that a spec writes out stay. The same seed gives the same values",
    )


def _seed(text: str) -> str:
    if not _SEED.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no seed: 1 to 32 letters, digits, hyphens or underscores"
        )
    return text


@contextlib.contextmanager
def freshly(run: Run, arguments: argparse.Namespace) -> Iterator[Run]:
    """The run with fresh vectors, if that is asked for; at the end it says how many there were.

    Raises UsageError with options that take over verdicts: they are of other values.
    """
    if arguments.fresh is None:
        yield run
        return
    if arguments.resume or arguments.reuse:
        raise UsageError(
            "--fresh has other values than earlier results: leave out --resume, --reuse"
        )
    corpus, source, folder = fresh_corpus(
        run.corpus, run.plan.entries, arguments.fresh, arguments.jobs
    )
    entries = {name: corpus.entries[name] for name in run.plan.entries}
    with folder:
        yield replace(run, corpus=corpus, plan=replace(run.plan, entries=entries))
        print_note(f"note: --fresh {arguments.fresh}: {source.drawn}")
        for reason, count in source.drawn.reasons.most_common(_REASONS):
            print_note(f"note: not drawn anew ({count}): {reason}")
