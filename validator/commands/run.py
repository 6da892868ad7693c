"""`onnx-validate run`: run a backend on vectors and judge what it does."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.corpus.vectors_folder import add_vectors_argument, vectors_folder
from onnx_conformance.core.errors import (
    BackendUnusableError,
    ConformanceError,
    ExitCode,
    IncompleteError,
)
from onnx_conformance.core.files import require_own_files, write_whole
from onnx_conformance.core.limits import LINE
from onnx_conformance.core.progress import Progress
from onnx_conformance.core.text import one_line, quantity
from onnx_conformance.core.values.limits import IEEE

from ..gate.baseline import NO_EXPECTATIONS, Status, expectations_of, gate, marks_of, read_baseline
from ..gate.words import gate_lines
from ..host.backends import find_backend
from ..host.worker import Settings
from ..judging.tolerance_rules import MODES, ONNX_MODE
from ..judging.verdicts import Verdict
from ..results.file_format import read_results
from ..results.lost_children import LIMIT, lost_children
from ..running.planning import make_plan
from ..running.recording import check_same_run, recording
from ..running.run import Ended, Run, unusable
from ..running.selecting import add_arguments, from_arguments, select
from .accuracy import add_accuracy_argument
from .reading import add_min_cases, positive

_LONGEST_NAME = 80
_REPORTS = ("html", "junit", "markdown")
EPILOG = """\
exit codes: 0 every vector passes, or is as the baseline says; 1 a vector does not pass (without
--baseline, unsupported and inconclusive are no pass either), or differs from the baseline; 2 usage;
3 bad input, such as a damaged vector or baseline; 4 the backend cannot be used; 5 nothing or fewer
than --min-cases selected, or a vector without a verdict; 6 no room for results, a report or what is
printed; 7 a fault of onnx-validate itself; 128 + N stopped by signal N. Where several apply, the
highest
"""

if TYPE_CHECKING:
    from onnx_conformance.core.corpus.corpus import Corpus

    from ..gate.baseline import Expectations, GateOutcome
    from ..gate.marks import Marks
    from ..results.records import Results, RunFacts
    from ..running.planning import RunPlan
    from ..running.recording import Recording
    from ..running.selecting import Selection


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.epilog = EPILOG
    defaults = Settings()
    parser.add_argument(
        "--backend",
        required=True,
        metavar="NAME",
        help="a backend of `onnx-validate backends`, python:MODULE[:ATTR] or 'command:PROGRAM ...'",
    )
    parser.add_argument(
        "--name",
        type=_name,
        metavar="TEXT",
        help="what reports call the backend (default: the text of --backend, which is long for a"
        " command:); --resume needs the same name again",
    )
    add_vectors_argument(parser)
    parser.add_argument(
        "--python", metavar="PATH", help="interpreter that has the runtime (default: this one)"
    )
    limits = parser.add_argument_group("limits")
    limits.add_argument(
        "--jobs",
        type=positive,
        default=_processors(),
        metavar="N",
        help="children that run at the same time (default: the processors, %(default)s here)",
    )
    limits.add_argument(
        "--timeout",
        type=_seconds,
        default=defaults.timeout,
        metavar="S",
        help="seconds for one vector (default: %(default)g)",
    )
    limits.add_argument(
        "--start-timeout",
        type=_seconds,
        default=defaults.start_timeout,
        metavar="S",
        help="seconds for a child to start, or to read one request (default: %(default)g)",
    )
    limits.add_argument(
        "--warm-up",
        type=_seconds,
        default=defaults.warm_up,
        metavar="S",
        help="seconds beside the timeout for the first vector of a child, until one did without"
        " them (default: %(default)g)",
    )
    limits.add_argument(
        "--memory-limit",
        type=positive,
        metavar="MIB",
        help="address space that a child may take (default: no limit)",
    )
    limits.add_argument(
        "--max-output",
        type=positive,
        default=defaults.max_output,
        metavar="MIB",
        help="what a child may write without a reply among it (default: %(default)s)",
    )
    files = parser.add_argument_group("results and reports")
    files.add_argument(
        "--results", type=Path, metavar="FILE", help="write results as they come (JSON lines)"
    )
    files.add_argument(
        "--resume",
        action="store_true",
        help="continue the results in --results FILE where they were cut short",
    )
    for name in _REPORTS:
        files.add_argument(
            f"--{name}", type=Path, metavar="FILE", help=f"write the report as {name}"
        )
    files.add_argument(
        "--verbose", action="store_true", help="list every failing vector, not the first few"
    )
    parser.add_argument(
        "--tolerance",
        choices=MODES,
        default=ONNX_MODE,
        help="how near is near enough for the vectors of others, such as ONNX's: their own rtol and"
        " atol, or our rule for the operator (default: %(default)s)",
    )
    add_accuracy_argument(parser)
    checks = parser.add_argument_group("gate")
    checks.add_argument(
        "--baseline", type=Path, metavar="FILE", help="the failures that you know about"
    )
    checks.add_argument(
        "--rerun-failures",
        type=positive,
        metavar="N",
        help="run what turns the gate red N more times, to tell a flake from a failure",
    )
    checks.add_argument(
        "--max-lost-children",
        type=_not_negative,
        default=LIMIT,
        metavar="N",
        help="be red where more children of the backend than this are lost between vectors, or with"
        " a vector that is answered when it runs alone (default: %(default)s)",
    )
    checks.add_argument(
        "--annotations",
        choices=("github",),
        help="also print what turns the gate red in the form that a CI service shows in the code",
    )
    add_min_cases(checks, "are selected")
    add_arguments(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Run, report and return the exit code."""
    names = ("baseline", "results", *_REPORTS)
    require_own_files([(f"--{name}", getattr(arguments, name)) for name in names])
    backend = find_backend(arguments.backend, arguments.python)
    if arguments.name is not None:
        backend = replace(backend, name=arguments.name)
    corpus = open_corpus(vectors_folder(arguments.vectors))
    selection = from_arguments(arguments)
    plan = make_plan(corpus, select(corpus, selection))
    if arguments.min_cases is not None and plan.selected < arguments.min_cases:
        raise IncompleteError(
            f"{plan.selected} vectors are selected, fewer than --min-cases {arguments.min_cases}"
        )
    expectations = NO_EXPECTATIONS
    if arguments.baseline is not None:
        expectations = expectations_of(read_baseline(arguments.baseline), corpus.entries)
    run = Run(
        backend=backend,
        corpus=corpus,
        plan=plan,
        settings=Settings(
            jobs=arguments.jobs,
            timeout=arguments.timeout,
            start_timeout=arguments.start_timeout,
            warm_up=arguments.warm_up,
            max_output=arguments.max_output,
        ),
        memory_limit=arguments.memory_limit,
        tolerance=arguments.tolerance,
        accuracy=arguments.accuracy,
        expectations=expectations,
        rerun_failures=arguments.rerun_failures or 0,
        max_lost_children=arguments.max_lost_children,
        command=shlex.join(["onnx-validate", *sys.argv[1:]]),
        extra=_facts(arguments, corpus, selection),
    )
    with recording(arguments.results, resume=arguments.resume) as record:
        if record.earlier is not None:
            check_same_run(
                record.earlier, backend.name, corpus.digest, tuple(plan.entries), run.extra
            )
        ended = _run(run, record)
        record.close()
        results = read_results(record.path)
        return _report(arguments, results, expectations, ended, _shown_whole(corpus, plan))


def _run(run: Run, record: Recording) -> Ended:
    plan = run.plan
    if plan.added:
        _say(
            f"note: controls that are run though not selected: {len(plan.added)}"
            " (rejecting counts only where the valid neighbour passes)"
        )
    done = len(record.done)
    if record.earlier is not None:
        _say(f"note: {done} verdicts are there already; {len(plan.entries) - done} to go")
    progress = Progress(sys.stderr, len(plan.entries), done)
    try:
        ended = run.run(record, lambda row: progress.add(passed=row.passed), progress.say)
    except BackendUnusableError as error:
        raise unusable(run.backend, str(error)) from None
    finally:
        progress.clear()
    if ended.unusable:
        return Ended(unusable=str(unusable(run.backend, ended.unusable)))
    return ended


def _facts(arguments: argparse.Namespace, corpus: Corpus, selection: Selection) -> RunFacts:
    """What the header keeps of the command line."""
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
        facts["selected"] = len(
            make_plan(corpus, select(corpus, replace(selection, shard=None))).entries
        )
    return facts


def _words_to_repeat(arguments: argparse.Namespace) -> list[str]:
    """The options that a run of one vector alone needs as well."""
    words = []
    for option, value in (
        ("--vectors", arguments.vectors),
        ("--python", arguments.python),
        ("--memory-limit", arguments.memory_limit),
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


# --- what is said at the end ---------------------------------------------------------------


def _shown_whole(corpus: Corpus, plan: RunPlan) -> tuple[Corpus, str] | None:
    """The one vector that was asked for, where it was one: it is shown with all that is known."""
    asked = [item for item in plan.entries if item not in plan.added]
    return (corpus, asked[0]) if len(asked) == 1 else None


def _report(
    arguments: argparse.Namespace,
    results: Results,
    expectations: Expectations,
    ended: Ended,
    whole: tuple[Corpus, str] | None,
) -> int:
    """Print and write the reports; return the exit code."""
    if ended.signal is not None:
        return _stopped(arguments, results, ended.signal)
    lost = lost_children(results)
    outcome = gate(results.rows, expectations, results.header.planned, lost=lost)
    code = _exit_code(results, outcome)
    if ended.unusable:
        # What the run did not come to is missing for this reason, which says more than 5.
        code = ExitCode.BACKEND_UNUSABLE
    elif ended.none_answered and code != ExitCode.OK:
        code = max(code, ExitCode.BACKEND_UNUSABLE)
    # Files first: whoever reads what is printed may leave at any time.
    code = max(code, _write_reports(arguments, results, marks_of(outcome, expectations)))
    _print_report(arguments, results, outcome, code, whole)
    if ended.unusable:
        _say(ended.unusable)
    elif ended.none_answered and code != ExitCode.OK:
        _say(f"backend '{results.header.backend}' is unusable: it answered no vector at all")
    return code


def _print_report(
    arguments: argparse.Namespace,
    results: Results,
    outcome: GateOutcome,
    code: int,
    whole: tuple[Corpus, str] | None,
) -> None:
    from ..reports import terminal

    limit = len(results.rows) if arguments.verbose else terminal.DEFAULT_LIMIT
    gated = arguments.baseline is not None or arguments.rerun_failures is not None
    # What is listed need not be read again every time: a gate shows what is red.
    terminal.write([results], sys.stdout, limit=limit, failures=not gated and whole is None)
    if whole is not None:
        _print_whole(*whole, results, arguments.accuracy)
    if gated:
        print()
        for line in gate_lines(outcome, results, limit):
            print(line)
    if arguments.annotations is not None:
        from ..gate.annotations import github

        for line in github(outcome):
            print(line)
    reasons = _why_red(results, outcome)
    if reasons and not gated and code not in (ExitCode.OK, ExitCode.BACKEND_UNUSABLE):
        print(f"\nexit {code}: {reasons}")


def _print_whole(corpus: Corpus, vector_id: str, results: Results, accuracy: str) -> None:
    """The vector and its verdict with all that is known: its report need not be asked for again."""
    from ..reports.terminal import printable
    from ..repro.in_words import vector_lines, verdict_lines
    from ..repro.subject import read_subject

    print()
    try:
        lines = list(vector_lines(read_subject(corpus.root, vector_id, accuracy)))
    except ConformanceError:
        lines = [vector_id]  # its verdict says what is wrong with its files
    for line in (*lines, *verdict_lines(vector_id, [results])):
        print(printable(line, sys.stdout))


def _stopped(arguments: argparse.Namespace, results: Results, number: int) -> int:
    rows, planned = len(results.rows), len(results.header.planned)
    kept = ""
    if arguments.results is not None:
        kept = f"; they are in {arguments.results}, and --resume continues them"
    _say(f"stopped: {rows} of {planned} vectors have a verdict{kept}")
    return 128 + number


def _write_reports(arguments: argparse.Namespace, results: Results, marks: Marks) -> int:
    """Write what was asked for; the highest code of what cannot be written, the rest is there."""
    code = int(ExitCode.OK)
    for name in _REPORTS:
        path: Path | None = getattr(arguments, name)
        if path is not None:
            from importlib import import_module

            module = import_module(f"..reports.{name}", __package__)
            given = {results.header.backend: marks} if arguments.baseline else None
            try:
                write_whole(path, module.render([results], given))
            except ConformanceError as error:
                _say(str(error))
                code = max(code, error.exit_code)
    return code


def _exit_code(results: Results, outcome: GateOutcome) -> int:
    codes = [int(outcome.exit_code)]
    if any(row.verdict == Verdict.BAD_VECTOR for row in results.rows):
        codes.append(ExitCode.BAD_INPUT)
    return max(codes)


def _why_red(results: Results, outcome: GateOutcome) -> str:
    """What is not green, in one line; empty where all is."""
    reasons = [_not_passed(results)]
    spoiled = outcome.count(Status.FLAKE)
    if spoiled:
        reasons.append(f"{quantity(spoiled, 'vector')} did not do the same alone")
    if outcome.lost.too_many:
        reasons.append(f"{quantity(outcome.lost.count, 'child', 'children')} lost")
    return "; ".join(reason for reason in reasons if reason)


def _not_passed(results: Results) -> str:
    """`4 vectors did not pass (1 unsupported, 3 inconclusive)`; empty where all did."""
    counts = [item for item in results.counts.most_common() if item[0] != Verdict.PASS]
    if not counts:
        return ""
    kinds = ", ".join(f"{number:,} {verdict}" for verdict, number in counts)
    return f"{quantity(sum(number for _, number in counts), 'vector')} did not pass ({kinds})"


def _say(text: str) -> None:
    print(f"onnx-validate: {one_line(text, LINE)}", file=sys.stderr)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def _not_negative(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is negative")
    return value


def _name(text: str) -> str:
    if not text.strip() or not text.isprintable() or len(text) > _LONGEST_NAME:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no name: 1 to {_LONGEST_NAME} printable characters"
        )
    return text.strip()


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds")
    return value
