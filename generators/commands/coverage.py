"""`onnx-vectors coverage`: which vectors cover what, by operator, and what is missing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode

from .arguments import add_jobs, add_oracles, add_specs_folder, oracles_of

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_specs_folder(parser)
    add_oracles(parser)
    add_jobs(parser)
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the page to FILE")
    parser.add_argument(
        "--check", type=Path, metavar="FILE", help="fail where FILE is not this page; print nothing"
    )
    parser.add_argument(
        "operators",
        nargs="*",
        metavar="OPERATOR",
        help="show the requirements and vectors of these: names of files in specs/",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Print or write the coverage; a gap, or a page that is out of date, is bad input."""
    from onnx_conformance.core.files import write_whole

    from ..corpus.coverage.operators import corpus_gaps, coverage_page, operator_page
    from ..corpus.making import plan_corpus
    from ..corpus.planned import operator_coverages

    package = oracles_of(arguments)
    if arguments.operators:
        stems = [name.lower() for name in arguments.operators]
        corpus = plan_corpus(arguments.specs, operators=stems, package=package)
        for spec in corpus.specs:
            print(operator_page(spec, [plan for plan in corpus.plans if plan.spec is spec]))
        return ExitCode.OK
    operators = list(operator_coverages(arguments.specs, arguments.jobs, package))
    page = coverage_page(arguments.specs, operators)
    problems = list(corpus_gaps(arguments.specs, operators))
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
