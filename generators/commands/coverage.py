"""`onnx-vectors coverage`: requirement by case, version by type and form, and what is missing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode

from .arguments import add_specs

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_specs(parser)
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the page to FILE")
    parser.add_argument(
        "--check", type=Path, metavar="FILE", help="fail where FILE is not this page; print nothing"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Print or write the coverage; a gap or a page that is out of date is bad input."""
    from onnx_conformance.core.files import write_whole

    from ..corpus.coverage import gaps, markdown
    from ..corpus.making import plan_corpus

    corpus = plan_corpus(arguments.specs, arguments.profile)
    page = markdown(corpus)
    problems = list(gaps(corpus))
    if arguments.check is not None:
        current = arguments.check.read_text("utf-8") if arguments.check.is_file() else ""
        if current != page:
            problems.append(
                f"{arguments.check}: is out of date; run"
                f" `onnx-vectors coverage --markdown {arguments.check}`"
            )
    elif arguments.markdown is not None:
        write_whole(arguments.markdown, page)
    else:
        print(page, end="")
    for problem in problems:
        print(f"onnx-vectors: {problem}", file=sys.stderr)
    return ExitCode.BAD_INPUT if problems else ExitCode.OK
