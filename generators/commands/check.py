"""`onnx-vectors check`: prove that specs, core and digests agree. Nothing is written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.errors import ExitCode

from .arguments import add_jobs, add_specs_folder

if TYPE_CHECKING:
    import argparse

    from onnx_conformance.core.corpus.manifests import Listed

    from ..corpus.coverage import OperatorCoverage

_SHOWN = 20


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_specs_folder(parser)
    add_jobs(parser)
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("vectors"),
        metavar="DIR",
        help="the core of the corpus and the digests of all of it (./vectors)",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Make the standard corpus, and hold gaps, digests and the core on disk against it."""
    from onnx_conformance.core.corpus.requirements import REQUIREMENTS_FILE

    from ..corpus.coverage import COVERAGE_PAGE, coverage_page
    from ..corpus.making import CORE, as_json, manifests
    from ..corpus.parallel import make_corpus
    from ..corpus.published import STANDARD_FOLDER, below
    from ..corpus.writing import CorpusComparison
    from ..skeleton.documents import copied_text
    from ..specs.reading import spec_files

    facts, paths = spec_files(arguments.specs)
    problems = [problem for path in paths if (problem := copied_text(path)) is not None]
    comparison = CorpusComparison(arguments.output)
    covered: list[OperatorCoverage] = []
    listed: list[Listed] = []
    core_listed: list[Listed] = []
    words: dict[str, Any] = {}
    for operator in make_corpus(arguments.specs, jobs=arguments.jobs):
        words.update(operator.requirements)
        if operator.coverage is not None:
            covered.append(operator.coverage)
            problems += operator.coverage.gaps
        for made in operator.vectors:
            listed.append(made.listed)
            if made.core:
                core_listed.append(made.listed)
                comparison.add(made.place, made.files)
    differences = comparison.finish(
        {
            REQUIREMENTS_FILE: as_json(words),
            **manifests(facts, CORE, core_listed),
            **below(STANDARD_FOLDER, manifests(facts, "standard", listed)),
        }
    )
    page = COVERAGE_PAGE
    if arguments.output == Path("vectors") and coverage_page(arguments.specs, covered) != (
        page.read_text("utf-8") if page.is_file() else ""
    ):
        differences.append(f"{page}: is out of date")
    problems += differences
    for line in problems[:_SHOWN]:
        print(f"onnx-vectors: {line}", file=sys.stderr)
    if len(problems) > _SHOWN:
        print(f"onnx-vectors: and {len(problems) - _SHOWN} more", file=sys.stderr)
    if differences:
        print(
            f"onnx-vectors: run `make vectors`, and look at what changed below {arguments.output}",
            file=sys.stderr,
        )
    if problems:
        return ExitCode.BAD_INPUT
    print(
        f"{arguments.output}: {len(listed)} vectors, {len(core_listed)} of them here, agree with"
        f" {len(paths)} specs"
    )
    return ExitCode.OK
