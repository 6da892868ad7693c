"""`onnx-validate run`: run a backend on vectors and judge what it does.

May come in: arguments, printing, exit codes.
May not: running, judging and recording, which are done by `running`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.cluster.options import Where, where_of
from onnx_conformance.core.corpus.corpus import Corpus, Entry
from onnx_conformance.core.corpus.vectors_folder import open_vectors
from onnx_conformance.core.errors import (
    BackendUnusableError,
    IncompleteError,
    UsageError,
)
from onnx_conformance.core.files import require_own_files, write_whole
from onnx_conformance.core.progress import Progress
from onnx_conformance.core.systems import command_line
from onnx_conformance.core.text import quantity
from onnx_conformance.core.values.limits import IEEE

from ...exploring.supplying.drawn_vectors import with_explored
from ...gate.entries import read_baseline
from ...gate.expectations import NO_EXPECTATIONS, expectations_of
from ...host.backends import find_backend
from ...host.hiding import hide_vectors_argument
from ...host.worker import Settings
from ...judging.tolerance_rules import ONNX_MODE
from ...profiles.claiming import Claimed, claimed_of, require_any
from ...results.file_format import read_results
from ...results.lost_children import permitted
from ...results.merging import read_sources
from ...results.records import RunFacts
from ...running.cluster.batches import ClusterPlan
from ...running.declared import Declared, declared
from ...running.planning import make_plan
from ...running.recording import Recording, check_same_run, recording
from ...running.reuse.identity import cannot_be_known
from ...running.reuse.replacing import Claim, dated
from ...running.reuse.reusing import Reused, reusable
from ...running.run import Ended, Run, require_backend, unusable
from ...running.selecting import Selection, from_arguments, select
from ...running.sharing.shard_plan import ShardPlan, is_plan
from ...running.sharing.sharding import by_time
from ...running.sharing.times import times_of
from ..shared.limits import settings_of
from .arguments import configure
from .fresh import freshly
from .report import REPORTS, print_note, report, shown_whole

__all__ = ["configure", "execute"]

if TYPE_CHECKING:
    import argparse


def execute(arguments: argparse.Namespace) -> int:
    """Run, report and return the exit code."""
    try:
        return _execute(arguments)
    except BackendUnusableError:
        old = dated(arguments.results) if arguments.results is not None else ""
        if old:
            # A report of that file would be taken for one of this run.
            print_note(f"note: {arguments.results} still holds the results of {old}")
        raise


def _execute(arguments: argparse.Namespace) -> int:
    hide_vectors_argument()
    names = ("baseline", "results", "write_plan", *REPORTS)
    require_own_files([(f"--{name}", getattr(arguments, name)) for name in names])
    backend = find_backend(arguments.backend, arguments.python)
    if arguments.name is not None:
        backend = replace(backend, name=arguments.name)
    corpus = with_explored(open_vectors(arguments.vectors), arguments.patterns)
    # On a cluster the times share vectors out among workers; with --shard, among shards.
    times = None if arguments.cluster and not arguments.shard else arguments.by_time
    selection, shards = by_time(corpus, from_arguments(arguments), times)
    if arguments.write_plan is not None:
        _write_plan(arguments.write_plan, shards)
    selected = select(corpus, selection)
    claims = declared(arguments.profile, arguments.backend, backend, arguments.start_timeout)
    claimed = _claimed(claims, corpus, selected, everything=arguments.everything)
    plan = make_plan(corpus, claimed.entries if claimed and not arguments.everything else selected)
    if arguments.min_cases is not None and plan.selected < arguments.min_cases:
        raise IncompleteError(
            f"{plan.selected} vectors are selected, fewer than --min-cases {arguments.min_cases}"
        )
    expectations = NO_EXPECTATIONS
    if arguments.baseline is not None:
        expectations = expectations_of(
            read_baseline(arguments.baseline, arguments.include_from),
            corpus.entries,
            corpus.withdrawn,
            strict_new=arguments.strict_new,
        )
    run = Run(
        backend=backend,
        corpus=corpus,
        plan=plan,
        settings=settings_of(arguments),
        tolerance=arguments.tolerance,
        accuracy=arguments.accuracy,
        expectations=expectations,
        rerun_failures=arguments.rerun_failures or 0,
        max_lost_children=_may_be_lost(arguments, len(plan.entries)),
        command=command_line(["onnx-validate", *sys.argv[1:]]),
        extra=_facts(arguments, corpus, selection, claimed),
        profile=claims.profile,
        asked=claims.description,
    )
    where = where_of(arguments, print_note)
    if where is not None:
        run = replace(run, cluster=_cluster_plan(where, arguments))
    if arguments.reuse:
        run = _with_reused(run, arguments)
    claim = Claim(
        backend.name,
        arguments.backend,
        selection.to_json(),
        tuple(plan.entries),
        force=arguments.force,
    )
    with recording(
        arguments.results, resume=arguments.resume, claim=claim, reused=arguments.reuse
    ) as record:
        if record.earlier is not None:
            check_same_run(
                record.earlier, backend.name, corpus.digest, tuple(plan.entries), run.extra
            )
        with freshly(run, arguments) as fresh:
            ended = _run(fresh, record)
        record.close()
        return report(arguments, record, expectations, ended, shown_whole(corpus, plan))


def _write_plan(path: Path, plan: ShardPlan | None) -> None:
    if plan is None:
        raise UsageError("--write-plan needs --shard K/N --by-time FILE: without, there is no plan")
    write_whole(path, plan.text())


def _with_reused(run: Run, arguments: argparse.Namespace) -> Run:
    """The run with what it takes over from earlier ones; the backend is asked who it is first."""
    if arguments.baseline is not None and not arguments.allow_reused:
        raise UsageError(
            "--reuse with --baseline: a gate would use verdicts that were not found now; run"
            " without --reuse, or permit it with --allow-reused"
        )
    there = [path for path in arguments.reuse if path.exists()]
    for path in arguments.reuse:
        if path not in there:
            print_note(f"note: reuse: {path}: there is no such file; nothing is taken over from it")
    sources = read_sources(there)

    def taken_over(identity: Mapping[str, str]) -> Reused:
        reused = reusable(sources, identity, run.plan)
        for text in reused.notes:
            print_note(f"note: {text}")
        return reused

    if run.cluster is not None:
        return replace(run, reuse=taken_over)  # its workers say who they are
    description = run.asked or require_backend(run.backend, arguments.start_timeout)
    refusal = cannot_be_known(arguments.backend, description)
    if refusal:
        print_note(f"note: reuse: nothing is taken over: {refusal}")
        return replace(run, asked=description)
    return replace(run, asked=description, reused=taken_over(run.identity(description)))


def _cluster_plan(where: Where, arguments: argparse.Namespace) -> ClusterPlan:
    earlier = [path for path in (arguments.by_time, *arguments.reuse) if path and path.exists()]
    known = [read_results(path) for path in reversed(earlier) if not is_plan(path)]
    times = times_of(known) if known else None
    return ClusterPlan(where, arguments.backend, arguments.python, times)


def _may_be_lost(arguments: argparse.Namespace, vectors: int) -> int:
    """How many children may be lost: what was asked for, else none in a gate, and else a few."""
    if arguments.max_lost_children is not None:
        limit: int = arguments.max_lost_children
        return limit
    return 0 if arguments.baseline is not None else permitted(vectors)


def _claimed(
    claims: Declared, corpus: Corpus, selected: Sequence[Entry], *, everything: bool
) -> Claimed | None:
    """What the run's profile makes of the selected vectors; None without a profile.

    Raises IncompleteError if it claims none of them, and nothing else is run either.
    """
    if claims.profile is None:
        return None
    claimed = claimed_of(claims.profile, claims.origin, corpus, selected)
    if not everything:
        require_any(claimed)
    return claimed


def _run(run: Run, record: Recording) -> Ended:
    plan = run.plan
    if plan.added:
        print_note(
            f"note: controls that are run though not selected: {len(plan.added)}"
            " (rejecting counts only where the valid neighbour passes)"
        )
    done = len(record.done)
    if record.earlier is not None:
        there = quantity(done, "verdict is", "verdicts are")
        print_note(f"note: {there} there already; {len(plan.entries) - done} to go")
    progress = Progress(sys.stderr, len(plan.entries), done)
    try:
        ended = run.run(
            record,
            lambda row: progress.add(passed=row.passed, operator=row.operator),
            progress.note,
        )
    except BackendUnusableError as error:
        raise unusable(run.backend, str(error)) from None
    finally:
        progress.clear()
    if ended.unusable:
        return Ended(unusable=str(unusable(run.backend, ended.unusable)))
    return ended


def _facts(
    arguments: argparse.Namespace, corpus: Corpus, selection: Selection, claimed: Claimed | None
) -> RunFacts:
    """The facts about the command line that the header of the results keeps.

    Those about a whole selection are of all shards of it.
    """
    facts: RunFacts = {
        "backend": arguments.backend,
        "arguments": _words_to_repeat(arguments),
        "tolerance": arguments.tolerance,
        "accuracy": arguments.accuracy,
    }
    asked = selection.to_json()
    if asked:
        facts["selection"] = asked
    if selection.shard is not None:
        part, parts = selection.shard
        facts["shard"] = f"{part}/{parts}"
        whole = select(corpus, replace(selection, shard=None, part=None))
        if claimed is not None:
            claimed = claimed_of(claimed.profile, claimed.origin, corpus, whole)
            whole = whole if arguments.everything else claimed.entries
        facts["selected"] = len(make_plan(corpus, whole).entries)
    if claimed is not None:
        facts["profile"] = claimed.to_json(everything=arguments.everything)
    return facts


def _words_to_repeat(arguments: argparse.Namespace) -> list[str]:
    """The options that are also needed to run one of these vectors alone."""
    words = []
    for option, value in (
        ("--vectors", arguments.vectors),
        ("--python", arguments.python),
        ("--memory-limit", arguments.memory_limit),
        ("--profile", arguments.profile),
    ):
        if value is not None:
            words += [option, str(value)]
    if arguments.timeout != Settings().timeout:
        words += ["--timeout", f"{arguments.timeout:g}"]
    for option, value, default in (
        ("--tolerance", arguments.tolerance, ONNX_MODE),
        ("--accuracy", arguments.accuracy, IEEE),
    ):
        if value != default:
            words += [option, value]
    return words
