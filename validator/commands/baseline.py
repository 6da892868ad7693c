"""`onnx-validate baseline`: write, renew and prove the list of failures that you know about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.vectors_folder import add_vectors_argument, open_vectors
from onnx_conformance.core.errors import ExitCode, UsageError
from onnx_conformance.core.files import write_whole

from ..gate.about import about_results
from ..gate.baseline import gate_of
from ..gate.entries import Baseline, read_baseline
from ..gate.expectations import expectations_of
from ..gate.made_with import runtime_of
from ..gate.rolling import require_rollable, rolled
from ..gate.updating import Update, update
from ..gate.words import MOST, gate_lines
from ..gate.writing import initial
from ..reports.terminal import when
from ..results.lost_children import with_limit
from ..results.merging import read_sources
from ..running.sharing.shard_plan import read_plan, require_as_planned
from .shared.options import (
    add_allow_reused,
    add_include_from,
    add_max_lost,
    add_results,
    add_strict_new,
)
from .shared.reading import (
    read_one_backend,
    refuse_shortfalls,
    reused_in_gate,
    say_shortfalls,
    shortfalls,
)

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's own subcommands."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _configure_init(actions.add_parser("init", help="list every failure of a run in a new file"))
    _configure_update(
        actions.add_parser("update", help="remove what is stale; comments and reasons stay")
    )
    _configure_roll(
        actions.add_parser("roll", help="move it to the corpus at hand, and to nothing else")
    )
    _configure_check(
        actions.add_parser("check", help="prove that every entry fits, and hold results against it")
    )


def _configure_init(parser: argparse.ArgumentParser) -> None:
    parser.description = "List every failure of a run in a new baseline."
    add_results(parser)
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("onnx-baseline.yaml"),
        metavar="FILE",
        help="the file to write (default: %(default)s)",
    )
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")
    add_vectors_argument(parser)
    parser.set_defaults(execute=_init)


def _configure_update(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Remove what passes now from a baseline. Comments, order and reasons stay."
        " What was not run stays as it is listed."
    )
    _add_file(parser)
    add_results(parser)
    parser.add_argument(
        "--accept-new",
        action="store_true",
        help="also list failures that are not listed, and those of another kind than listed",
    )
    parser.add_argument(
        "--remove-unmatched",
        action="store_true",
        help="also remove entries that match no vector of the corpus",
    )
    _add_dry_run(parser)
    parser.set_defaults(execute=_update)


def _configure_roll(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Move a baseline to the corpus at hand: what fails among vectors that are newer than its"
        " corpus is listed, what lists withdrawn vectors is removed. Nothing else changes, so that"
        " the change can be one commit."
    )
    _add_file(parser)
    add_results(parser)
    _add_dry_run(parser)
    parser.set_defaults(execute=_roll)


def _configure_check(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Read a baseline, match every entry with the corpus, and hold results, where given,"
        " against it: what `run --baseline` does, without running anything."
    )
    _add_file(parser)
    add_results(parser, "*")
    add_vectors_argument(parser)
    add_max_lost(parser, "none, of all shards together")
    parser.add_argument(
        "--verbose", action="store_true", help="list every red vector, not a few of each cause"
    )
    add_strict_new(parser)
    add_allow_reused(parser)
    parser.add_argument(
        "--plan",
        type=Path,
        metavar="FILE",
        help="the plan of the shards (`run --write-plan`): each must be there once, as planned",
    )
    parser.set_defaults(execute=_check)


def _add_dry_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would change and write nothing"
    )
    add_vectors_argument(parser)


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("baseline", type=Path, metavar="BASELINE", help="the baseline")
    add_include_from(parser)


# --- the actions ---------------------------------------------------------------------------


def _init(arguments: argparse.Namespace) -> int:
    if arguments.output.exists() and not arguments.force:
        raise UsageError(
            f"{arguments.output}: exists; renew it with `onnx-validate baseline update`, or"
            " replace it with --force"
        )
    corpus = open_vectors(arguments.vectors)
    results = read_one_backend(arguments.results, corpus)
    refuse_shortfalls(results, arguments.min_cases)
    version = str(results.header.describe.get("version", ""))
    text = initial(
        results,
        corpus.entries,
        f"{results.header.backend} {version}".strip(),
        corpus.version,
    )
    write_whole(arguments.output, text)
    failures = sum(not row.passed for row in results.rows)
    entries = len(read_baseline(arguments.output).entries)
    print(
        f"{arguments.output}: {_count(failures, 'vector')} that {'does' if failures == 1 else 'do'}"
        f" not pass, of {len(results.rows)}, in {_count(entries, 'entry', 'entries')};"
        " give each a reason in your own words"
    )
    if failures == len(results.rows):
        print("nothing passed: a gate with this baseline stays red until something does")
    return ExitCode.OK


def _update(arguments: argparse.Namespace) -> int:
    path: Path = arguments.baseline
    corpus = open_vectors(arguments.vectors)
    # This also reports a faulty file before anything else is read.
    included = read_baseline(path, arguments.include_from).included
    results = read_one_backend(arguments.results, corpus)
    changed = update(
        path.read_bytes().decode(),
        str(path),
        results.rows,
        corpus.entries,
        included=included,
        requirements=results.header.requirements,
        ran=runtime_of(results.header.describe),
        about=None if shortfalls(results) else about_results(results),
        accept_new=arguments.accept_new,
        remove_unmatched=arguments.remove_unmatched,
    )
    _write(changed, arguments)
    if changed.kept_runtime:
        print(changed.kept_runtime)
    if changed.unlisted:
        are = "is" if changed.unlisted == 1 else "are"
        them = "it" if changed.unlisted == 1 else "them"
        print(
            f"{_count(changed.unlisted, 'failure')} {are} not listed, so the gate stays red;"
            f" --accept-new lists {them}"
        )
    return say_shortfalls([results], arguments.min_cases)


def _roll(arguments: argparse.Namespace) -> int:
    path: Path = arguments.baseline
    corpus = open_vectors(arguments.vectors)
    baseline = read_baseline(path, arguments.include_from)
    results = read_one_backend(arguments.results, corpus)
    require_rollable(baseline, corpus, results)
    refuse_shortfalls(results, arguments.min_cases)
    changed = rolled(path.read_bytes().decode(), baseline, corpus, results)
    _write(changed, arguments)
    return ExitCode.OK


def _write(changed: Update, arguments: argparse.Namespace) -> None:
    """Say what changed, and write it unless nothing is to be written."""
    for line in changed.changes:
        print(line)
    summary = "nothing to change"
    if changed.changes:
        summary = _count(len(changed.changes), "change")
        if arguments.dry_run:
            summary += " (not written: --dry-run)"
        else:
            write_whole(arguments.baseline, changed.text)
    print(f"{arguments.baseline}: {summary}")


def _check(arguments: argparse.Namespace) -> int:
    corpus = open_vectors(arguments.vectors)
    baseline = read_baseline(arguments.baseline, arguments.include_from)
    expectations = expectations_of(
        baseline, corpus.entries, corpus.withdrawn, strict_new=arguments.strict_new
    )
    print(
        f"{arguments.baseline}: {_entries_in(baseline)}"
        f" for {_count(len(expectations.of), 'vector')} of corpus {corpus.version}"
    )
    if not arguments.results:
        return ExitCode.OK
    if arguments.plan is not None:
        _require_as_planned(arguments)
    results = read_one_backend(arguments.results, corpus)
    print(f"{results.header.backend}, {when(results)}")
    results = with_limit(results, arguments.max_lost_children or 0)
    lacks = shortfalls(results, arguments.min_cases)
    lacks += reused_in_gate(results, allowed=arguments.allow_reused)
    outcome = gate_of(results, expectations, lacks)
    for line in gate_lines(outcome, results, None if arguments.verbose else MOST):
        print(line)
    return outcome.exit_code


def _require_as_planned(arguments: argparse.Namespace) -> None:
    """Raise IncompleteError unless the results are all shards of the plan, each once."""
    sources = read_sources(arguments.results)
    require_as_planned(
        read_plan(arguments.plan), [(source.name, source.results) for source in sources]
    )


def _entries_in(baseline: Baseline) -> str:
    """How many entries count: the baseline's own, and those of each file that it includes."""
    files = {item.file: item for item in baseline.files}
    every = sum(len(item.entries) for item in files.values())
    words = _count(every, "entry", "entries")
    if len(files) == 1:
        return words
    own = len(baseline.entries)
    included = _count(len(files) - 1, "included file")
    return f"{words} ({own or 'none'} of its own, {every - own} in {included})"


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
