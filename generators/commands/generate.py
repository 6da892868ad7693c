"""`onnx-vectors generate`: write the vectors that the specs declare."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.cluster.options import add_cluster, where_of
from onnx_conformance.core.errors import ExitCode, UsageError

from .arguments import add_jobs, add_kept, add_oracles, add_specs, oracles_of

if TYPE_CHECKING:
    import argparse

    from ..corpus.made import Made, OperatorCorpus
    from ..corpus.writing import CorpusWriter, Written

EXCERPT_FOLDER = Path("vectors")
STANDARD_FOLDER = Path("build/vectors")
_NAMED = 5  # specs that a line names


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_specs(parser)
    add_oracles(parser)
    add_jobs(parser)
    add_kept(parser)
    add_cluster(parser, "make operators")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="write there, and there alone (the standard corpus goes to ./build/vectors, its"
        " excerpt and its digests to ./vectors)",
    )
    parser.add_argument(
        "--archive",
        type=Path,
        metavar="DIR",
        help="write a release instead: a new folder with manifests, and an archive (.tar.gz) for"
        " each operator version",
    )
    parser.add_argument(
        "selection",
        nargs="*",
        metavar="ID",
        help="only these, with their controls: ids or patterns, e.g. 'reshape-14/*'",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Make the vectors, write them, and print what changed."""
    if arguments.archive is not None and arguments.output is not None:
        raise UsageError("--archive and --output exclude each other")
    if arguments.archive is not None and arguments.cluster is not None:
        raise UsageError("--archive makes a release on this machine, without --cluster")
    arguments.oracles = oracles_of(arguments)
    if arguments.oracles:
        _require_own_output(arguments)
    whole = not arguments.selection and arguments.profile == "standard"
    if arguments.archive is None and arguments.output is None and not whole:
        raise UsageError(
            "a selection or another profile needs --output DIR: DIR then holds what is asked for"
            " and nothing else"
        )
    if arguments.archive is not None:
        from ..corpus.shipping.archiving import write_release

        release = write_release(
            arguments.specs,
            arguments.profile,
            arguments.archive,
            arguments.selection,
            arguments.jobs,
        )
        print(
            f"{arguments.archive}: {release.vectors:,} vectors in {release.archives:,} archives,"
            f" {release.size:,} bytes"
        )
        return ExitCode.OK
    from ..corpus.writing import CorpusWriter

    started = time.perf_counter()
    if arguments.output is not None:
        with CorpusWriter(arguments.output, noting=bool(arguments.kept)) as writer:
            written = _write(arguments, writer, None)
        print(_summary(arguments.output, written, started))
        if arguments.oracles:
            print(_of_the_lock(arguments))
        return ExitCode.OK
    _require_checkout()
    with (
        CorpusWriter(STANDARD_FOLDER, noting=bool(arguments.kept)) as writer,
        CorpusWriter(EXCERPT_FOLDER) as excerpt,
    ):
        written = _write(arguments, writer, excerpt)
    print(_summary(STANDARD_FOLDER, written, started))
    return ExitCode.OK


def _require_own_output(arguments: argparse.Namespace) -> None:
    """UsageError for what vectors of one's own operators cannot be asked for."""
    if arguments.output is None:
        raise UsageError("operators of one's own go where --output DIR says")
    if arguments.kept is not None:
        raise UsageError("--kept is for ONNX's operators; with --oracles everything is made")


def _require_checkout() -> None:
    """UsageError if the folder is not a checkout, where people do not expect new folders."""
    if not (Path("specs").is_dir() and EXCERPT_FOLDER.is_dir()):
        raise UsageError("this folder is no checkout of the project: say where with --output DIR")


def _write(
    arguments: argparse.Namespace, writer: CorpusWriter, excerpt: CorpusWriter | None
) -> Written:
    """Write each operator as soon as it is made; the manifests come last."""
    from onnx_conformance.core.files import write_whole

    from ..corpus.admission.proving import read_history, require_current
    from ..corpus.collecting import collect
    from ..corpus.coverage.operators import COVERAGE_PAGE, coverage_page
    from ..corpus.keeping.kept import Kept
    from ..corpus.lock import is_published, lock_beside
    from ..corpus.parallel import make_corpus
    from ..planning.expansion import STANDARD
    from ..specs.reading import spec_files

    def write(made: Made) -> None:
        writer.add(made.place, made.files, made.listed.digest)
        if excerpt is not None and made.excerpt:
            excerpt.add(made.place, made.files, made.listed.digest)

    facts, _ = spec_files(arguments.specs)
    whole = arguments.profile == STANDARD and not arguments.selection
    lock = lock_beside(arguments.specs) if whole else None
    if lock is not None and not is_published(lock):
        require_current(read_history(arguments.specs, lock))
    operators = make_corpus(
        arguments.specs,
        arguments.profile,
        arguments.selection,
        arguments.jobs,
        kept=arguments.kept and Kept(arguments.kept, arguments.specs, arguments.profile),
        package=arguments.oracles,
        cluster=where_of(arguments),
    )
    again: list[str] = []
    collected = collect(_noted(operators, again), facts, arguments.profile, write, lock)
    collected.require_as_listed()
    if arguments.kept:
        names = ", ".join(again[:_NAMED]) + (", …" if len(again) > _NAMED else "")
        print(f"made again: {len(again)} of {len(collected.requirements)} specs {names}".rstrip())
    written = writer.finish(collected.files())
    if excerpt is not None:
        excerpt.finish(collected.excerpt_files())
        write_whole(COVERAGE_PAGE, coverage_page(arguments.specs, collected.coverage))
    return written


def _noted(operators: Iterable[OperatorCorpus], again: list[str]) -> Iterator[OperatorCorpus]:
    """The operators; the names of those that were made now are added to the list."""
    for operator in operators:
        if not operator.kept:
            again.append(operator.stem)
        yield operator


def _of_the_lock(arguments: argparse.Namespace) -> str:
    """Whether anything says which vectors of one's own operators there are to be."""
    from ..corpus.lock import lock_beside, lock_folder

    folder = lock_folder(arguments.specs)
    if lock_beside(arguments.specs) is None or arguments.profile == "full":
        return (
            f"no lock in {folder}: the rules decide what there is, and nothing is compared with"
            " yesterday's; `onnx-vectors admit --write` makes one"
        )
    return f"as {folder} lists them"


def _summary(folder: Path, written: Written, started: float) -> str:
    total = written.added + written.changed + written.unchanged
    return (
        f"{folder}: {total} vectors: {written.added} added, {written.changed} changed,"
        f" {written.unchanged} unchanged, {written.removed} removed"
        f" ({time.perf_counter() - started:.1f} s)"
    )
