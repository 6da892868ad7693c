"""`onnx-vectors check`: prove that specs, excerpt and digests agree.

Vectors are written only with `--write`: all of them are made in any case, and CI then runs backends
on them.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode, IncompleteError, UsageError

from .arguments import add_jobs, add_kept, add_oracles, add_specs_folder, oracles_of

if TYPE_CHECKING:
    import argparse

    from ..corpus.collecting import Collected
    from ..corpus.made import Made
    from ..corpus.writing import CorpusComparison

EXCERPT = Path("vectors")
_SHOWN = 20


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_specs_folder(parser)
    add_oracles(parser)
    add_jobs(parser)
    add_kept(parser)
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="the excerpt of the corpus and the digests of all of it (./vectors)",
    )
    parser.add_argument(
        "--write",
        type=Path,
        metavar="DIR",
        help="write all vectors there while they are made, as `generate --output DIR` does",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Make the standard corpus; compare gaps, digests and the excerpt on disk with it."""
    package = oracles_of(arguments)
    if package:
        return _check_own(arguments, package)
    return _check_onnx(arguments)


def _check_own(arguments: argparse.Namespace, package: str) -> int:
    """Make the vectors of somebody's own operators; compare gaps and digests with their lock.

    Raises IncompleteError where there is no lock, so that one that was lost is no agreement.
    """
    from onnx_conformance.core.text import quantity

    from ..corpus.lock import lock_folder
    from ..specs.reading import spec_files

    if arguments.output is not None or arguments.kept is not None:
        raise UsageError("--output and --kept are for ONNX's operators")
    collected = _made(arguments, None, package)
    problems = [gap for operator in collected.coverage for gap in operator.gaps]
    problems += _lock_problems(arguments, collected)
    _show(problems)
    if problems:
        return ExitCode.BAD_INPUT
    folder = lock_folder(arguments.specs)
    if collected.lock is None:
        raise IncompleteError(
            f"{arguments.specs}: {len(collected.listed)} vectors can be made, and nothing says that"
            f" they are yesterday's: there is no lock in {folder}; `onnx-vectors admit --write`"
            " makes one"
        )
    specs = quantity(len(spec_files(arguments.specs)[1]), "spec")
    print(f"{folder}: {len(collected.listed)} vectors agree with {specs}")
    return ExitCode.OK


def _check_onnx(arguments: argparse.Namespace) -> int:
    from ..corpus.coverage.operators import (
        COVERAGE_PAGE,
        corpus_gaps,
        coverage_page,
        operators_without_spec,
    )
    from ..corpus.writing import CorpusComparison
    from ..editors.layout import long_lines
    from ..releases.contents import STANDARD, read_manifests
    from ..releases.versions import version_problems
    from ..skeleton.documents import copied_text
    from ..specs.reading import spec_files
    from ..whole_models.reading import model_spec_files

    output = arguments.output or EXCERPT
    _, paths = spec_files(arguments.specs)
    problems = [problem for path in paths if (problem := copied_text(path)) is not None]
    problems += long_lines((*paths, *model_spec_files(arguments.specs)))
    comparison = CorpusComparison(output)
    collected = _made(arguments, comparison)
    problems += corpus_gaps(arguments.specs, collected.coverage)
    problems += _lock_problems(arguments, collected)
    if collected.lock is not None:
        problems += operators_without_spec(arguments.specs, collected.coverage)
    if arguments.output == Path("vectors"):
        problems += _witness_problems(collected)
    differences = comparison.finish(collected.excerpt_files())
    if output == EXCERPT:
        problems += version_problems(read_manifests(STANDARD))
        page = COVERAGE_PAGE.read_text("utf-8") if COVERAGE_PAGE.is_file() else ""
        if page != coverage_page(arguments.specs, collected.coverage):
            differences.append(f"{COVERAGE_PAGE}: is out of date")
    problems += differences
    _show(problems)
    if differences:
        print(
            f"onnx-vectors: run `make vectors`, and look at what changed below {output}",
            file=sys.stderr,
        )
    if problems:
        return ExitCode.BAD_INPUT
    print(
        f"{output}: {len(collected.listed)} vectors, {len(collected.excerpt)} of them here,"
        f" agree with {len(paths)} specs"
    )
    return ExitCode.OK


def _made(
    arguments: argparse.Namespace, comparison: CorpusComparison | None, package: str = ""
) -> Collected:
    """Make the corpus, compare each vector of the excerpt, and write everything with `--write`."""
    from ..corpus.collecting import collect
    from ..corpus.keeping.kept import Kept
    from ..corpus.lock import lock_beside
    from ..corpus.parallel import make_corpus
    from ..corpus.writing import CorpusWriter
    from ..planning.expansion import STANDARD
    from ..specs.reading import spec_files

    with ExitStack() as stack:
        writer = None
        if arguments.write:
            writer = stack.enter_context(CorpusWriter(arguments.write, noting=bool(arguments.kept)))

        def visit(made: Made) -> None:
            if made.excerpt and comparison is not None:
                comparison.add(made.place, made.files, made.listed.digest)
            if writer is not None:
                writer.add(made.place, made.files, made.listed.digest)

        facts, _ = spec_files(arguments.specs)
        lock = lock_beside(arguments.specs)
        kept = arguments.kept and Kept(
            arguments.kept, arguments.specs, STANDARD, propose=lock is not None
        )
        operators = make_corpus(
            arguments.specs, jobs=arguments.jobs, propose=True, kept=kept, package=package
        )
        collected = collect(operators, facts, STANDARD, visit, lock)
        if writer is not None and not (collected.differing or collected.lost):
            writer.finish(collected.files())
    return collected


def _lock_problems(arguments: argparse.Namespace, collected: Collected) -> list[str]:
    """What the lock beside the specs and the corpus that was made do not agree on."""
    from ..corpus.admission.checking import problems
    from ..corpus.admission.proving import read_history
    from ..corpus.lock import lock_beside

    lock = lock_beside(arguments.specs)
    if lock is None:
        return []
    history = read_history(arguments.specs, lock)
    return list(problems(history, collected.differing, collected.lost, collected.proposals))


def _witness_problems(collected: Collected) -> list[str]:
    """Where the ledger of witnesses, which is of this corpus, does not fit it."""
    from onnx_conformance.core.witnesses.alone import ALONE, corpus_witnesses, problems, read_alone
    from onnx_conformance.core.witnesses.ledger import ledger_here

    return list(problems(corpus_witnesses(ledger_here(), collected.listed), read_alone(ALONE)))


def _show(problems: list[str]) -> None:
    for line in problems[:_SHOWN]:
        print(f"onnx-vectors: {line}", file=sys.stderr)
    if len(problems) > _SHOWN:
        print(f"onnx-vectors: and {len(problems) - _SHOWN} more", file=sys.stderr)
