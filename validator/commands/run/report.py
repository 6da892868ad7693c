"""The end of `onnx-validate run`: the report, the gate, and the exit code."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.corpus import Corpus
from onnx_conformance.core.errors import ConformanceError, ExitCode
from onnx_conformance.core.files import write_whole
from onnx_conformance.core.limits import LINE
from onnx_conformance.core.systems import command_line
from onnx_conformance.core.text import one_line, quantity

from ...gate.baseline import GateOutcome, gate_of, marks_of
from ...gate.expectations import Expectations
from ...gate.marks import Marks
from ...gate.status import Status
from ...gate.words import gate_lines
from ...judging.verdicts import Verdict
from ...reports import terminal
from ...results.claimed import claimed_part
from ...results.records import Results
from ...running.planning import RunPlan
from ...running.recording import Recording
from ...running.run import Ended
from ..shared.formats import writer_of
from ..shared.reading import reused_in_gate

if TYPE_CHECKING:
    import argparse


REPORTS = ("html", "junit", "markdown")


def print_note(text: str) -> None:
    """Print a note on standard error."""
    print(f"onnx-validate: {one_line(text, LINE)}", file=sys.stderr)


def shown_whole(corpus: Corpus, plan: RunPlan) -> tuple[Corpus, str] | None:
    """The selected vector, if it was exactly one: the report then shows all that is known of it."""
    asked = [item for item in plan.entries if item not in plan.added]
    return (corpus, asked[0]) if len(asked) == 1 else None


def report(
    arguments: argparse.Namespace,
    record: Recording,
    expectations: Expectations,
    ended: Ended,
    whole: tuple[Corpus, str] | None,
) -> int:
    """Print and write the reports; return the exit code."""
    results = record.results
    if ended.signal is not None:
        return _stopped(arguments, results, ended.signal)
    results = claimed_part(results)
    lacks = _nothing_now(arguments, record)
    if arguments.baseline is not None:
        lacks += reused_in_gate(results, allowed=arguments.allow_reused)
    outcome = gate_of(results, expectations, lacks)
    code = _exit_code(results, outcome)
    if ended.unusable:
        # This explains why vectors were not run, and is more precise than code 5.
        code = ExitCode.BACKEND_UNUSABLE
    elif ended.none_answered and code != ExitCode.OK:
        code = max(code, ExitCode.BACKEND_UNUSABLE)
    # Write files first: the reader of standard output may go away at any time.
    code = max(code, _write_reports(arguments, results, marks_of(outcome, expectations)))
    _print_report(arguments, results, outcome, code, whole)
    if ended.unusable:
        print_note(ended.unusable)
    elif ended.none_answered and code != ExitCode.OK:
        print_note(f"backend '{results.header.backend}' is unusable: it answered no vector at all")
    return code


def _nothing_now(arguments: argparse.Namespace, record: Recording) -> tuple[str, ...]:
    """The sentence that the backend was asked nothing in this run, where that is not permitted."""
    if record.earlier is None or record.judged or record.taken or arguments.allow_resumed:
        return ()
    sentence = (
        f"every verdict is of an earlier run, begun {record.earlier.header.started}: nothing was"
        " judged now; run without --resume, or permit it with --allow-resumed"
    )
    return (sentence,)


def _print_report(
    arguments: argparse.Namespace,
    results: Results,
    outcome: GateOutcome,
    code: int,
    whole: tuple[Corpus, str] | None,
) -> None:
    limit = None if arguments.verbose else terminal.DEFAULT_LIMIT
    gated = arguments.baseline is not None or arguments.rerun_failures is not None
    # Known failures need not be read again every time: with a gate, only red ones are listed.
    terminal.write([results], sys.stdout, limit=limit, failures=not gated and whole is None)
    if whole is not None:
        _print_whole(*whole, results, arguments.accuracy)
    if gated:
        print()
        for line in gate_lines(outcome, results, limit):
            print(line)
    if arguments.annotations is not None:
        from ...gate.annotations import github

        for line in github(outcome, results):
            print(line)
    reasons = _why_red(results, outcome)
    if reasons and not gated and code not in (ExitCode.OK, ExitCode.BACKEND_UNUSABLE):
        if whole is None:
            print("\n".join(_what_next(arguments, results)))
        print(f"\nexit {code}: {reasons}")


def _what_next(arguments: argparse.Namespace, results: Results) -> list[str]:
    """What a person may do next, with the commands."""
    kept = arguments.results
    file = command_line([str(kept)]) if kept is not None else "RESULTS"
    lines = [] if kept is not None else ["keep the verdicts: --results FILE; then"]
    if not arguments.verbose:
        lines.append(f"see all of it: onnx-validate report {file} --html report.html, or --verbose")
    unsupported = results.counts[Verdict.UNSUPPORTED]
    if "profile" not in results.header.extra and 2 * unsupported > len(results.rows):
        lines.append(
            "run only what the runtime claims:"
            f" onnx-validate profile suggest {file} --output profile.yaml"
        )
    init = f"onnx-validate baseline init {file} --output onnx-baseline.yaml"
    lines.append(f"hold your CI to the rest: {init}")
    return lines


def _print_whole(corpus: Corpus, vector_id: str, results: Results, accuracy: str) -> None:
    """Print the vector and its verdict with all details, so that no second command is needed."""
    from ...repro.in_words import vector_lines, verdict_lines
    from ...repro.subject import read_subject

    print()
    try:
        lines = list(vector_lines(read_subject(corpus, vector_id, accuracy)))
    except ConformanceError:
        lines = [vector_id]  # the verdict says what is wrong with its files
    for line in (*lines, *verdict_lines(vector_id, [results])):
        print(terminal.printable(line, sys.stdout))


def _stopped(arguments: argparse.Namespace, results: Results, number: int) -> int:
    rows, planned = len(results.rows), len(results.header.planned)
    kept = ""
    if arguments.results is not None:
        kept = f"; they are in {arguments.results}, and --resume continues them"
    print_note(f"stopped: {rows} of {planned} vectors have a verdict{kept}")
    return 128 + number


def _write_reports(arguments: argparse.Namespace, results: Results, marks: Marks) -> int:
    """Write the reports that were asked for; the highest exit code of those that failed.

    One that cannot be written does not prevent the others.
    """
    code = int(ExitCode.OK)
    for name in REPORTS:
        path: Path | None = getattr(arguments, name)
        if path is not None:
            given = {results.header.backend: marks} if arguments.baseline else None
            try:
                write_whole(path, writer_of(name)([results], given))
            except ConformanceError as error:
                print_note(str(error))
                code = max(code, error.exit_code)
    return code


def _exit_code(results: Results, outcome: GateOutcome) -> int:
    codes = [int(outcome.exit_code)]
    if any(row.verdict == Verdict.BAD_VECTOR for row in results.rows):
        codes.append(ExitCode.BAD_INPUT)
    return max(codes)


def _why_red(results: Results, outcome: GateOutcome) -> str:
    """What is not green, on one line; empty if everything is."""
    reasons = [_not_passed(results)]
    spoiled = outcome.count(Status.FLAKE)
    if spoiled:
        reasons.append(f"{quantity(spoiled, 'vector')} did not do the same alone")
    if outcome.lost.too_many:
        reasons.append(f"{quantity(outcome.lost.count, 'child', 'children')} lost")
    reasons += outcome.shortfalls
    return "; ".join(reason for reason in reasons if reason)


def _not_passed(results: Results) -> str:
    """`4 vectors did not pass (1 unsupported, 3 inconclusive)`; empty if all passed."""
    counts = [item for item in results.counts.most_common() if item[0] != Verdict.PASS]
    if not counts:
        return ""
    kinds = ", ".join(f"{number:,} {verdict}" for verdict, number in counts)
    return f"{quantity(sum(number for _, number in counts), 'vector')} did not pass ({kinds})"
